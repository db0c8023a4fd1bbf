#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension DiskFolder {
    /// Removes temporary files that an interrupted process has left, and files too short to be whole.
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
        defer { closedir(stream) }  // Closes `opened`, too.
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
        let accessed = format.datesAccesses ? date(facts.accessed) : 0
        let found = DiskFile(
            name: name, size: Int(facts.st_size) - DiskTrailer.size, date: date(facts.modified), accessed: accessed)
        // A text may be the name of anybody's file: the trailer tells ours. One that was torn is left, then, until its
        // name is stored anew.
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
        guard opened >= 0 else { return false }  // Who is not its owner has not written it.
        defer { close(opened) }
        let isOurs = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size, alignment: 8) { trailer in
            // 24 is not 0: there is an address.
            pread(opened, trailer.baseAddress!, DiskTrailer.size, .init(found.size)) == DiskTrailer.size
                && DiskTrailer(UnsafeRawBufferPointer(trailer)).isOurs
        }
        // This was no access, whatever the system has noted.
        if isOurs, format.datesAccesses { setDates(opened, found) }
        return isOurs
    }
}
