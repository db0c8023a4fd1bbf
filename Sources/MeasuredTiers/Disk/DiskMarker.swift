import CacheTiers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file that names the layout of a tier's folder, so that no other layout reads it:
///
/// ```
/// CacheReplay disk tier
/// layout: sha256
/// version: 1
/// ```
///
/// `md5-fanout` writes no marker: its 256 subfolders identify it.
enum DiskMarker {
    static let file = DiskLayout.markerFile
    private static let version = 1
    private static let title = "CacheReplay disk tier"
    /// In bytes; more than any marker has.
    private static let longest = 4096

    /// Writes the marker of a new folder. Throws if another layout or version has written the folder, which then stays
    /// as it is.
    static func claim(_ layout: DiskLayout, _ folder: Int32, _ path: String, _ calls: FileCalls) throws {
        if let text = try read(folder, path, calls) {
            guard let written = parse(text) else {
                throw DiskTierError(
                    .otherLayout, path,
                    """
                    the file \(file) does not name the layout that has written this folder. Remove the folder, or \
                    choose another
                    """
                )
            }
            guard written == (layout.rawValue, version) else {
                throw refusal(layout, written.layout, written.version, path)
            }
            return
        }
        guard layout != .md5Fanout else { return }
        if holdsFanout(folder) { throw refusal(layout, DiskLayout.md5Fanout.rawValue, version, path) }
        if let foreign = layout.storeTraits.reservedNames.first(where: { exists(folder, $0) }) {
            throw DiskTierError(
                .otherLayout, path,
                """
                '\(foreign)' in this folder was not written by a tier: there is no \(file) beside it. Choose an empty \
                folder
                """
            )
        }
        try write("\(title)\nlayout: \(layout.rawValue)\nversion: \(version)\n", folder, path, calls)
    }

    private static func refusal(_ layout: DiskLayout, _ written: String, _ version: Int, _ path: String)
        -> DiskTierError
    {
        func name(_ layout: String, _ number: Int) -> String {
            number == Self.version ? layout : "\(layout), version \(number)"
        }
        return DiskTierError(
            .otherLayout, path,
            "this folder was written in the layout \(name(written, version)), and cannot be used in the layout "
                + "\(version == Self.version ? layout.rawValue : "\(layout.rawValue), version \(Self.version)"). "
                + "Choose another folder, or remove this one")
    }

    private static func parse(_ text: String) -> (layout: String, version: Int)? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[0] == title, lines[1].hasPrefix("layout: "), lines[2].hasPrefix("version: "),
            lines[3].isEmpty,
            let version = Int(lines[2].dropFirst("version: ".count))
        else { return nil }
        // The error message shows it: printable ASCII only.
        let layout = lines[1].dropFirst("layout: ".count)
        guard !layout.isEmpty, layout.count <= 40, layout.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return (String(layout), version)
    }

    /// nil where there is none.
    private static func read(_ folder: Int32, _ path: String, _ calls: FileCalls) throws -> String? {
        let opened = calls.open(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw DiskTierError(errno, "read the file \(file)", path)
        }
        defer { _ = calls.close(opened) }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: longest) { bytes, used in
            count = calls.read(opened, UnsafeMutableRawBufferPointer(bytes), .init(start: nil, count: 0))
            used = max(0, count)
        }
        guard count >= 0 else { throw DiskTierError(errno, "read the file \(file)", path) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the marker under a temporary name and renames it: half a marker would make its folder unusable. A file
    /// system that cannot wait for the disk (`EINVAL`) is accepted.
    private static func write(_ text: String, _ folder: Int32, _ path: String, _ calls: FileCalls) throws {
        let temporary = "\(DiskFolder.temporaryPrefix)marker-\(UInt64.random(in: 0...UInt64.max))"
        let opened = calls.open(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
        guard opened >= 0 else { throw DiskTierError(errno, "write the file \(file)", path) }
        var code: Int32 = 0
        code = calls.writeAll(opened, Array(text.utf8))
        // The objects have checksums, the marker has none: it is on the disk before it has its name.
        if code == 0, calls.synchronize(opened) != 0, errno != EINVAL { code = errno }
        if calls.close(opened) != 0, code == 0 { code = errno }
        if code == 0, calls.rename(folder, temporary, to: file) != 0 { code = errno }
        // Nor is an object on the disk before the marker: without it, a database would look foreign.
        if code == 0, calls.synchronize(folder) != 0, errno != EINVAL { code = errno }
        guard code == 0 else {
            _ = calls.remove(folder, temporary)
            throw DiskTierError(code, "write the file \(file)", path)
        }
    }

    /// Whether the first and the last of the 256 subfolders exist; no other layout has them.
    private static func holdsFanout(_ folder: Int32) -> Bool {
        [UInt8.min, .max].allSatisfy { number in
            var facts = stat()
            return fstatat(folder, DiskLayout.subfolder(number), &facts, AT_SYMLINK_NOFOLLOW) == 0
                && facts.st_mode & S_IFMT == S_IFDIR
        }
    }

    private static func exists(_ folder: Int32, _ name: String) -> Bool {
        var facts = stat()
        return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
    }
}
