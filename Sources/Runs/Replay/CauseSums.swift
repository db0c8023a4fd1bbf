import Basics
import Foundation
import ReplayEngine

/// One trace through one cache over one network: the part of a run's identity that its repeats share.
package struct RepeatedRun: Hashable, Sendable {
    package var trace: String
    /// The network, where the results have the trace over several ones; nil where its name adds nothing.
    package var network: String?
    package var cache: String

    package init(trace: String, network: String? = nil, cache: String) {
        (self.trace, self.network, self.cache) = (trace, network, cache)
    }

    /// The trace, and its network where there are several: `photo-feed over lte`.
    package var place: String { Self.place(trace, network) }

    package static func place(_ trace: String, _ network: String?) -> String {
        network.map { "\(trace) over \($0)" } ?? trace
    }
}

extension Sequence {
    package func tracesOverSeveralNetworks(
        _ place: (Element) -> (trace: String, network: String)
    ) -> Set<String> {
        var networks: [String: String] = [:]
        var several: Set<String> = []
        for element in self {
            let (trace, network) = place(element)
            if networks.updateValue(network, forKey: trace) ?? network != network { several.insert(trace) }
        }
        return several
    }
}

/// The causes and waits of one trace and cache, summed over the requests of all repeats.
public struct CauseSums: Sendable {
    /// A tier that can miss.
    public enum Tier: String, Sendable, Codable, CaseIterable { case memory, disk }

    private var repeats: Set<String> = []
    private var misses: [String: Int] = [:]
    private var microseconds: [Wait: Double] = [:]

    package init() {}

    package func misses(_ tier: Tier, _ cause: MissCause) -> Double {
        Double(misses["\(tier.rawValue) \(cause.name)"] ?? 0) / Double(max(repeats.count, 1))
    }

    package func seconds(_ wait: Wait) -> Double { (microseconds[wait] ?? 0) / 1e6 / Double(max(repeats.count, 1)) }

    /// The largest `requests.csv` that is read for causes, in bytes.
    private static let largestFile = 500_000_000

    /// Reads the causes of the requests of a results folder.
    ///
    /// - Returns: By trace, network and cache, for runs with causes; nothing without a `requests.csv`, and for one that
    ///   is too large.
    /// - Throws: ``ResultsError``: `ioError`, or `badData` with the line.
    package static func read(_ folder: String, _ wanted: Set<RepeatedRun>) throws -> [RepeatedRun: CauseSums] {
        let file = "\(folder)/requests.csv"
        guard let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int, size <= largestFile
        else { return [:] }
        let records = try CSVReader.records(of: try ResultFile.text(at: file), file: file)
        guard let header = records.first else { return [:] }
        let columns = Dictionary(header.fields.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        guard let trace = columns["trace"], let cache = columns["cache"], let repetition = columns["repeat"],
            let memory = columns["memory_cause"], let disk = columns["disk_cause"]
        else { return [:] }
        let networks = columns["network"]
        let places = Set(wanted.filter { $0.network != nil }.map(\.trace))
        let waits = Wait.allCases.compactMap { wait in columns["wait_\(wait.name)_us"].map { (wait, $0) } }
        var sums: [RepeatedRun: CauseSums] = [:]
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "\(record.fields.count) fields where the header has \(header.fields.count); replay again")
            }
            let fields = record.fields
            var key = RepeatedRun(trace: CSVStyle.safe.read(fields[trace]), cache: CSVStyle.safe.read(fields[cache]))
            if places.contains(key.trace) { key.network = networks.map { CSVStyle.safe.read(fields[$0]) } }
            // A run can have neither causes nor waits.
            guard wanted.contains(key), let first = waits.first, !fields[first.1].isEmpty else { continue }
            sums[key, default: CauseSums()].add(
                fields[repetition], memory: fields[memory], disk: fields[disk], waits.map { ($0.0, fields[$0.1]) })
        }
        return sums
    }

    package mutating func add(_ totals: CauseTotals, of repetition: Int) {
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
