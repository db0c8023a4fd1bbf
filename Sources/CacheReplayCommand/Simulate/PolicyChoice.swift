import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation

/// A policy of the command line.
struct PolicyChoice: Sendable {
    let text: String
    /// Whether the text is complete without a capacity.
    let hasOwnSize: Bool
    /// Whether the policy has parameters. Some have neither a size nor other parameters.
    let hasParameters: Bool
    /// The first size in bytes that the text contains, such as `20MB`.
    let sizeInBytes: String?
    let columns: DenseTrace.Columns
    /// Whether the policy was chosen by the word `all`, not by its name.
    let isOfAll: Bool

    var usesFuture: Bool { columns.contains(.nextAccesses) }

    /// The word that stands for every policy that needs only a capacity.
    static let all = "all"

    /// Parses policies, separated by commas, without repetition.
    /// - Throws: ``SpecError``.
    static func list(_ text: String) throws -> [PolicyChoice] {
        var choices: [PolicyChoice] = []
        for part in SimulateCommand.list(text) {
            guard part.lowercased() == all else {
                choices.append(try PolicyChoice(part))
                continue
            }
            for entry in CacheReplay.policies.entries where entry.needsOnlyCapacity {
                choices.append(try PolicyChoice(entry.name, isOfAll: true))
            }
        }
        var seen: Set<String> = []
        return choices.filter { seen.insert($0.text).inserted }
    }

    /// Parses a policy. Its ``text`` has the names of policies as the registry has them.
    /// - Throws: ``SpecError``.
    init(_ written: String, isOfAll: Bool = false) throws {
        let text = try CacheReplay.policies.respelled(written)
        self.text = text
        self.isOfAll = isOfAll
        columns = DenseTrace.columns(for: [try Self.context(nil, .share(1)).policy(text)])
        hasOwnSize = (try? Self.context(nil, nil).policy(text)) != nil
        sizeInBytes = try PolicySpec(text).quantities.first { CapacityList.isInBytes($0) }
        hasParameters = CacheReplay.policies.entries.first { $0.name == text }?.parameters.isEmpty != true
    }

    func policy(_ workload: Workload, _ capacity: Size?) throws -> any CachePolicy {
        try Self.context(workload, capacity).policy(text)
    }

    /// Returns the error of the text without a capacity.
    func sizeError() throws -> String {
        do { _ = try Self.context(nil, nil).policy(text) } catch let error as SpecError { return "\(error)" }
        return ""
    }

    /// The canonical text with every default, and the word `capacity` in place of the size.
    var canonical: String {
        // An improbable size marks the place.
        let mark = Size.bytes(9_007_199_254_740_881)
        guard let text = try? Self.context(nil, mark).canonical(text) else { return text }
        return text.replacingOccurrences(of: mark.description, with: "capacity")
    }

    private static func context(_ workload: Workload?, _ capacity: Size?) -> PolicyContext {
        PolicyContext(
            workload: workload ?? Workload(uniqueBytes: 1, objects: 1), capacity: capacity,
            registry: CacheReplay.policies)
    }
}

struct CapacityList {
    private enum Entry {
        case size(Size)
        case auto
    }

    private let entries: [Entry]

    /// The shares of the working set that `auto` stands for, evenly spaced on a logarithmic scale.
    static let shares = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]

    init(_ text: String?) throws {
        var entries: [Entry] = []
        for part in text.map(SimulateCommand.list) ?? [] {
            if part == "auto" {
                entries.append(.auto)
            } else if CapacityRange.isRange(part) {
                for size in try CapacityRange.sizes(part) { entries.append(.size(size)) }
            } else {
                entries.append(.size(try Size(part)))
            }
        }
        self.entries = entries
    }

    var isEmpty: Bool { entries.isEmpty }

    /// The first capacity in bytes; nil if all are objects, shares or `auto`.
    var sizeInBytes: Size? {
        for case .size(let size) in entries { if case .bytes = size { return size } }
        return nil
    }

    static func isInBytes(_ text: String) -> Bool {
        if case .bytes? = try? Size(text) { true } else { false }
    }

    /// The number of capacities, as far as it is known before a trace is read.
    var count: Int { entries.reduce(0) { if case .auto = $1 { $0 + Self.shares.count } else { $0 + 1 } } }

    /// Returns the capacities. None of them may be a share of a trace.
    /// - Throws: ``CommandFailure`` if one is a share.
    func fixed() throws -> [Capacity] {
        try entries.map { entry in
            switch entry {
            case .size(.bytes(let bytes)): Capacity(bytes, .bytes)
            case .size(.objects(let objects)): Capacity(objects, .objects)
            default:
                throw CommandFailure(
                    .usage,
                    """
                    With --stream the size of a trace is not known before its end: write capacities as 20MB or 100 \
                    objects, not as shares.
                    """
                )
            }
        }
    }

    /// Returns the capacities for a trace, without repetition. `auto` leaves out shares below two objects of mean size.
    func resolved(for whole: SimulationWork.Whole, ignoresSizes: Bool) -> [Capacity] {
        let workload = Workload(uniqueBytes: whole.uniqueBytes, objects: whole.objects, ignoresSizes: ignoresSizes)
        let least = ignoresSizes ? 2 : 2 * whole.uniqueBytes / max(1, whole.objects)
        var all: [Capacity] = []
        func add(_ size: Size) {
            let capacity = size.resolved(in: workload)
            if !all.contains(capacity) { all.append(capacity) }
        }
        for entry in entries {
            switch entry {
            case .size(let size): add(size)
            case .auto:
                let fitting = Self.shares.filter { Size.share($0).resolved(in: workload).value >= max(1, least) }
                for share in fitting.isEmpty ? [0.5, 1] : fitting { add(.share(share)) }
            }
        }
        return all
    }
}

/// A range of capacities, such as `1MB..64MB`: the first, its doubles, and the last, as in `--sweep` of `replay`.
enum CapacityRange {
    static func isRange(_ text: String) -> Bool { text.contains("..") }

    /// Returns the capacities of a range.
    /// - Throws: ``CommandFailure`` for a text that is no range, and `SpecError` for an end that is no size.
    static func sizes(_ text: String) throws -> [Size] {
        let ends = text.components(separatedBy: "..").map { $0.trimmingCharacters(in: .whitespaces) }
        guard ends.count == 2 else { throw failure(text, "is not a range such as 1MB..64MB") }
        let first = try Size(ends[0])
        let last = try Size(ends[1])
        switch (first, last) {
        case (.bytes(let first), .bytes(let last)):
            return try doubles(Double(first), Double(last), text).map { Size.bytes(Int($0)) }
        case (.objects(let first), .objects(let last)):
            return try doubles(Double(first), Double(last), text).map { Size.objects(Int($0)) }
        case (.share(let first), .share(let last)):
            return try doubles(first, last, text).map { Size.share($0) }
        default: throw failure(text, "has two units; write both ends in bytes, in objects or as shares")
        }
    }

    private static func doubles(_ first: Double, _ last: Double, _ text: String) throws -> [Double] {
        guard let values = SweepOption.doubles(first, last) else { throw failure(text, SweepOption.notRising) }
        guard values.count <= SweepOption.most else {
            throw failure(text, "has \(values.count) capacities; a range has at most \(SweepOption.most)")
        }
        return values
    }

    private static func failure(_ text: String, _ reason: String) -> CommandFailure {
        CommandFailure(.usage, "--capacity: '\(text)' \(reason).")
    }
}
