import Basics
import CachePolicies
import Foundation
import ReplayEngine

/// The argument of `--sweep`: a parameter and its values, `memory=16MB,32MB..512MB`.
///
/// `A..B` stands for A, its doubles, and B; between whole numbers, for each number. Values are in the order of their
/// sizes; see `SweptValue.ordered(_:)`.
struct SweepOption {
    let parameter: String
    let values: [String]

    /// The parameter whose values are networks, as in `--network`. It is not a parameter of a cache.
    static let network = "network"

    static let most = 64

    /// - Throws: ``CommandFailure`` that names the wrong part.
    init(_ text: String) throws {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let parameter = sides[0].trimmingCharacters(in: .whitespaces)
        guard sides.count == 2, !parameter.isEmpty else {
            throw Self.failure(text, "expected PARAMETER=VALUES, for example memory=16MB,32MB..512MB")
        }
        let own = SweptValue.parameters + [Self.network]
        let known = own + Rule.all.map(\.name)
        guard known.contains(parameter) else {
            let hint =
                nearestName(to: parameter, among: known).map { "did you mean '\($0)'?" }
                ?? "\(own.joined(separator: ", ")), or a rule that `cachereplay list rules` lists"
            throw Self.failure(text, "there is no parameter '\(parameter)'; \(hint)")
        }
        self.parameter = parameter
        var values: [String] = []
        for part in sides[1].split(separator: ",", omittingEmptySubsequences: false) {
            let part = part.trimmingCharacters(in: .whitespaces)
            guard !part.isEmpty else { throw Self.failure(text, "a value is empty") }
            // A path of a network can contain what is a range of other values.
            values += parameter == Self.network ? [part] : try Self.values(part, in: text)
        }
        self.values =
            parameter == Self.network
            ? values : SweptValue.ordered(values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        guard self.values.count <= Self.most else {
            throw Self.failure(text, "\(self.values.count) values; a sweep has at most \(Self.most)")
        }
        for value in self.values where parameter == "memory" || parameter == "disk" {
            guard value != SweptValue.unlimited else { continue }
            do { _ = try Size(value) } catch let error as SpecError { throw Self.failure(text, error.message) }
        }
    }

    private static func values(_ part: String, in text: String) throws -> [String] {
        let ends = part.components(separatedBy: "..")
        guard ends.count > 1 else {
            let sides = part.split(separator: "-").map { $0.trimmingCharacters(in: .whitespaces) }
            if sides.count == 2, sides.allSatisfy(isQuantity) {
                throw failure(text, "'\(part)' is not a value; a range is written \(sides[0])..\(sides[1])")
            }
            return [part]
        }
        guard ends.count == 2 else { throw failure(text, "'\(part)' is not a range such as 16MB..512MB") }
        if let first = Int(ends[0]), let last = Int(ends[1]) {
            guard first <= last, last - first < most else {
                throw failure(text, "'\(part)' is not a range of 1 to \(most) numbers, the smaller one first")
            }
            return (first...last).map(String.init)
        }
        if let first = try? Size(ends[0]), let last = try? Size(ends[1]) {
            switch (first, last) {
            case (.bytes(let first), .bytes(let last)):
                return try doubled(Double(first), Double(last), part, text).map { Size.bytes(Int($0)).description }
            case (.objects(let first), .objects(let last)):
                return try doubled(Double(first), Double(last), part, text).map { "\(Int($0)) objects" }
            case (.share(let first), .share(let last)):
                return try doubled(first, last, part, text).map { Size.share($0).description }
            default: throw failure(text, "'\(part)' has two units")
            }
        }
        if let first = try? TimeSpan.microseconds(ends[0]), let last = try? TimeSpan.microseconds(ends[1]) {
            return try doubled(Double(first), Double(last), part, text).map { TimeSpan.text(Int64($0)) }
        }
        throw failure(text, "'\(part)' is not a range of sizes, durations or whole numbers")
    }

    private static func isQuantity(_ text: String) -> Bool {
        Int(text) != nil || (try? Size(text)) != nil || (try? TimeSpan.microseconds(text)) != nil
    }

    private static func doubled(_ first: Double, _ last: Double, _ part: String, _ text: String) throws -> [Double] {
        guard let values = doubles(first, last) else { throw failure(text, "'\(part)' \(notRising)") }
        return values
    }

    /// The fault of a range that has no values, with the remedy.
    static let notRising = "does not rise from a value above 0; write the smaller one first"

    /// Returns the values of a range: the first, its doubles, and the last; nil if they do not rise from above 0.
    static func doubles(_ first: Double, _ last: Double) -> [Double]? {
        guard first > 0, first <= last else { return nil }
        var values: [Double] = []
        var next = first
        while next < last {
            values.append(next)
            next *= 2
        }
        return values + [last]
    }

    private static func failure(_ text: String, _ reason: String) -> CommandFailure {
        CommandFailure(.usage, "--sweep \(text): \(reason).")
    }

    /// Returns every cache with every combination of the values of several sweeps.
    ///
    /// - Throws: ``CommandFailure`` if a cache refuses a value.
    static func caches(
        _ caches: [CacheConfiguration], sweeping sweeps: [SweepOption], registry: PolicyRegistry
    ) throws -> [CacheConfiguration] {
        // The product can be beyond memory, so it is counted before it is made.
        let number = sweeps.reduce(Double(caches.count)) { $0 * Double($1.values.count) }
        guard number <= Double(ReplayPlan.mostCaches) else {
            let all = sweeps.map { "\($0.parameter) with \($0.values.count) values" }.joined(separator: ", ")
            throw CommandFailure(
                .usage, "--sweep \(all): \(ReplayPlan.tooMany(Int(min(number, 1e15)))).")
        }
        let combinations = sweeps.reduce([[]]) { combinations, sweep in
            combinations.flatMap { values in
                sweep.values.map { values + [SweptValue(parameter: sweep.parameter, value: $0)] }
            }
        }
        return try caches.flatMap { cache in
            try combinations.map { values in
                do { return try cache.sweeping(values, registry: registry) } catch {
                    let reason = (error as? SpecError)?.message ?? (error as? RuleError)?.message ?? "\(error)"
                    let all = values.map { "--sweep \($0.text)" }.joined(separator: " ")
                    throw CommandFailure(.usage, "\(all), cache '\(cache.base)': \(reason).")
                }
            }
        }
    }
}
