import Basics
import Foundation
import ReplayEngine

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
    /// What ``fleet`` says; nil before it is needed.
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

    /// Returns the result of exactly this run, or nil if the store does not have it.
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

    /// Returns the name of a run and those of the other caches in file names. It is never the name of a run in the same
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

    /// What the sessions say together; nil for a single session.
    ///
    /// Complexity: that of ``FleetStatistics/init(_:seed:resamples:threads:)`` for the first call after a new run.
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

    /// Returns what computes the statistics of the fleet, or has them; nil for a single session.
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
    /// The names of the CSV files.
    static let tables = ResultFiles.Rows.header.files.map(\.name)

    public static func resume(
        _ state: inout ReplayStore.State, after earlier: Manifest<ReplayFacts>?
    ) throws -> [InputChange] {
        guard let manifest = state.manifest else { return [] }
        let path = state.path
        if earlier == nil, !ResultFile.exists(RunLog.path(in: path)) { try files.refuseForeign(in: path) }
        let change = Manifest.change(from: earlier, to: manifest)
        // Another network makes results of one network those of several.
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

    /// Returns whether the CSV files have exactly the rows of the runs. Those of a replay that has ended have.
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
                let handles = try tables.map { try AtomicFile("\(path)/\($0)") }
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
