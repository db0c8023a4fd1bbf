import Basics
import Foundation
import ReplayEngine

/// How the causes of misses and blank time of one trace and cache changed between two results.
public struct CauseChange: Sendable, Equatable {
    public var trace: String
    public var cache: String
    /// The causes with more misses than before, the largest change first.
    public var misses: [Misses]
    /// The waits with more blank time than before, the largest change first.
    public var waits: [BlankTime]

    /// The misses of a tier with one cause, per repeat.
    public struct Misses: Sendable, Equatable {
        public var tier: RunExplanation.Tier
        public var cause: MissCause
        public var baseline: Double
        public var candidate: Double

        var change: Double { candidate - baseline }
    }

    /// The blank time that one wait takes, in seconds, per repeat.
    public struct BlankTime: Sendable, Equatable {
        public var wait: Wait
        public var baseline: Double
        public var candidate: Double

        var change: Double { candidate - baseline }
    }

    /// - Returns: nil if no cause and no wait grew.
    init?(_ key: RunGroup.Key, _ baseline: CauseSums, _ candidate: CauseSums) {
        (trace, cache) = (key.trace, key.cache)
        misses = RunExplanation.Tier.allCases.flatMap { tier in
            MissCause.allCases.map {
                Misses(
                    tier: tier, cause: $0, baseline: baseline.misses(tier, $0), candidate: candidate.misses(tier, $0))
            }
        }
        waits = Wait.allCases.map {
            BlankTime(wait: $0, baseline: baseline.seconds($0), candidate: candidate.seconds($0))
        }
        misses = misses.filter { $0.change > 0 }.sorted { $0.change > $1.change }
        // Less would read as 0.0 ms.
        waits = waits.filter { $0.change >= 5e-5 }.sorted { $0.change > $1.change }
        if misses.isEmpty, waits.isEmpty { return nil }
    }

    /// The changes in a sentence for each tier and one for the blank time, with the three largest parts of each.
    var text: String {
        var parts = RunExplanation.Tier.allCases.compactMap { tier -> String? in
            let grown = misses.filter { $0.tier == tier }
            guard !grown.isEmpty else { return nil }
            return "more misses of \(tier.rawValue): "
                + Self.list(grown.map { "+\(Self.count($0.change)) \($0.cause.title)" })
        }
        if !waits.isEmpty {
            parts.append(
                "more blank time: "
                    + Self.list(waits.map { "+\(HumanText.milliseconds($0.change * 1_000, 1)) \($0.wait.title)" }))
        }
        return parts.joined(separator: "; ")
    }

    private static func list(_ parts: [String]) -> String {
        parts.prefix(3).joined(separator: ", ") + (parts.count > 3 ? " and \(parts.count - 3) more" : "")
    }

    /// The mean over repeats can be a fraction.
    private static func count(_ value: Double) -> String { value.fixed(value == value.rounded() ? 0 : 1) }
}

extension ResultSet {
    /// Returns the causes of groups: those of the runs themselves or, for groups without, those of `requests.csv`.
    ///
    /// - Throws: ``ResultsError``: `ioError`, or `badData` with the line.
    func causes(of groups: [RunGroup.Key]) throws -> [RunGroup.Key: CauseSums] {
        let missing = Set(groups).subtracting(causes.keys)
        guard !missing.isEmpty, let folder else { return causes }
        return causes.merging(try CauseSums.read(folder, missing)) { $1 }
    }
}

/// The causes and waits of one trace and cache, summed over the requests of all repeats.
struct CauseSums {
    private var repeats: Set<String> = []
    private var misses: [String: Int] = [:]
    private var microseconds: [Wait: Double] = [:]

    func misses(_ tier: RunExplanation.Tier, _ cause: MissCause) -> Double {
        Double(misses["\(tier.rawValue) \(cause.name)"] ?? 0) / Double(max(repeats.count, 1))
    }

    func seconds(_ wait: Wait) -> Double { (microseconds[wait] ?? 0) / 1e6 / Double(max(repeats.count, 1)) }

    /// The largest `requests.csv` that is read for causes, in bytes.
    private static let largestFile = 500_000_000

    /// Reads the causes of the requests of a results folder.
    ///
    /// - Returns: By trace and cache, for runs with causes; nothing without a `requests.csv`, and for one that is too
    ///   large.
    /// - Throws: ``ResultsError``: `ioError`, or `badData` with the line.
    static func read(_ folder: String, _ wanted: Set<RunGroup.Key>) throws -> [RunGroup.Key: CauseSums] {
        let file = "\(folder)/requests.csv"
        guard let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int, size <= largestFile
        else { return [:] }
        let records = try CSVReader.records(of: try ResultFile.text(at: file), file: file)
        guard let header = records.first else { return [:] }
        let columns = Dictionary(header.fields.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        guard let trace = columns["trace"], let cache = columns["cache"], let repetition = columns["repeat"],
            let memory = columns["memory_cause"], let disk = columns["disk_cause"]
        else { return [:] }
        let waits = Wait.allCases.compactMap { wait in columns["wait_\(wait.name)_us"].map { (wait, $0) } }
        var sums: [RunGroup.Key: CauseSums] = [:]
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "\(record.fields.count) fields where the header has \(header.fields.count); replay again")
            }
            let fields = record.fields
            let key = RunGroup.Key(trace: CSVStyle.safe.read(fields[trace]), cache: CSVStyle.safe.read(fields[cache]))
            // Measured runs of earlier versions have neither causes nor waits.
            guard wanted.contains(key), let first = waits.first, !fields[first.1].isEmpty else { continue }
            sums[key, default: CauseSums()].add(
                fields[repetition], memory: fields[memory], disk: fields[disk], waits.map { ($0.0, fields[$0.1]) })
        }
        return sums
    }

    /// Adds the causes of a run.
    mutating func add(_ totals: CauseTotals, of repetition: Int) {
        repeats.insert("\(repetition)")
        for (cause, count) in totals.memory { misses["memory \(cause)", default: 0] += count }
        for (cause, count) in totals.disk { misses["disk \(cause)", default: 0] += count }
        for wait in Wait.allCases { microseconds[wait, default: 0] += Double(totals.waits[wait.name] ?? 0) / 1e3 }
    }

    private mutating func add(_ repetition: String, memory: String, disk: String, _ waits: [(Wait, String)]) {
        repeats.insert(repetition)
        if !memory.isEmpty { misses["memory \(memory)", default: 0] += 1 }
        if !disk.isEmpty { misses["disk \(disk)", default: 0] += 1 }
        for (wait, text) in waits { microseconds[wait, default: 0] += Double(text) ?? 0 }
    }
}
