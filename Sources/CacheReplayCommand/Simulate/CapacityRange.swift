import CachePolicies
import Foundation

/// A range of capacities, such as `1MB..64MB`: the first, its doubles, and the last, as in `--sweep` of `replay`.
enum CapacityRange {
    /// Whether a text has the form of a range.
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
