import Foundation

/// The results of all shards of one simulation.
public struct SimulationShardSet: Sendable {
    /// The description of the whole simulation.
    public let description: SimulationDescription
    /// In order of their numbers.
    private let folders: [SimulationFolder]

    /// Returns whether a folder is that of a simulation, also if its shard has no rows.
    public static func isShard(_ path: String) -> Bool {
        struct Kind: Decodable { var kind: String }
        return (try? JSONFile.read(Kind.self, at: "\(path)/run.json", remedy: ""))?.kind == "simulation"
    }

    /// Opens the folders, and checks that they are all shards of one simulation, each complete.
    ///
    /// - Throws: ``ResultsError`` that names the folder, and what to do.
    public init(_ paths: [String]) throws {
        var descriptions: [SimulationDescription?] = []
        var opened: [SimulationFolder] = []
        let parts = try paths.map { path in
            guard ResultFile.isFolder(path) else {
                throw ResultsError(
                    .notFound, file: path, "no such folder; name one that `cachereplay simulate --output` wrote")
            }
            let description = try SimulationFolder.earlierDescription(
                in: path, remedy: "make the shard again with `simulate --shard`")
            descriptions.append(description)
            guard description?.end == nil || description?.rows != nil else {
                throw ResultsError(
                    .badData, file: path,
                    "run.json does not say how many rows it has, so a missing one would not show; simulate the shard "
                        + "again with this version")
            }
            opened.append(try SimulationFolder.open(path, mayBeEmpty: true))
            return ShardPart(
                path: path, source: description?.shard, version: description?.versions["cachereplay"],
                inputs: description?.inputs, isComplete: description?.end != nil)
        }
        let (order, _) = try ShardPart.ordered(parts, command: "simulate")
        folders = order.map { opened[$0] }
        let all = order.compactMap { descriptions[$0] }
        var joined = all[0]
        joined.shard = nil
        joined.command = ShardPart.whole(joined.command)
        joined.start = all.map(\.start).min() ?? joined.start
        joined.end = nil
        description = joined
    }

    /// Adds the results of all shards to a folder, in the order of the whole simulation.
    ///
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` if a row of a shard would be missing.
    public func join(into target: SimulationFolder, progress: () -> Void) throws {
        // Once for all traces, so that the work follows the rows.
        let rowsByTrace = folders.map { folder in
            folder.state.withLock { Dictionary(grouping: $0.rows, by: \.trace) }
        }
        let curvesByTrace = folders.map { folder in
            folder.state.withLock { Dictionary(grouping: $0.curves, by: \.trace) }
        }
        for (number, trace) in description.traces.enumerated() {
            let shards = rowsByTrace.map { $0[trace.name] ?? [] }
            var next = [Int](repeating: 0, count: shards.count)
            let count = shards.reduce(0) { $0 + $1.count }
            var rows: [MissRatioRow] = []
            // A row is in the shard of its place; see `--shard`.
            for place in 0..<count {
                let shard = (place + number) % shards.count
                guard next[shard] < shards[shard].count else { continue }
                rows.append(shards[shard][next[shard]])
                next[shard] += 1
            }
            guard rows.count == count else {
                throw ResultsError(
                    .badData, file: folders[0].path,
                    "the shards have rows of \(trace.name) that do not follow each other; simulate all shards again")
            }
            target.plan(rows.map(\.identity))
            for row in rows { try target.add(row) }
            for curves in curvesByTrace { try target.add(curves[trace.name] ?? []) }
        }
        let numbers = folders.map { folder in folder.state.withLock { ($0.rows.count, $0.curves.count) } }
        let (rows, points) = numbers.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        guard target.rows.count == rows, target.curves.count == points else {
            throw ResultsError(
                .badData, file: target.path,
                """
                has \(target.rows.count) of the \(rows) rows and \(target.curves.count) of the \(points) points of \
                curves \
                of the shards, because some are of no trace of run.json, or in several shards; simulate all shards again
                """)
        }
        for _ in folders { progress() }
    }
}
