import Basics
import Foundation
import ReplayEngine
import Synchronization

/// The folder of a replay's results.
///
///     let store = try ReplayStore.begin(at: path, manifest, resume: false)
///     if !store.isFinished(identity) { try store.add(run(identity)) }    // after each run, in any order
///     try store.finish(at: Date())
public typealias ReplayStore = Store<ReplayRuns>

/// The results of a replay.
///
/// Each finished run is one line of `runs.jsonl` (`RunLog`). Its rows are appended to the CSV files, which can always
/// be made again from `runs.jsonl`.
public struct ReplayRuns: StoreKind {
    public static let command = "replay"
    public static let files = OwnFiles(
        [
            "summary.csv", "latency.csv", "timeline.csv", "requests.csv", "requests.json", "run.json", "runs.jsonl",
            "details.jsonl", "thumbnails.jsonl", "report.html", "fleet.csv", "fleet-pairs.csv", "fleet-latency.csv",
        ], folders: ["requests": RequestsFormat.allCases.map(\.rawValue), "events": ["json"]],
        shownBy: "run.json", of: "an earlier replay"
    ) { ReplayStore.isOwn($0) }
    public static let marks = ["runs.jsonl"]
    public static let emptiness =
        "has no finished runs in runs.jsonl; name a whole results folder, because the CSV files are not enough"
    public static let remedy = "remove the file, or replay without --resume"

    var log: RunLog
    /// The figures of all sessions. It is made again from ``log`` if it has not as many runs.
    var fleet = FleetTable()
    /// The statistics of ``fleet``; nil before they are needed.
    var statistics: FleetStatistics?

    public init(in folder: String) { log = RunLog(folder) }

    public var count: Int { log.count }
}

extension Store<ReplayRuns> {
    /// Every finished run, in the order of the rows.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var results: [RunResult] {
        get throws {
            var results: [RunResult] = []
            try forEachResult { results.append($0) }
            return results
        }
    }

    /// Calls `body` with every finished run, in the order of the rows. At most `RunLog.mostInMemory` results are in
    /// memory at a time.
    ///
    /// `body` must not call this store. With `traces`, only the runs of the traces of these names are read.
    public func forEachResult(of traces: Set<String>? = nil, _ body: (RunResult) throws -> Void) throws {
        try state.withLock { try $0.forEach(of: traces, body) }
    }

    /// Returns whether the store has the result of exactly this run.
    public func isFinished(_ identity: RunIdentity) -> Bool { state.withLock { $0.results.log.contains(identity) } }

    public func finished(_ identity: RunIdentity) -> RunResult? {
        state.withLock { try? $0.results.log.result(identity) }
    }

    /// Keeps one finished run, and appends its rows to the CSV files.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`. A run whose line was written is kept in any case.
    public func add(_ result: RunResult) throws {
        // Outside of the lock: threads that finish runs make their rows at the same time.
        let json = try RunRecord.json(result, file: RunLog.path(in: path))
        let rows = ResultFiles.Rows(result, state.withLock { $0.style })
        try state.withLock { state in
            state.files.bytesWritten += json.count + 1
            let isNew = try state.results.log.append(result, json: json)
            state.results.fleet.add(result, network: state.network(of: result), user: result.user)
            state.results.statistics = nil
            var places: [Range<Int>] = []
            for (name, text) in rows.files {
                // A run without a timeline has no rows there, wherever they would be.
                guard !text.isEmpty || !isNew else {
                    places.append(0..<0)
                    continue
                }
                guard isNew, let place = try state.files.append(text, to: name) else {
                    return try ReplayRuns.writeTables(&state)
                }
                places.append(place)
            }
            state.results.log.setRows(places, of: result.identity)
        }
    }

    /// Returns the runs of a folder, in the order of the rows, and its `run.json`, also if the other files are missing.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    package static func read(_ path: String) throws -> (runs: [RunResult], manifest: Manifest<ReplayFacts>?) {
        let log = try RunLog.read(path, repairs: false)
        var state = State(path, try manifest(in: path))
        state.results.log = log
        var runs: [RunResult] = []
        try state.forEach { runs.append($0) }
        return (runs, state.manifest)
    }

    /// Returns the name of a run in file names. The network is part of it if the results have several ones.
    static func runName(_ identity: RunIdentity, _ manifest: Manifest<ReplayFacts>?) -> String {
        "\(traceName(identity, manifest))--\(SafeName(identity.cache))--\(identity.repetition)"
    }

    /// Returns the names of a run and of the other caches in file names. It is never the name of a run in the same
    /// results: no part of a name contains the dashes between parts.
    static func groupName(_ identity: RunIdentity, _ manifest: Manifest<ReplayFacts>?) -> String {
        "\(traceName(identity, manifest))--\(identity.repetition)"
    }

    private static func traceName(_ identity: RunIdentity, _ manifest: Manifest<ReplayFacts>?) -> String {
        let network = manifest?.facts.hasSeveralNetworks == true ? "--\(SafeName(identity.network))" : ""
        return "\(SafeName(identity.trace))\(network)"
    }
}

extension Store.State where Kind == ReplayRuns {
    /// The names of the traces, networks and caches, in the order of the command line.
    var order: RunLog.Order {
        .init(
            traces: manifest?.traces.map(\.name) ?? [],
            networks: (manifest?.networks ?? []).flatMap(ReplayFacts.names(ofNetwork:)),
            caches: manifest?.caches.map(\.name) ?? [])
    }

    /// Calls `body` with every finished run, in the order of the rows.
    func forEach(of traces: Set<String>? = nil, _ body: (RunResult) throws -> Void) throws {
        try results.log.forEach(order, of: traces, body)
    }
}

// MARK: Fleets

extension Store<ReplayRuns> {
    /// The number of sessions above which figures are shown of the whole fleet, and not of each session.
    public static var mostSingleSessions: Int { 20 }

    /// The seed of the resamples behind the intervals of a fleet.
    package static var seed: UInt64 { 1 }

    /// Whether there are so many sessions that tables, charts and the report show the fleet instead of each session.
    public var isFleet: Bool {
        get throws {
            try state.withLock { try $0.currentFleet().sessionCount > Self.mostSingleSessions }
        }
    }

    /// The statistics over the sessions; nil for a single session.
    ///
    /// Complexity: ``FleetStatistics/init(_:seed:resamples:threads:)`` in the first call after a new run.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var fleet: FleetStatistics? {
        get throws { try state.withLock { try $0.fleetStatistics() } }
    }

    /// The figures of all sessions, with the caches in the order of the rows.
    package var fleetTable: FleetTable {
        get throws { try state.withLock { try $0.arrangedFleet() } }
    }
}

extension Store.State where Kind == ReplayRuns {
    fileprivate mutating func fleetStatistics() throws -> FleetStatistics? {
        if results.statistics == nil { results.statistics = try fleetWork()?() }
        return results.statistics
    }

    /// Returns a function that computes the statistics of the fleet, or has them; nil for a single session.
    mutating func fleetWork() throws -> (@Sendable () -> FleetStatistics)? {
        if let statistics = results.statistics { return { statistics } }
        let fleet = try arrangedFleet()
        guard fleet.sessionCount > 1 else { return nil }
        let threshold = manifest?.relevanceThreshold ?? .standard
        return {
            FleetStatistics(
                fleet, seed: ReplayStore.seed, threads: ProcessInfo.processInfo.activeProcessorCount,
                relevanceThreshold: threshold)
        }
    }

    /// Returns the chosen network of a run if the results have several ones, each with figures of its own; otherwise
    /// nil.
    fileprivate func network(of result: RunResult) -> String? {
        guard let facts = manifest?.facts, facts.hasSeveralNetworks else { return nil }
        return facts.chosenNetwork(result.identity.network)
    }

    fileprivate mutating func arrangedFleet() throws -> FleetTable {
        try currentFleet().arranged(order.caches, (manifest?.networks ?? []) + order.networks)
    }

    /// Returns the figures of all sessions. A run that replaced another one is in the table twice: the table is then
    /// made again.
    fileprivate mutating func currentFleet() throws -> FleetTable {
        if results.fleet.runCount != results.log.count {
            var table = FleetTable()
            try forEach { table.add($0, network: network(of: $0), user: $0.user) }
            results.fleet = table
        }
        return results.fleet
    }
}

// MARK: Opening and ordering

extension ReplayRuns {
    static let tables = ResultFiles.Rows.header.files.map(\.name)

    public static func resume(
        _ state: inout ReplayStore.State, after earlier: Manifest<ReplayFacts>?
    ) throws -> [InputChange] {
        guard let manifest = state.manifest else { return [] }
        let path = state.path
        if earlier == nil, !ResultFile.exists(RunLog.path(in: path)) { try files.refuseForeign(in: path) }
        let change = Manifest.change(from: earlier, to: manifest)
        // Another network turns results of one network into results of several.
        let extended = earlier.map(manifest.keeping)
        var changes: [InputChange] = []
        state.results.log = try RunLog.read(path, repairs: true) { result in
            guard let change = change(result.identity.trace) else {
                try ReplayStore.renameFiles(of: result.identity, in: path, from: earlier, to: extended)
                return true
            }
            changes.append(change)
            try ReplayStore.removeRequests(of: result.identity, in: path, earlier)
            return false
        }
        return changes
    }

    /// CSV files that an interrupted replay left incomplete are made again, unless a replay is still running there.
    public static func read(_ state: inout ReplayStore.State, asShard: Bool) throws {
        try load(&state, asShard: asShard)
        // A process that writes to the folder has its lock.
        guard try !hasWholeTables(state), let lock = try? FolderLock(state.path) else { return }
        try withExtendedLifetime(lock) {
            // A replay can have added runs, or ended, meanwhile.
            try load(&state, asShard: asShard)
            if try !hasWholeTables(state) { try writeTables(&state) }
        }
    }

    private static func load(_ state: inout ReplayStore.State, asShard: Bool) throws {
        state.manifest = try ReplayStore.manifest(
            in: state.path, remedy: asShard ? "make the shard again with `replay --shard`" : "make the results again")
        var fleet = FleetTable()
        state.results.log = try RunLog.read(state.path, repairs: false) { result in
            fleet.add(result, network: state.network(of: result), user: result.user)
            return true
        }
        state.results.fleet = fleet
    }

    /// Returns whether the CSV files have exactly the rows of the runs. The files of a replay that has ended do.
    private static func hasWholeTables(_ state: ReplayStore.State) throws -> Bool {
        guard state.results.count > 0, state.manifest?.end == nil else { return true }
        var results: [RunResult] = []
        try state.forEach { results.append($0) }
        return ResultFiles.Rows.whole(results, state.style).files.allSatisfy { name, text in
            let lines = (try? ResultFile.text(at: "\(state.path)/\(name)"))?.split(separator: "\n")
            return lines?.sorted() == text.split(separator: "\n").sorted()
        }
    }

    public static func writeTables(_ state: inout ReplayStore.State) throws {
        let (path, style) = (state.path, state.style)
        var places: [(RunIdentity, [Range<Int>])] = []
        // The files are changed while the results are read.
        var files = state.files
        defer { state.files = files }
        try files.replace(tables) {
            var ends = [0, 0, 0]
            do {
                let handles = try tables.map { name in
                    try ResultFile.refusePipe("\(path)/\(name)")
                    return try AtomicFile("\(path)/\(name)")
                }
                func append(_ rows: ResultFiles.Rows) throws -> [Range<Int>] {
                    try rows.files.enumerated().map { index, file in
                        let bytes = Array(file.text.utf8)
                        try bytes.withUnsafeBytes { bytes in
                            try Result { () throws(FileError) in try handles[index].write(bytes) }.get()
                        }
                        defer { ends[index] += bytes.count }
                        return ends[index]..<ends[index] + bytes.count
                    }
                }
                _ = try append(.header)
                try state.forEach { places.append(($0.identity, try append(ResultFiles.Rows($0, style)))) }
                for handle in handles { try handle.commit() }
            } catch let error as FileError {
                throw ResultsError(error)
            }
            return ends.reduce(0, +)
        }
        for (identity, rows) in places { state.results.log.setRows(rows, of: identity) }
    }
}

// MARK: Shards

extension ReplayRuns {
    public static func isComplete(_ state: ReplayStore.State) -> Bool {
        state.manifest?.failed ?? 0 == 0 && state.results.count == state.manifest?.runs
    }

    public static func join(
        _ shards: [ReplayStore], _ joined: inout Manifest<ReplayFacts>, traces: Int
    ) throws {
        guard shards.contains(where: { $0.count > 0 }) else {
            throw ResultsError(
                .badData, file: shards[0].path,
                "no shard has a run, because no trace could be read; check the traces of run.json")
        }
        let all = shards.compactMap(\.manifest)
        joined.traces = all.flatMap(\.traces).sorted { ($0.position ?? 0) < ($1.position ?? 0) }
        let positions = joined.traces.map { $0.position ?? -1 }
        guard positions.elementsEqual(0..<traces) else {
            throw ResultsError(
                .badData, file: shards[0].path,
                "the shards have \(positions.count) of \(traces) traces; replay all shards with the same traces")
        }
        for index in joined.traces.indices { joined.traces[index].position = nil }
        let places = Dictionary(joined.caches.enumerated().map { ($1.name, $0) }) { one, _ in one }
        for other in all.lazy.flatMap(\.caches) {
            guard let place = places[other.name] else { continue }
            joined.facts.caches[place].specifications.merge(other.specifications) { one, _ in one }
        }
        joined.runs = all.reduce(0) { $0 + ($1.runs ?? 0) }
    }

    public static func join(_ shards: [ReplayStore], into target: ReplayStore, progress: () -> Void) throws {
        let joined = target.manifest
        for shard in shards {
            let manifest = shard.manifest
            let files = ReplayStore.runFiles.filter { ResultFile.isFolder("\(shard.path)/\($0.folder)") }
            for file in files { try ResultFile.makeFolder("\(target.path)/\(file.folder)") }
            try shard.forEachResult { result in
                try target.add(result)
                let name = ReplayStore.runName(result.identity, manifest)
                let newName = ReplayStore.runName(result.identity, joined)
                for (folder, ending) in files {
                    let file = "\(shard.path)/\(folder)/\(name).\(ending)"
                    guard ResultFile.exists(file) else { continue }
                    try FileRanges.copy(file, to: "\(target.path)/\(folder)/\(newName).\(ending)")
                }
            }
            progress()
        }
    }
}

/// `details.jsonl`: the runs whose timelines and films `report.html` shows, of results that keep none of all runs.
///
/// The file has the form of `runs.jsonl`. It may be absent: the report then says what it lacks.
extension Store<ReplayRuns> {
    /// The most runs whose timelines and films are kept beside results without them.
    public static var mostDetails: Int { 50 }

    /// Keeps runs with their timelines, in place of earlier ones.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func keepDetails(_ runs: [RunResult]) throws {
        let file = "\(path)/details.jsonl"
        guard !runs.isEmpty else { return try ResultFile.remove(file) }
        // The report says what it lacks of a run whose line is too long to be read again.
        let lines = try runs.map { try RunRecord.json($0, file: file) }.filter { $0.count <= FileLines.longest }
        try ResultFile.write(lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined(), to: file)
    }

    /// Returns the runs that ``keepDetails(_:)`` kept in a folder.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    package static func details(in folder: String) throws -> [RunResult] {
        let file = "\(folder)/details.jsonl"
        var details: [RunResult] = []
        var log = LineLog<RunResult>(file, damage: "is no run; remove the file, and the report has no timelines")
        do { try log.read { run, _ in details.append(run) } } catch let error as ResultsError {
            guard let line = error.line else { throw error }
            throw ResultsError(.badData, file: file, "line \(line) \(error.message)")
        }
        return details
    }

    /// Returns the runs with the timelines, films and causes that ``keepDetails(_:)`` kept of them.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    package func withDetails(_ runs: [RunResult]) throws -> [RunResult] {
        let details = Dictionary(try Self.details(in: path).map { ($0.identity, $0) }) { $1 }
        return runs.map { run in
            guard run.timeline.isEmpty, let detail = details[run.identity] else { return run }
            var run = run
            (run.timeline, run.film, run.causes) = (detail.timeline, detail.film, detail.causes)
            run.places = detail.places
            (run.marks, run.omittedMarks) = (detail.marks, detail.omittedMarks)
            return run
        }
    }
}

// The order of the rows, and the files that are written at the end. Files do not depend on each other, so all are
// written at the same time: a thread that commits a file waits for the disk, while another computes statistics.
extension ReplayRuns {
    public static func orderRows(_ state: inout ReplayStore.State) throws {
        let unordered = try unorderedTables(&state)
        guard !unordered.isEmpty else { return }
        try state.files.replace(tables) { try FileWork.all(unordered) }
        moveRows(&state)
    }

    public static func finish(_ state: inout ReplayStore.State) throws {
        let unordered = try unorderedTables(&state)
        let (path, style, order) = (state.path, state.style, state.order)
        var steps = unordered
        let statistics = Mutex<FleetStatistics?>(nil)
        if let fleet = try state.fleetWork() {
            steps.append {
                let fleet = fleet()
                statistics.withLock { $0 = fleet }
                return try FileWork.all(
                    fleet.csv(style).map { name, text in
                        {
                            try ResultFile.write(text, to: "\(path)/\(name)")
                            return text.utf8.count
                        }
                    })
            }
        }
        let hasOrderedLines = Mutex(false)
        if let ordering = state.results.log.ordering(order) {
            steps.append {
                let bytes = try ordering()
                hasOrderedLines.withLock { $0 = true }
                return bytes
            }
        } else {
            state.results.log.flush()
        }
        // Also if another file was not written.
        defer { if hasOrderedLines.withLock(\.self) { state.results.log.moveLines(order) } }
        // The places of rows follow the old order until all files are written.
        try state.files.replace(tables) { try FileWork.all(steps) }
        state.results.statistics = statistics.withLock(\.self)
        if !unordered.isEmpty { moveRows(&state) }
    }

    /// Returns the steps that write the CSV files whose rows are not in order. Files that are not complete are written
    /// whole.
    private static func unorderedTables(_ state: inout ReplayStore.State) throws -> [FileWork.Step] {
        let places = state.results.log.orderedPlaces(state.order)
        guard state.files.areComplete(tables), places.allSatisfy({ $0.rows.count == tables.count }) else {
            try writeTables(&state)
            return []
        }
        let path = state.path
        return ResultFiles.Rows.header.files.enumerated().compactMap { table, header in
            let rows = places.map { $0.rows[table] }.filter { !$0.isEmpty }
            guard zip(rows, rows.dropFirst()).contains(where: { $0.lowerBound > $1.lowerBound }) else { return nil }
            let target = "\(path)/\(header.name)"
            return { try FileRanges.copy(rows, after: header.text, of: target, to: target) }
        }
    }

    /// Takes the rows as in files in which all of them are in order.
    private static func moveRows(_ state: inout ReplayStore.State) {
        state.results.log.moveRows(headers: ResultFiles.Rows.header.files.map { $0.text.utf8.count }, state.order)
    }
}

/// The small pictures of the images of one session, which the phones of `report.html` show.
public struct SessionThumbnails: Codable, Sendable, Equatable {
    /// The name of the trace.
    public var trace: String
    /// For each cell of the session's film, in order of appearance, the place of its picture in ``images``; -1 for
    /// none.
    public var cells: [Int]
    /// WebP files in Base64.
    public var images: [String]

    public init(trace: String, cells: [Int] = [], images: [String] = []) {
        (self.trace, self.cells, self.images) = (trace, cells, images)
    }

    /// Whether each cell names a picture or none, and each picture is Base64.
    var isValid: Bool {
        cells.count <= Film.mostCells && cells.allSatisfy { $0 >= -1 && $0 < images.count }
            && images.allSatisfy { image in
                image.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
                    default: false
                    }
                }
            }
    }
}

/// `thumbnails.jsonl`: the small pictures of the sessions of a replay of kept bodies, one line for each session.
extension Store<ReplayRuns> {
    /// The bytes of Base64 that the pictures of a replay have at most.
    public static var mostThumbnailBytes: Int { 1_000_000 }

    /// Keeps the pictures of sessions, in place of earlier ones.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func keepThumbnails(_ sessions: [SessionThumbnails]) throws {
        let file = "\(path)/thumbnails.jsonl"
        let shown = sessions.filter { !$0.images.isEmpty }
        guard !shown.isEmpty else { return try ResultFile.remove(file) }
        try ResultFile.write(try shown.map { try JSONFile.text($0, file: file, .line) }.joined(), to: file)
    }

    /// The pictures of the sessions; none if the replay kept none.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var thumbnails: [SessionThumbnails] {
        get throws { try Self.thumbnails(in: path) }
    }

    /// Returns the pictures that a folder of results holds.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public static func thumbnails(in folder: String) throws -> [SessionThumbnails] {
        let file = "\(folder)/thumbnails.jsonl"
        let damage = "is no list of pictures; remove the file, and the report has none"
        var sessions: [SessionThumbnails] = []
        var log = LineLog<SessionThumbnails>(file, damage: damage)
        do { try log.read { session, _ in sessions.append(session) } } catch let error as ResultsError {
            guard let line = error.line else { throw error }
            throw ResultsError(.badData, file: file, "line \(line) \(error.message)")
        }
        if let number = sessions.firstIndex(where: { !$0.isValid }) {
            throw ResultsError(.badData, file: file, "line \(number + 1) \(damage)")
        }
        return sessions
    }
}

public enum RequestsFormat: String, Sendable, Codable, CaseIterable {
    case csv, json

    public func rows(_ requests: [RequestRow], of identity: RunIdentity) -> String {
        let rows = requests.map { RequestColumns.Row(identity, $0) }
        switch self {
        case .csv: return CSVText.rows(RequestColumns.all, rows)
        case .json:
            var writer = JSONWriter(escapes: .none)
            for row in rows {
                writer.object { object in
                    for column in RequestColumns.all {
                        let value = column.value(row)
                        object.key(column.name)
                        switch value {
                        case .text(let text): object.string(text)
                        case .absent: object.null()
                        case .integer, .real: object.number(column.unit.written(value))
                        }
                    }
                }
                writer.breakLine()
            }
            return writer.text + (rows.isEmpty ? "" : "\n")
        }
    }

    /// Returns a file of the rows of several runs, whose texts are exact.
    func file(_ runs: [String], _ style: CSVStyle) throws -> String {
        switch self {
        case .csv where style == .safe:
            CSVText.header(RequestColumns.all)
                + (try CSVReader.records(of: runs.joined(), file: "requests.csv"))
                .map { CSVText.line($0.fields.map(style.written)) }.joined()
        case .csv: CSVText.header(RequestColumns.all) + runs.joined()
        case .json: "[\n" + runs.filter { !$0.isEmpty }.map { $0.dropLast() }.joined(separator: ",\n") + "\n]\n"
        }
    }
}

extension Store<ReplayRuns> {
    /// Keeps the rows of the requests of one run.
    ///
    /// - Parameter rows: From ``RequestsFormat/rows(_:of:)``.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func addRequests(_ rows: String, of identity: RunIdentity, as format: RequestsFormat) throws {
        try ResultFile.makeFolder("\(path)/requests")
        try ResultFile.write(rows, to: Self.requestsFile(identity, in: path, manifest, format))
    }

    /// Writes `requests.csv` or `requests.json` from the rows of all runs, in the order of the other files.
    ///
    /// - Returns: The name of the file, and the number of runs without rows: a replay without this file made them.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func finishRequests(as format: RequestsFormat) throws -> (file: String, missing: Int) {
        var runs: [String] = []
        var missing = 0
        let manifest = manifest
        try forEachResult { result in
            let file = Self.requestsFile(result.identity, in: path, manifest, format)
            if ResultFile.exists(file) { runs.append(try ResultFile.text(at: file)) } else { missing += 1 }
        }
        let name = "requests.\(format.rawValue)"
        let style = state.withLock { $0.style }
        try ResultFile.write(try format.file(runs, style), to: "\(path)/\(name)")
        return (name, missing)
    }

    /// Removes the rows of a run's requests. `manifest` belongs to the replay that made the run.
    static func removeRequests(of run: RunIdentity, in path: String, _ manifest: Manifest<ReplayFacts>?) throws {
        for format in RequestsFormat.allCases { try ResultFile.remove(requestsFile(run, in: path, manifest, format)) }
    }

    /// The folders of the files that each run has by itself, with their endings: its requests and its events.
    static var runFiles: [(folder: String, ending: String)] {
        RequestsFormat.allCases.map { (folder: "requests", ending: $0.rawValue) }
            + [(folder: "events", ending: "json")]
    }

    /// Gives the files of a run, written among `earlier` results, the names that they have in other results.
    static func renameFiles(
        of run: RunIdentity, in path: String, from earlier: Manifest<ReplayFacts>?, to manifest: Manifest<ReplayFacts>?
    ) throws {
        let (old, new) = (runName(run, earlier), runName(run, manifest))
        guard old != new else { return }
        for (folder, ending) in runFiles {
            try ResultFile.move("\(path)/\(folder)/\(old).\(ending)", to: "\(path)/\(folder)/\(new).\(ending)")
        }
    }

    private static func requestsFile(
        _ run: RunIdentity, in path: String, _ manifest: Manifest<ReplayFacts>?, _ format: RequestsFormat
    ) -> String {
        "\(path)/requests/\(runName(run, manifest)).\(format.rawValue)"
    }
}

/// `events/`: the course of each run as a Chrome trace, with `replay --events`, and the courses of all caches of a
/// trace.
extension Store<ReplayRuns> {
    /// Writes the events of a run.
    /// - Throws: ``ResultsError`` if the file cannot be written.
    public func addEvents(of run: RunIdentity, _ write: (AtomicFile) throws -> Void) throws {
        try ResultFile.makeFolder("\(path)/events")
        try ResultFile.write(to: "\(path)/events/\(Self.runName(run, manifest)).json", write)
    }

    /// Writes, for each trace, network and repeat with several caches, a file with the events of all of them.
    ///
    /// - Parameter join: Writes the content of a file from the contents of the runs, which are in the order of the
    ///   rows.
    /// - Returns: The number of runs without events: a replay without them made these runs.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func finishEvents(_ join: (_ files: [String], AtomicFile) throws -> Void) throws -> Int {
        var groups: [String: [String]] = [:]
        var missing = 0
        let manifest = manifest
        try forEachResult { result in
            let file = "\(path)/events/\(Self.runName(result.identity, manifest)).json"
            guard ResultFile.exists(file) else { return missing += 1 }
            groups[Self.groupName(result.identity, manifest), default: []].append(file)
            // The file of a folder that had one network.
            try ResultFile.remove("\(path)/events/\(Self.groupName(result.identity, nil)).json")
        }
        for (name, files) in groups where files.count > 1 {
            try ResultFile.write(to: "\(path)/events/\(name).json") { try join(files, $0) }
        }
        return missing
    }
}
