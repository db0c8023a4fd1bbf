import Basics
import CArchive
import Foundation
import SessionModel

/// Archives with many traces: tar, also compressed, and zip.
public enum TraceArchive {
    private static let endings = [
        ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst", ".zip",
    ]

    public static func isArchive(_ path: String) -> Bool {
        endings.contains(where: path.hasEnding)
    }

    /// Extracts all files of an archive below a folder. Folders, links, devices and hidden files are left out.
    ///
    /// - Returns: The paths of the files relative to the folder, in order of their bytes.
    /// - Throws: `TraceError` if the archive is damaged, or has a name that leads out of the folder or occurs twice;
    ///   `FileError` if a file cannot be written.
    public static func extract(_ path: String, to folder: String) throws -> [String] {
        let archive = archive_read_new()
        defer { archive_read_free(archive) }
        archive_read_support_filter_all(archive)
        archive_read_support_format_tar(archive)
        archive_read_support_format_zip(archive)
        func failure(_ what: String) -> TraceError {
            let reason = archive_error_string(archive).map { " (\(String(cString: $0)))" } ?? ""
            return TraceError(file: path, at: .wholeFile, what + reason)
        }
        guard archive_read_open_filename(archive, path, 256 << 10) == ARCHIVE_OK else {
            throw failure(
                "cannot be read as a tar or zip archive; name an archive, or a folder with the extracted files")
        }
        var names: [String] = []
        var known: Set<[UInt8]> = []
        while true {
            var entry: OpaquePointer?
            let code = archive_read_next_header(archive, &entry)
            if code == ARCHIVE_EOF { break }
            guard code == ARCHIVE_OK || code == ARCHIVE_WARN, let entry else {
                throw failure("the archive is damaged or incomplete; copy it again")
            }
            guard archive_entry_filetype(entry) == 0o100000, archive_entry_hardlink(entry) == nil else { continue }
            guard let text = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else {
                throw failure("the archive has an entry without a readable name; make it again with names in UTF-8")
            }
            let parts = String(cString: text).pathParts.filter { !$0.utf8.elementsEqual(".".utf8) }
            guard !parts.contains(where: { $0.utf8.elementsEqual("..".utf8) }) else {
                throw TraceError(
                    file: path, at: .wholeFile,
                    "the entry \(String(cString: text)) leads out of the folder; make the archive again without '..'")
            }
            guard !parts.isEmpty, !parts.contains(where: { $0.utf8.first == UInt8(ascii: ".") }) else { continue }
            let name = parts.joined(separator: "/")
            guard known.insert(Array(name.utf8)).inserted else {
                throw TraceError(
                    file: path, at: .wholeFile, "the entry \(name) occurs twice; make the archive again")
            }
            names.append(name)
            let parent = ([folder] + parts.dropLast()).joined(separator: "/")
            do {
                try TemporaryPaths.delayingExit {
                    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                }
            } catch { throw FileError(.cannotCreate, parent, "the folder cannot be created; free some space") }
            try extract(archive, to: "\(folder)/\(name)") {
                failure("the entry \(name) is damaged; copy the archive again")
            }
        }
        return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }

    /// Writes the data of the current entry to a new file.
    private static func extract(_ archive: OpaquePointer?, to target: String, _ damage: () -> TraceError) throws {
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(errno == ENOSPC ? .ioError : .cannotCreate, target, errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = Int(archive_read_data(archive, buffer.baseAddress, buffer.count))
            if count == 0 { return }
            if count == Int(ARCHIVE_RETRY) { continue }
            guard count > 0 else { throw damage() }
            var written = 0
            while written < count {
                let part = write(descriptor, buffer.baseAddress! + written, count - written)
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { throw FileError(.ioError, target, errno) }
                written += part
            }
        }
    }
}
