import CacheTiers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension DiskFolder {
    /// Removes the temporary files of an interrupted process, and files that are too short to be complete.
    func scan() throws -> [DiskFile] {
        var files: [DiskFile] = []
        let subfolders = format.layout.subfolders
        if !subfolders.isEmpty { try removeTemporaryFiles() }
        for subfolder in subfolders.isEmpty ? ["."] : subfolders {
            try list(subfolder) { name, folder in
                if Self.isTemporary(name) {
                    _ = calls.remove(folder, name)
                } else if let found = format.layout.name(file: name, in: subfolder) {
                    take(found, name, folder, into: &files)
                }
            }
        }
        return files
    }

    /// Removes the temporary files in the folder itself, for layouts whose objects are elsewhere.
    func removeTemporaryFiles() throws {
        try list(".") { name, folder in
            if Self.isTemporary(name) { _ = calls.remove(folder, name) }
        }
    }

    private static func isTemporary(_ name: UnsafePointer<CChar>) -> Bool {
        strncmp(name, temporaryPrefix, temporaryPrefix.utf8.count) == 0
    }

    /// Calls the body with each name in a subfolder, and with the subfolder's descriptor.
    private func list(_ subfolder: String, _ body: (UnsafePointer<CChar>, Int32) -> Void) throws {
        guard let (stream, opened) = calls.list(descriptor, subfolder) else {
            throw DiskTierError(errno, "list the subfolder \(subfolder)", path)
        }
        defer { closedir(stream) }  // Closes `opened` too.
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    body($0, opened)
                }
            }
        }
        guard errno == 0 else { throw DiskTierError(errno, "list the subfolder \(subfolder)", path) }
    }

    private func take(_ name: DiskName, _ file: UnsafePointer<CChar>, _ folder: Int32, into files: inout [DiskFile]) {
        var facts = stat()
        guard fstatat(folder, file, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        let accessed = datesAccesses ? date(facts.accessed) : 0
        let found = DiskFile(
            name: name, size: Int(facts.st_size) - DiskTrailer.size, date: date(facts.modified), accessed: accessed)
        // Any file can have a spelled-out name: only files with the trailer are the tier's. A torn file therefore stays
        // until its object is stored again.
        if format.layout.spellsNames, !hasTrailer(found, file, folder) { return }
        guard found.size >= 0 else {
            _ = calls.remove(folder, file)
            return
        }
        files.append(found)
    }

    private func hasTrailer(_ found: DiskFile, _ file: UnsafePointer<CChar>, _ folder: Int32) -> Bool {
        guard found.size >= 0 else { return false }
        let opened = calls.open(folder, file, openForReading | O_NONBLOCK)
        // O_NOATIME fails for files of other owners, which the tier has not written.
        guard opened >= 0 else { return false }
        defer { _ = calls.close(opened) }
        let isOurs = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size, alignment: 8) { trailer in
            calls.read(opened, at: found.size, trailer) == DiskTrailer.size
                && DiskTrailer(UnsafeRawBufferPointer(trailer)).isOurs
        }
        // This was no access: restores the date that reading may have changed.
        if isOurs, datesAccesses { setDates(opened, found) }
        return isOurs
    }
}
