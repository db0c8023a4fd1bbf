import Basics
import Foundation
import ReplayEngine

/// `runs.jsonl`: the finished runs of a results folder, one line of JSON for each, and their places.
///
/// Memory grows by some 100 bytes for each run: results are read again when they are needed, but the results of a small
/// folder stay in memory.
struct RunLog {
    /// The identity of a run within a folder, by the numbers of its names.
    private struct Key: Hashable {
        var trace: Int32
        var network: Int32
        var cache: Int32
        var repetition: Int32
    }

    /// The order of the runs: by trace, by network, by cache, and by repeat. Other names come last, in order.
    struct Order {
        var traces: [String]
        var networks: [String]
        var caches: [String]
    }

    /// The place of a run in the files.
    struct Place {
        /// The bytes of the line in `runs.jsonl`, with its line break.
        var line: Range<Int>
        /// The bytes of the rows in each CSV file, in the order of ``ResultFiles/Rows/files``; empty if unknown.
        var rows: [Range<Int>] = []
        /// The hash of the identity.
        fileprivate var identity: Int
    }

    private var file: LineLog<RunResult>
    private var traces = NameList()
    private var networks = NameList()
    private var caches = NameList()
    private var places: [Key: Place] = [:]
    /// The results by their key; empty if there are more than ``mostInMemory``.
    private var kept: [Key: RunResult] = [:]

    /// The most results that stay in memory.
    static let mostInMemory = 2_000

    init(_ folder: String) {
        file = LineLog(
            Self.path(in: folder),
            damage: "not the whole result of a run; remove the line and replay with --resume")
    }

    static func path(in folder: String) -> String { "\(folder)/runs.jsonl" }

    var count: Int { places.count }

    /// Reads the runs of a file.
    ///
    /// - Parameters:
    ///   - isKept: Returns whether a run stays in the log; it is called once for each run, in the order of the file.
    ///   - repairs: Whether the file is cut to its whole lines, and rewritten without the runs that do not stay.
    /// - Throws: ``ResultsError``: `ioError`, or `badData` with the line.
    static func read(
        _ folder: String, repairs: Bool, keeping isKept: (RunResult) throws -> Bool = { _ in true }
    ) throws -> RunLog {
        var log = RunLog(folder)
        var (file, removed) = (log.file, false)
        try file.read { result, line in
            if try isKept(result) { log.insert(result, line) } else { removed = true }
        }
        log.file = file
        if repairs {
            if removed {
                let kept = log.places.sorted { $0.value.line.lowerBound < $1.value.line.lowerBound }
                try log.rewrite(kept.map { ($0.key, $0.value) })
            }
            try log.file.cut()
        }
        return log
    }

    /// Returns whether exactly this run is in the log.
    func contains(_ identity: RunIdentity) -> Bool {
        guard let key = key(identity), let place = places[key] else { return false }
        return place.identity == identity.hashValue
    }

    /// Returns the result of exactly this run, or nil if the log does not have it.
    func result(_ identity: RunIdentity) throws -> RunResult? {
        guard let key = key(identity), let place = places[key], place.identity == identity.hashValue else { return nil }
        let result = try kept[key] ?? file.line(at: place.line)
        return result.identity == identity ? result : nil
    }

    /// Appends a run, or replaces it.
    ///
    /// - Returns: Whether the run is new.
    mutating func append(_ result: RunResult, json: [UInt8]) throws -> Bool {
        guard json.count <= FileLines.longest else {
            throw ResultsError(
                .badData, file: file.path,
                """
                the result of \(result.identity.trace) with \(result.identity.cache) has \(json.count >> 20) MB, more \
                than is kept of a run; replay with a longer step of --timeline
                """)
        }
        return insert(result, try file.append(json))
    }

    mutating func setRows(_ rows: [Range<Int>], of identity: RunIdentity) {
        if let key = key(identity) { places[key]?.rows = rows }
    }

    /// Takes the rows of runs as in files in which they follow a header, in an order.
    mutating func moveRows(headers: [Int], _ order: Order) {
        var ends = headers
        for (key, place) in ordered(order) {
            places[key]?.rows = place.rows.enumerated().map { index, rows in
                defer { ends[index] += rows.count }
                return ends[index]..<ends[index] + rows.count
            }
        }
    }

    /// Calls `body` with each run, in an order.
    /// - Parameter selected: The names of the traces whose runs are read; nil for all.
    func forEach(_ order: Order, of selected: Set<String>? = nil, _ body: (RunResult) throws -> Void) throws {
        let numbers = selected.map { names in Set(names.compactMap { traces.numbers[$0] }) }
        for (key, place) in ordered(order) where numbers?.contains(key.trace) != false {
            try body(try kept[key] ?? file.line(at: place.line))
        }
    }

    func orderedPlaces(_ order: Order) -> [Place] { ordered(order).map(\.1) }

    /// Returns a step that writes the lines in an order; nil if the file has exactly these lines in this order.
    /// ``moveLines(_:)`` follows.
    func ordering(_ order: Order) -> FileWork.Step? {
        let lines = orderedPlaces(order).map(\.line)
        var end = 0
        let isSorted = lines.allSatisfy { line in
            defer { end = line.upperBound }
            return line.lowerBound == end
        }
        if isSorted, end == file.length { return nil }
        let file = file
        return { try file.write(lines) }
    }

    /// Takes the lines as in a file in which they are in an order.
    mutating func moveLines(_ order: Order) { move(ordered(order)) }

    /// Flushes the file to the disk.
    mutating func flush() { file.flush() }

    /// Writes the file again with these runs only.
    private mutating func rewrite(_ ordered: [(Key, Place)]) throws {
        _ = try file.write(ordered.map(\.1.line))
        move(ordered)
    }

    private mutating func move(_ ordered: [(Key, Place)]) {
        file.take(length: ordered.reduce(0) { $0 + $1.1.line.count })
        var end = 0
        for (key, place) in ordered {
            places[key]?.line = end..<end + place.line.count
            end += place.line.count
        }
    }

    // MARK: Names

    @discardableResult
    private mutating func insert(_ result: RunResult, _ line: Range<Int>) -> Bool {
        let identity = result.identity
        let key = Key(
            trace: traces.number(of: identity.trace), network: networks.number(of: identity.network),
            cache: caches.number(of: identity.cache), repetition: Int32(clamping: identity.repetition))
        let isNew = places.updateValue(Place(line: line, identity: identity.hashValue), forKey: key) == nil
        if places.count <= Self.mostInMemory { kept[key] = result } else { kept = [:] }
        return isNew
    }

    private func key(_ identity: RunIdentity) -> Key? {
        guard let trace = traces.numbers[identity.trace], let network = networks.numbers[identity.network],
            let cache = caches.numbers[identity.cache]
        else { return nil }
        return Key(
            trace: trace, network: network, cache: cache, repetition: Int32(clamping: identity.repetition))
    }

    private func ordered(_ order: Order) -> [(Key, Place)] {
        let traces = traces.ranks(after: order.traces)
        let networks = networks.ranks(after: order.networks)
        let caches = caches.ranks(of: SweptValue.ordered(names: caches.names(after: order.caches)))
        func rank(_ key: Key) -> (Int, Int, Int, Int32) {
            (traces[Int(key.trace)], networks[Int(key.network)], caches[Int(key.cache)], key.repetition)
        }
        return places.sorted { rank($0.key) < rank($1.key) }.map { ($0.key, $0.value) }
    }

    /// Names, numbered in the order in which they first occur.
    private struct NameList {
        var numbers: [String: Int32] = [:]

        mutating func number(of name: String) -> Int32 {
            if let number = numbers[name] { return number }
            let number = Int32(numbers.count)
            numbers[name] = number
            return number
        }

        /// Returns the names `first`, and behind them the others, in order of the names.
        func names(after first: [String]) -> [String] {
            let known = Set(first)
            return first + numbers.keys.filter { !known.contains($0) }.sorted()
        }

        /// Returns the rank of each number: the place of its name in `names(after:)`.
        func ranks(after first: [String]) -> [Int] { ranks(of: names(after: first)) }

        /// Returns the rank of each number: the place of its name in `order`, which has all names.
        func ranks(of order: [String]) -> [Int] {
            let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
            var ranks = [Int](repeating: 0, count: numbers.count)
            for (name, number) in numbers { ranks[Int(number)] = places[name] ?? 0 }
            return ranks
        }
    }
}
