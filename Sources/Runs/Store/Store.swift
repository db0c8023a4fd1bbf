import Basics
import Foundation
import Synchronization

/// One folder of results. Its files are written by this type alone.
///
/// A store has a lock, a manifest (`run.json`), and the results of one kind of command. Finished results are appended,
/// so that the bytes written grow linearly with them. ``finish(at:)`` puts them in the order of the command line, so
/// that the files do not depend on the order in which they were finished. A process that is killed leaves whole
/// results, and at most a torn last line in a file. ``begin(at:_:resume:replaces:ownsChart:)`` and
/// ``open(_:asShard:)`` drop that line.
///
/// Safe to use from several threads.
public final class Store<Kind: StoreKind>: Sendable {
    public let path: String
    /// The earlier results that `--resume` does not reuse, by the input that changed.
    public let repeated: [RepeatedResults]
    let state: Mutex<State>
    /// Present while results are written.
    private let lock: FolderLock?

    public struct State: Sendable {
        /// The content of `run.json`, or nil for a folder without it.
        var manifest: Manifest<Kind.Facts>?
        var results: Kind
        var files: StoredFiles

        init(_ path: String, _ manifest: Manifest<Kind.Facts>? = nil) {
            (self.manifest, results, files) = (manifest, Kind(in: path), StoredFiles(path: path))
        }

        var path: String { files.path }
        var style: CSVStyle { CSVStyle(isSafe: manifest?.csvSafe == true) }

        fileprivate mutating func writeManifest() throws {
            guard let manifest else { return }
            try files.write(try JSONFile.text(manifest, file: "\(path)/run.json"), to: "run.json")
        }
    }

    init(_ state: State, repeated: [RepeatedResults] = [], lock: FolderLock? = nil) {
        path = state.path
        self.lock = lock
        self.repeated = repeated
        self.state = Mutex(state)
    }

    /// Makes the folder ready, and writes its `run.json`.
    ///
    /// Without `resume`, earlier results and charts are removed; if `replaces` is false, they are an error instead.
    /// With `resume`, earlier results are kept, except those whose inputs changed (``repeated``), and the CSV files are
    /// made again. `run.json` then also has the inputs of kept results that are not made now, and the CSV files stay
    /// safe in spreadsheet programs if they were. The folder is locked as long as the instance exists.
    /// - Parameter ownsChart: Returns whether a file of `charts/` is removed with earlier results.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` for a broken file.
    package static func begin(
        at path: String, _ manifest: Manifest<Kind.Facts>, resume: Bool, replaces: Bool,
        ownsChart: (_ file: String) -> Bool
    ) throws -> Store {
        let lock = try ResultFile.claimFolder(path)
        // The disk tiers of replays that were killed.
        ScratchFolder.removeAbandoned(in: path, prefix: ".run")
        var state = State(path, manifest)
        // A folder is complete when ``finish(at:)`` has said so, also if its results come from complete folders.
        state.manifest?.end = nil
        var changes: [InputChange] = []
        if resume {
            let earlier = try Self.manifest(in: path)
            if earlier?.csvSafe == true { state.manifest?.csvSafe = true }
            changes = try Kind.resume(&state, after: earlier)
            if let earlier, state.results.count > 0 { state.manifest = state.manifest?.keeping(earlier) }
        } else {
            try Kind.files.refuseForeign(in: path)
            if !replaces, holdsResults(path) { throw ResultsError.existingResults(in: path) }
            try Kind.files.remove(from: path, ownsChart: ownsChart)
        }
        try state.writeManifest()
        if resume { try Kind.writeTables(&state) }
        return Store(state, repeated: .counting(changes), lock: lock)
    }

    /// Opens a folder to read its results, or to draw its charts again.
    ///
    /// - Parameter asShard: Whether the folder is joined to others. It can then be without results, such as a shard
    ///   whose traces were all skipped.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` if the folder has no results or a broken file.
    public static func open(_ path: String, asShard: Bool = false) throws -> Store {
        guard ResultFile.isFolder(path) else {
            throw ResultsError(
                .notFound, file: path, "no such folder; name one that `cachereplay \(Kind.command) --output` wrote")
        }
        try ResultFile.checkReadable(path)
        var state = State(path)
        try Kind.read(&state, asShard: asShard)
        guard state.results.count > 0 || asShard else { throw ResultsError(.badData, file: path, Kind.emptiness) }
        return Store(state)
    }

    public static func holdsResults(_ path: String) -> Bool {
        Kind.marks.contains { name in
            let size = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int
            return size ?? 0 > 0
        }
    }

    /// Returns the content of `run.json`, or nil for a folder without it.
    static func manifest(in path: String, remedy: String = Kind.remedy) throws -> Manifest<Kind.Facts>? {
        let file = "\(path)/run.json"
        return ResultFile.exists(file) ? try JSONFile.read(Manifest<Kind.Facts>.self, at: file, remedy: remedy) : nil
    }

    /// Returns whether a folder has a `run.json` of this kind of command.
    public static func isOwn(_ path: String) -> Bool {
        (try? manifest(in: path))?.versions["cachereplay"] != nil
    }

    public var manifest: Manifest<Kind.Facts>? { state.withLock { $0.manifest } }

    /// Changes the content of `run.json`, which ``finish(at:)`` writes. `change` must not call this store.
    public func describe(_ change: (inout Manifest<Kind.Facts>) -> Void) {
        state.withLock { state in
            guard var manifest = state.manifest else { return }
            change(&manifest)
            state.manifest = manifest
        }
    }

    public var count: Int { state.withLock { $0.results.count } }

    var bytesWritten: Int { state.withLock { $0.files.bytesWritten } }

    /// Puts results and rows in order, and records the end of the command.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func finish(at end: Date) throws {
        try state.withLock { state in
            try Kind.finish(&state)
            state.manifest?.end = end
            try state.writeManifest()
        }
    }

    /// Puts the rows of the CSV files in the order of the command line, after an interruption.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func orderRows() throws {
        try state.withLock { if $0.results.count > 0 { try Kind.orderRows(&$0) } }
    }
}

/// The results of one kind of command, and the form of its folder.
///
/// All functions that can fail throw ``ResultsError``.
public protocol StoreKind: Sendable {
    associatedtype Facts: ManifestFacts

    /// The command that makes the results.
    static var command: String { get }
    static var files: OwnFiles { get }
    /// At least one of these files exists in a folder with results.
    static var marks: [String] { get }
    /// The text about a folder without results.
    static var emptiness: String { get }
    /// The remedy in the message of a damaged `run.json`, for a command that writes to the folder.
    static var remedy: String { get }

    init(in folder: String)
    var count: Int { get }

    /// Takes over the earlier results of a folder. Returns the reason for each that is not kept.
    static func resume(_ state: inout Store<Self>.State, after earlier: Manifest<Facts>?) throws -> [InputChange]
    /// Reads the results and the manifest of a folder that is not written to.
    static func read(_ state: inout Store<Self>.State, asShard: Bool) throws
    /// Writes the CSV files whole.
    static func writeTables(_ state: inout Store<Self>.State) throws
    /// Puts the rows of the CSV files in order.
    static func orderRows(_ state: inout Store<Self>.State) throws
    /// Puts the rows of the CSV files in order, and writes what is known at the end, except the manifest.
    static func finish(_ state: inout Store<Self>.State) throws

    /// Returns whether a shard has all results that its manifest states.
    static func isComplete(_ state: Store<Self>.State) -> Bool
    /// Completes the manifest of all shards, which begins as the manifest of the first one.
    static func join(_ shards: [Store<Self>], _ manifest: inout Manifest<Facts>, traces: Int) throws
    /// Adds the results of all shards to a store.
    static func join(_ shards: [Store<Self>], into target: Store<Self>, progress: () -> Void) throws
}

/// The files of a store, to which rows are appended.
struct StoredFiles: Sendable {
    let path: String
    /// The names of the files that have exactly the results so far, in any order, so that rows can be appended.
    private var complete: Set<String> = []
    /// The bytes that were handed to the file system: the measure of the cost of keeping results.
    var bytesWritten = 0

    init(path: String) { self.path = path }

    func areComplete(_ names: [String]) -> Bool { complete.isSuperset(of: names) }

    /// Replaces files by `write`, which returns the number of bytes. Until that has succeeded, no row is appended to
    /// them.
    mutating func replace(_ names: [String], _ write: () throws -> Int) throws {
        complete.subtract(names)
        bytesWritten += try write()
        complete.formUnion(names)
    }

    mutating func write(_ text: String, to name: String) throws {
        let file = "\(path)/\(name)"
        try replace([name]) {
            try ResultFile.write(text, to: file)
            return text.utf8.count
        }
    }

    /// Appends rows to a file.
    ///
    /// - Returns: The place of the rows; nil if the whole file has to be written, because it is not complete.
    mutating func append(_ rows: String, to name: String) throws -> Range<Int>? {
        // A failed append leaves a file that differs: the next one writes it whole.
        guard complete.remove(name) != nil else { return nil }
        guard let start = try ResultFile.append(Array(rows.utf8), to: "\(path)/\(name)") else { return nil }
        bytesWritten += rows.utf8.count
        complete.insert(name)
        return start..<start + rows.utf8.count
    }
}

extension ResultsError {
    /// The error for a folder whose results would be lost.
    package static func existingResults(in path: String, resumes: Bool = true) -> ResultsError {
        ResultsError(
            .cannotCreate, file: path,
            "holds results already; \(resumes ? "keep them with --resume, " : "")replace them with --force, or name "
                + "another folder")
    }
}

/// The files that a command writes to its output folder.
///
/// A file under one of these names belongs to the user unless the folder also has the file that shows that the command
/// wrote it. Files of the user are not overwritten, not even with `--force`.
public struct OwnFiles: Sendable {
    let names: [String]
    /// The endings of the files in folders below, by the name of the folder.
    private let folders: [String: [String]]
    private let mark: String
    private let origin: String
    private let isOwn: @Sendable (_ folder: String) -> Bool

    /// - Parameters:
    ///   - mark: The file that shows that the command wrote the others.
    ///   - origin: The writer, as in messages: `an earlier replay`.
    ///   - isOwn: Returns whether a folder has a `mark` that the command wrote.
    package init(
        _ names: [String], folders: [String: [String]] = [:], shownBy mark: String, of origin: String,
        isOwn: @escaping @Sendable (_ folder: String) -> Bool
    ) {
        (self.names, self.folders) = (names, folders)
        (self.mark, self.origin, self.isOwn) = (mark, origin, isOwn)
    }

    package func first(in folder: String) -> String? { names.first { ResultFile.exists("\(folder)/\($0)") } }

    /// Throws if a folder has one of the files, and the command did not write it.
    /// - Throws: ``ResultsError`` of kind `cannotCreate`.
    package func refuseForeign(in folder: String) throws {
        guard let name = first(in: folder), !isOwn(folder) else { return }
        throw ResultsError(
            .cannotCreate, file: folder,
            "holds a \(name), but no \(mark) of \(origin); name another folder with --output, or remove the file")
    }

    /// Removes the files, also in the folders below, and the charts.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package func remove(from folder: String, ownsChart: (_ file: String) -> Bool) throws {
        for name in names where name != mark { try ResultFile.remove("\(folder)/\(name)") }
        for (name, endings) in folders {
            try Self.remove(from: "\(folder)/\(name)") { file in endings.contains { file.hasSuffix(".\($0)") } }
            rmdir("\(folder)/\(name)")
        }
        try Self.removeCharts(from: folder, where: ownsChart)
        // Last, because without it the others count as files of the user.
        try ResultFile.remove("\(folder)/\(mark)")
    }

    /// Removes some of the files of `charts/`.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package static func removeCharts(from folder: String, where isOwn: (_ file: String) -> Bool) throws {
        try remove(from: "\(folder)/charts", where: isOwn)
    }

    private static func remove(from folder: String, where isOwn: (_ file: String) -> Bool) throws {
        guard ResultFile.isFolder(folder) else { return }
        for file in try ResultFile.list(folder).map({ "\(folder)/\($0)" }) where isOwn(file) {
            try ResultFile.remove(file)
        }
    }

    /// Returns whether a file is JSON with the members of a type.
    package static func isJSON<Value: Decodable>(_ file: String, of type: Value.Type) -> Bool {
        (try? JSONFile.read(type, at: file, remedy: "")) != nil
    }
}
