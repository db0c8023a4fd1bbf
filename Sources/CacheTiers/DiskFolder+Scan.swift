#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension DiskFolder {
    /// Every file of the tier. Temporary files that an interrupted process has left, and files too short to be whole, are
    /// removed; whatever else lies there is none of ours and stays untouched.
    func scan() throws -> [DiskFile] {
        var files: [DiskFile] = []
        for number in 0..<256 { try scan(UInt8(number), into: &files) }
        return files
    }

    private func scan(_ number: UInt8, into files: inout [DiskFile]) throws {
        let subfolder = Self.subfolder(number)
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
                    } else if let name = DiskName(file: file, inFolder: number) {
                        var facts = stat()
                        guard fstatat(opened, file, &facts, AT_SYMLINK_NOFOLLOW) == 0 else { return }
                        guard facts.st_mode & S_IFMT == S_IFREG else { return }
                        let size = Int(facts.st_size) - DiskTrailer.size
                        guard size >= 0 else {
                            unlinkat(opened, file, 0)
                            return
                        }
                        files.append(DiskFile(name: name, size: size, date: date(facts.modified)))
                    }
                }
            }
        }
    }
}
