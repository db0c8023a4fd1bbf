import Basics
import CacheTraces
import Foundation
import SessionModel

/// A file that was extracted from an archive. It exists as long as one of these values, or until the folder is removed.
struct ExtractedFile: Hashable, Sendable {
    let folder: ScratchFolder
    private let name: String

    init(_ name: String, in folder: ScratchFolder) { (self.name, self.folder) = (name, folder) }

    var path: String { "\(folder.path)/\(name)" }

    static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// A trace as the user names it.
struct TraceFile: Hashable {
    var path: String
    /// A format's name; nil: recognised by its content.
    var format: String?
    /// The folder that was named, if the trace was found in one.
    var folder: String?
    /// Where the trace's bytes are if it is in an archive; nil: at ``path``.
    var extracted: ExtractedFile?
    /// The path of the copy of standard input, if the trace comes from there.
    var copy: String?

    /// The path of the file with the trace's bytes.
    var place: String { extracted?.path ?? copy ?? path }

    /// The file's name without folders, and without the endings of compression and format: `page.2` of `page.2.har.gz`.
    /// The name of a file that was found in a folder or an archive has the folders below that one: `anna/monday`.
    var name: String {
        if path == StandardInput.path { return "stdin" }
        let file = folder.map { String(path.dropFirst($0.count + 1)) } ?? URL(fileURLWithPath: path).lastPathComponent
        let short = Self.without(Self.formatEndings, Self.without([".gz", ".bz2", ".xz", ".zst"], file))
        return Self.without([".bin", ".json", ".txt"], short)
    }

    /// The size of the file in bytes; 0 if it cannot be read.
    var size: Int {
        var status = stat()
        return stat(place, &status) == 0 ? Int(status.st_size) : 0
    }

    func read() throws -> TraceReading {
        do { return try TraceReading(contentsOf: place, format: try format.map(TraceFormat.named)) } catch {
            throw named(error)
        }
    }

    /// Returns an error with the trace's path, if it names the place of its bytes.
    func named(_ error: any Error) -> any Error {
        guard var error = error as? TraceError, error.file == place else { return error }
        error.file = path
        return error
    }

    private static let formatEndings = TraceFormat.all.flatMap(\.fileEndings).sorted { $0.count > $1.count }

    private static func without(_ endings: [String], _ name: String) -> String {
        let ending = endings.first { name.count > $0.count && name.lowercased().hasSuffix($0) }
        return String(name.dropLast(ending?.count ?? 0))
    }
}
