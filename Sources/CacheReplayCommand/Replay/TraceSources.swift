import Basics
import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import Runs

/// The traces that a command line names, in order: files, folders, archives, patterns, and lists of them. All commands
/// that replay traces read their arguments by this type.
///
/// - `Traces/feed.jsonl`: a file.
/// - `Sessions`: all files in the folder and the folders in it, by name. Hidden files are left out.
/// - `Sessions.tar.gz`, `Sessions.zip`: all files in the archive, by name, extracted to a temporary folder.
/// - `'Sessions/*.jsonl'`: the files that match, if no file has this name.
/// - `-`: standard input.
/// - `feed=Traces/2024-06.csv`: a file or standard input, with a name of its own in results. A path that exists, and a
///   pattern that matches a file, is none of these.
/// - `@sessions.txt`: what the lines of the file name. Empty lines, and lines that begin with `#`, are skipped.
struct TraceSources {
    private(set) var files: [TraceFile] = []
    private let format: String?

    /// Whether each file is named by itself, on the command line or in a configuration.
    var areNamed: Bool { files.allSatisfy(\.isNamed) }

    /// - Parameter paths: The paths of files, which are neither folders nor patterns.
    init(named paths: [String]) {
        format = nil
        files = paths.map { TraceFile(path: $0) }
    }

    /// - Throws: ``CommandFailure`` for a folder, a pattern or a list without traces, and for one that is not readable.
    init(_ arguments: [String], format: String?) throws {
        self.format = format
        for argument in arguments {
            if let list = argument.dropping(start: "@") {
                try addList(list)
            } else {
                try add(argument)
            }
        }
    }

    /// Throws if two traces have one name: results could not tell them apart.
    /// - Throws: ``CommandFailure``.
    func checkNames() throws {
        try ReplayPlan.checkNames(files.map(\.name), "traces", remedy: "name one of them, as in NAME=PATH")
    }

    /// Handles the traces in order, and skips those that cannot be read.
    ///
    /// - Returns: The skipped traces.
    /// - Throws: What `body` throws for another reason, for a trace that is named by itself, or in a strict command.
    func forEach(isStrict: Bool, _ body: (_ number: Int, TraceFile) throws -> Void) throws -> [SkippedSource] {
        var skipped: [SkippedSource] = []
        for (number, file) in files.enumerated() {
            do { try body(number, file) } catch {
                skipped.append(try file.skipped(after: error, isStrict: isStrict))
            }
        }
        return skipped
    }

    /// Reports the traces that a command has skipped.
    ///
    /// - Parameters:
    ///   - work: The work that could not be done with them, such as `replayed`.
    ///   - list: The file that names all skipped traces; nil for none.
    ///   - hasOthers: Whether there are results without these traces, so that all can be skipped.
    /// - Throws: ``CommandFailure`` if no trace is left.
    static func report(
        _ skipped: [SkippedSource], of count: Int, work: String = "replayed", list: String? = nil,
        hasOthers: Bool = false
    ) throws {
        guard !skipped.isEmpty else { return }
        for trace in skipped.prefix(5) { printToStandardError("cachereplay: skipped: \(trace.reason)") }
        let rest = skipped.count > 5 ? list.map { "; \($0) names all of them" } ?? "" : ""
        printToStandardError(
            "cachereplay: \(skipped.count) of \(count) traces could not be \(work) and were skipped\(rest). --strict "
                + "stops at the first one.")
        guard hasOthers || skipped.count < count else {
            throw CommandFailure(.badData, "None of the \(count) traces could be \(work).")
        }
    }

    private mutating func add(_ argument: String) throws {
        guard let (name, path) = Self.named(argument) else { return try addFiles(of: argument) }
        let several: String? =
            if ResultFile.isFolder(path) {
                "a folder"
            } else if ResultFile.exists(path) {
                TraceArchive.isArchive(path) ? "an archive" : nil
            } else if path.utf8.first == UInt8(ascii: "@") {
                "a list"
            } else if Self.isPattern(path) {
                "a pattern"
            } else {
                nil
            }
        if let several {
            throw CommandFailure(
                .usage,
                """
                \(argument): NAME=PATH names one trace, and \(path) is \(several), which can have several; name the \
                files one by one, or leave '\(name)=' out.
                """)
        }
        try addFiles(of: path)
        files[files.count - 1].givenName = name
    }

    /// Returns the parts of `NAME=PATH`; nil for another text, and for one that is a path itself.
    private static func named(_ argument: String) -> (name: String, path: String)? {
        let bytes = argument.utf8
        guard let place = bytes.firstIndex(of: UInt8(ascii: "=")), !ResultFile.exists(argument) else { return nil }
        let (name, path) = (String(argument[..<place]), String(argument[bytes.index(after: place)...]))
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !path.isEmpty, matches(argument).isEmpty else {
            return nil
        }
        return (name, path)
    }

    private static func isPattern(_ path: String) -> Bool { path.utf8.contains { "*?[".utf8.contains($0) } }

    private mutating func addFiles(of path: String) throws {
        if path == StandardInput.path {
            files.append(TraceFile(path: path, format: format, copy: try StandardInput.file()))
            return
        }
        let exists = ResultFile.exists(path)
        if ResultFile.isFolder(path) {
            let found = try Self.contents(of: path)
            guard !found.isEmpty else {
                throw CommandFailure(.noInput, "\(path): the folder has no files; expected recorded sessions.")
            }
            if let hint = PictureFiles.hint(for: found, in: path) {
                throw CommandFailure(.badData, "\(path): \(hint).")
            }
            files += found.map { TraceFile(path: "\(path)/\($0)", isNamed: false, format: format, folder: path) }
        } else if !exists, Self.isPattern(path) {
            let found = Self.matches(path)
            guard !found.isEmpty else {
                throw CommandFailure(.noInput, "\(path): no file matches; check the pattern.")
            }
            files += found.map { TraceFile(path: $0, isNamed: false, format: format) }
        } else if exists, TraceArchive.isArchive(path) {
            try addArchive(path)
        } else {
            if !exists { try Self.refuseCache(path) }
            files.append(TraceFile(path: path, format: format))
        }
    }

    /// Throws for a path without a file that names a cache: its option takes several caches in another way.
    private static func refuseCache(_ path: String) throws {
        guard (try? CacheConfiguration(specification: path, registry: CacheReplay.policies)) != nil else { return }
        throw CommandFailure(
            .noInput,
            """
            \(path): no such file; it is the name of a cache. Separate the caches of --for by commas, as in \
            --for nuke-13,\(path), and give each cache an option of its own elsewhere, as in --cache nuke-13 --cache \
            \(path).
            """)
    }

    private mutating func addArchive(_ path: String) throws {
        let prefix = "cachereplay-archive"
        let temporary = FileManager.default.temporaryDirectory.path
        ScratchFolder.removeAbandoned(in: temporary, prefix: prefix)
        let scratch = try ScratchFolder(in: temporary, prefix: prefix)
        let found = try TraceArchive.extract(path, to: scratch.path)
        guard !found.isEmpty else {
            throw CommandFailure(.noInput, "\(path): the archive has no files; expected recorded sessions.")
        }
        files += found.map { name in
            TraceFile(
                path: "\(path)/\(name)", isNamed: false, format: format, folder: path,
                extracted: ExtractedFile(name, in: scratch))
        }
    }

    private mutating func addList(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "@\(path): no such file, or not readable; expected a list of traces.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CommandFailure(.badData, "@\(path): not UTF-8 text; expected one path per line.")
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "#") }
        guard !lines.isEmpty else {
            throw CommandFailure(.badData, "@\(path): names no trace; expected one path per line.")
        }
        let first = files.count
        for line in lines { try add(line) }
        for place in first..<files.count { files[place].isNamed = false }
    }

    /// Returns the paths of the files below a folder, relative to it, in order of their bytes.
    private static func contents(of folder: String) throws -> [String] {
        guard access(folder, R_OK | X_OK) == 0 else {
            throw CommandFailure(.noInput, "\(folder): the folder cannot be read; check its permissions.")
        }
        // The enumerator lists nothing for a symbolic link.
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath()
        let keys: [URLResourceKey] = [.isRegularFileKey]
        let found = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: keys, options: .skipsHiddenFiles)
        let prefix = root.standardizedFileURL.path + "/"
        var names: [String] = []
        while let url = found?.nextObject() as? URL {
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let path = url.standardizedFileURL.resolvingSymlinksInPath().path
            names.append(path.dropping(start: prefix) ?? path.fileName)
        }
        return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    }

    /// Returns the files that match a pattern of the shell, sorted.
    private static func matches(_ pattern: String) -> [String] {
        var result = glob_t()
        defer { globfree(&result) }
        guard glob(pattern, GLOB_MARK, nil, &result) == 0 else { return [] }
        return (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
            .filter { $0.utf8.last != UInt8(ascii: "/") }
    }
}
