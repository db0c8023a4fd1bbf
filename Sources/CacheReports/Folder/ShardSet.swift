import Foundation
import ReplayEngine

extension RunDescription {
    /// The part of a replay that a shard made.
    public struct ShardSource: Codable, Sendable, Equatable {
        /// Counted from 1.
        public var number: Int
        /// The number of shards.
        public var count: Int
        /// The number of traces of the whole replay.
        public var traces: Int
        /// The SHA-256, in hexadecimal, of what determines the whole replay: traces, caches and settings.
        public var plan: String

        public init(number: Int, count: Int, traces: Int, plan: String) {
            (self.number, self.count, self.traces, self.plan) = (number, count, traces, plan)
        }
    }
}

/// The results of all shards of one replay.
public struct ShardSet: Sendable {
    /// The description of the whole replay.
    public let description: RunDescription
    /// In order of their numbers.
    private let folders: [ResultsFolder]

    /// Opens the folders, and checks that they are all shards of one replay, each complete.
    ///
    /// - Throws: ``ResultsError`` that names the folder, and what to do.
    public init(_ paths: [String]) throws {
        var found: [Int: (path: String, folder: ResultsFolder, description: RunDescription)] = [:]
        var first: (path: String, description: RunDescription)?
        for path in paths {
            let folder = try ResultsFolder.open(path, mayBeEmpty: true)
            guard let description = folder.description, let shard = description.shard else {
                throw ResultsError(.badData, file: path, "not made by `replay --shard`; name the folders of all shards")
            }
            if let first { try Self.check(path, description, against: first) } else { first = (path, description) }
            if let other = found[shard.number] {
                throw ResultsError(
                    .badData, file: path,
                    "shard \(shard.number) of \(shard.count), as is \(other.path); name one of the two")
            }
            guard description.end != nil, description.failed ?? 0 == 0, folder.count == description.runs else {
                throw ResultsError(
                    .badData, file: path,
                    "shard \(shard.number) of \(shard.count) is not complete; run its command again with --resume")
            }
            found[shard.number] = (path, folder, description)
        }
        guard let (path, sample) = first, let shard = sample.shard else {
            throw ResultsError(.notFound, file: "merge", "no shard is named; name the folders of all shards")
        }
        let missing = (1...shard.count).filter { found[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.prefix(20).map { "\($0)" }.joined(separator: ", ")
            throw ResultsError(
                .notFound, file: path,
                """
                \(missing.count) of \(shard.count) shards are missing: \(names)\(missing.count > 20 ? " …" : ""); name \
                their folders too, or make them with --shard NUMBER/\(shard.count)
                """)
        }
        guard found.contains(where: { $0.value.folder.count > 0 }) else {
            throw ResultsError(
                .badData, file: path, "no shard has a run, because no trace could be read; check the traces of run.json"
            )
        }
        let all = found.sorted { $0.key < $1.key }.map(\.value)
        folders = all.map(\.folder)
        description = try Self.joined(all.map { ($0.path, $0.description) }, shard)
    }

    /// Adds the runs of all shards to a folder.
    public func join(into target: ResultsFolder, progress: () -> Void) throws {
        for folder in folders {
            try folder.forEachResult { try target.add($0) }
            progress()
        }
    }

    private static func check(
        _ path: String, _ description: RunDescription, against first: (path: String, description: RunDescription)
    ) throws {
        let (one, other) = (first.description, description)
        func refuse(_ what: String) -> ResultsError {
            ResultsError(
                .badData, file: path, "has other \(what) than \(first.path); replay both shards with the same command")
        }
        guard one.versions["cachereplay"] == other.versions["cachereplay"] else {
            throw refuse("versions of cachereplay")
        }
        guard one.inputs == other.inputs else { throw refuse("programs, plugins or bodies") }
        guard one.costs?.sha256 == other.costs?.sha256 else { throw refuse("costs") }
        guard one.shard?.plan == other.shard?.plan, one.shard?.count == other.shard?.count else {
            throw refuse("traces, caches, settings or numbers of shards")
        }
    }

    private static func joined(
        _ shards: [(path: String, description: RunDescription)], _ shard: RunDescription.ShardSource
    ) throws -> RunDescription {
        var joined = shards[0].description
        joined.shard = nil
        joined.traces = shards.flatMap(\.description.traces).sorted { ($0.position ?? 0) < ($1.position ?? 0) }
        let positions = joined.traces.map { $0.position ?? -1 }
        guard positions == Array(0..<shard.traces) else {
            throw ResultsError(
                .badData, file: shards[0].path,
                "the shards have \(positions.count) of \(shard.traces) traces; replay all shards with the same traces")
        }
        for index in joined.traces.indices { joined.traces[index].position = nil }
        joined.caches = joined.caches.map { cache in
            var cache = cache
            for other in shards.lazy.flatMap(\.description.caches) where other.name == cache.name {
                cache.specifications.merge(other.specifications) { one, _ in one }
            }
            return cache
        }
        joined.skipped = shards.flatMap { $0.description.skipped ?? [] }
        if joined.skipped?.isEmpty == true { joined.skipped = nil }
        joined.runs = shards.reduce(0) { $0 + ($1.description.runs ?? 0) }
        joined.start = shards.map(\.description.start).min() ?? joined.start
        joined.end = shards.compactMap(\.description.end).max()
        joined.command = shards[0].description.command.filter { $0 != "--shard" && !$0.hasPrefix("--shard=") }
        return joined
    }
}
