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
        for subfolder in subfolders.isEmpty ? ["."] : subfolders { try scan(subfolder, into: &files) }
        return files
    }

    private func scan(_ subfolder: String, into files: inout [DiskFile]) throws {
        let opened = openat(descriptor, subfolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0, let stream = fdopendir(opened) else {
            let code = errno
            if opened >= 0 { close(opened) }
            throw DiskTierError(code, "list the subfolder \(subfolder)", path)
        }
        defer { closedir(stream) }  // Closes `opened` too.
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { file in
                    if strncmp(file, Self.temporaryPrefix, 5) == 0 {
                        unlinkat(opened, file, 0)
                    } else if let name = format.layout.name(file: file, in: subfolder) {
                        take(name, file, opened, into: &files)
                    }
                }
            }
        }
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
            unlinkat(folder, file, 0)
            return
        }
        files.append(found)
    }

    private func hasTrailer(_ found: DiskFile, _ file: UnsafePointer<CChar>, _ folder: Int32) -> Bool {
        guard found.size >= 0 else { return false }
        let opened = openat(folder, file, openForReading | O_NONBLOCK)
        // O_NOATIME fails for files of other owners, which the tier has not written.
        guard opened >= 0 else { return false }
        defer { close(opened) }
        let isOurs = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size, alignment: 8) { trailer in
            // Not nil: the byte count is not 0.
            pread(opened, trailer.baseAddress!, DiskTrailer.size, .init(found.size)) == DiskTrailer.size
                && DiskTrailer(UnsafeRawBufferPointer(trailer)).isOurs
        }
        // This was no access: restores the date that reading may have changed.
        if isOurs, datesAccesses { setDates(opened, found) }
        return isOurs
    }
}
