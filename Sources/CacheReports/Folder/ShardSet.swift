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

        /// The largest number of shards.
        public static let most = 100_000

        public init(number: Int, count: Int, traces: Int, plan: String) {
            (self.number, self.count, self.traces, self.plan) = (number, count, traces, plan)
        }

        /// - Throws: `DecodingError` for numbers that no shard has.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            func number(_ key: CodingKeys, _ range: ClosedRange<Int>) throws -> Int {
                let number = try values.decode(Int.self, forKey: key)
                guard range.contains(number) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: key, in: values,
                        debugDescription: "expected \(range.lowerBound) to \(range.upperBound)")
                }
                return number
            }
            count = try number(.count, 1...Self.most)
            self.number = try number(.number, 1...count)
            traces = try number(.traces, 0...Int.max)
            plan = try values.decode(String.self, forKey: .plan)
        }
    }
}

/// What is known about the folder of a shard, before shards are joined.
struct ShardPart {
    var path: String
    /// nil for a folder that is no shard.
    var source: RunDescription.ShardSource?
    var version: String?
    var inputs: RunInputs?
    /// The SHA-256 of costs that are not the standard ones.
    var costs: String?
    var isComplete: Bool

    /// Checks that the parts are all shards of one plan, each complete.
    ///
    /// - Parameter command: The command that makes the shards.
    /// - Returns: The places of the parts in order of their numbers, and the first part's facts.
    /// - Throws: ``ResultsError`` that names the folder, and what to do.
    static func ordered(
        _ parts: [ShardPart], command: String
    ) throws -> (places: [Int], shard: RunDescription.ShardSource) {
        var places: [Int: Int] = [:]
        for (place, part) in parts.enumerated() {
            guard let shard = part.source else {
                throw ResultsError(
                    .badData, file: part.path, "not made by `\(command) --shard`; name the folders of all shards")
            }
            if place > 0 { try part.check(against: parts[0], command: command) }
            if let other = places[shard.number] {
                throw ResultsError(
                    .badData, file: part.path,
                    "shard \(shard.number) of \(shard.count), as is \(parts[other].path); name one of the two")
            }
            guard part.isComplete else {
                throw ResultsError(
                    .badData, file: part.path,
                    "shard \(shard.number) of \(shard.count) is not complete; run its command again with --resume")
            }
            places[shard.number] = place
        }
        guard let first = parts.first, let shard = first.source else {
            throw ResultsError(.notFound, file: "merge", "no shard is named; name the folders of all shards")
        }
        let missing = (1...shard.count).filter { places[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.prefix(20).map { "\($0)" }.joined(separator: ", ")
            throw ResultsError(
                .notFound, file: first.path,
                """
                \(missing.count) of \(shard.count) shards are missing: \(names)\(missing.count > 20 ? " …" : ""); name \
                their folders too, or make them with --shard NUMBER/\(shard.count)
                """)
        }
        return (places.sorted { $0.key < $1.key }.map(\.value), shard)
    }

    private func check(against first: ShardPart, command: String) throws {
        func refuse(_ what: String) -> ResultsError {
            ResultsError(
                .badData, file: path,
                "has other \(what) than \(first.path); make both shards with the same \(command) command")
        }
        guard version == first.version else { throw refuse("versions of cachereplay") }
        guard inputs == first.inputs else { throw refuse("programs, plugins or bodies") }
        guard costs == first.costs else { throw refuse("costs") }
        guard source?.plan == first.source?.plan, source?.count == first.source?.count else {
            throw refuse("traces, caches, settings or numbers of shards")
        }
    }

    /// Returns a command without its `--shard`.
    static func whole(_ command: [String]) -> [String] {
        var whole: [String] = []
        var isValue = false
        for argument in command {
            defer { isValue = argument == "--shard" }
            if !isValue, argument != "--shard", !argument.hasPrefix("--shard=") { whole.append(argument) }
        }
        return whole
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
        var opened: [(path: String, folder: ResultsFolder, description: RunDescription)] = []
        let parts = try paths.map { path in
            let folder = try ResultsFolder.open(path, mayBeEmpty: true)
            let description = folder.description
            if let description { opened.append((path, folder, description)) }
            return ShardPart(
                path: path, source: description?.shard, version: description?.versions["cachereplay"],
                inputs: description?.inputs, costs: description?.costs?.sha256,
                isComplete: description?.end != nil && description?.failed ?? 0 == 0
                    && folder.count == description?.runs)
        }
        let (order, shard) = try ShardPart.ordered(parts, command: "replay")
        let all = order.map { opened[$0] }
        guard all.contains(where: { $0.folder.count > 0 }) else {
            throw ResultsError(
                .badData, file: paths[0],
                "no shard has a run, because no trace could be read; check the traces of run.json")
        }
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

    private static func joined(
        _ shards: [(path: String, description: RunDescription)], _ shard: RunDescription.ShardSource
    ) throws -> RunDescription {
        var joined = shards[0].description
        joined.shard = nil
        joined.traces = shards.flatMap(\.description.traces).sorted { ($0.position ?? 0) < ($1.position ?? 0) }
        let positions = joined.traces.map { $0.position ?? -1 }
        guard positions.elementsEqual(0..<shard.traces) else {
            throw ResultsError(
                .badData, file: shards[0].path,
                "the shards have \(positions.count) of \(shard.traces) traces; replay all shards with the same traces")
        }
        for index in joined.traces.indices { joined.traces[index].position = nil }
        let places = Dictionary(joined.caches.enumerated().map { ($1.name, $0) }) { one, _ in one }
        for other in shards.lazy.flatMap(\.description.caches) {
            guard let place = places[other.name] else { continue }
            joined.caches[place].specifications.merge(other.specifications) { one, _ in one }
        }
        joined.skipped = shards.flatMap { $0.description.skipped ?? [] }
        if joined.skipped?.isEmpty == true { joined.skipped = nil }
        joined.runs = shards.reduce(0) { $0 + ($1.description.runs ?? 0) }
        joined.start = shards.map(\.description.start).min() ?? joined.start
        joined.end = shards.compactMap(\.description.end).max()
        joined.command = ShardPart.whole(shards[0].description.command)
        return joined
    }
}
