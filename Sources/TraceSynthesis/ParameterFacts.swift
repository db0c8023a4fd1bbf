/// The facts about a parameter of a generator. Options, files, tables, errors and documentation follow from them.
public protocol ParameterFacts: Sendable {
    /// The name in options, files and tables.
    var name: String { get }
    /// The default.
    var value: Double { get }
    /// The unit; empty for numbers without one.
    var unit: String { get }
    var range: ClosedRange<Double> { get }
    /// Whether the value is a number of things, without a fraction. Means of numbers have fractions.
    var isCount: Bool { get }
    var meaning: String { get }
}

extension ParameterFacts {
    /// Checks that a value is in range, and that a count is whole.
    ///
    /// - Throws: ``SynthesisError``, which names the parameter, its value and what is expected.
    func check(_ value: Double) throws {
        guard range.contains(value) else {
            throw SynthesisError(
                description:
                    """
                    \(name) is \(plainText(value)); expected \(plainText(range.lowerBound)) to \
                    \(plainText(range.upperBound))\(unit.isEmpty ? "" : " \(unit)")
                    """
            )
        }
        guard !isCount || value == value.rounded() else {
            throw SynthesisError(
                description: """
                    \(name) is \(plainText(value)); expected a whole number such as \(plainText(value.rounded(.up)))
                    """
            )
        }
    }
}

/// Returns the value of a parameter as text: without a fraction if it has none.
package func plainText(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
}

public struct SynthesisError: Error, Sendable, CustomStringConvertible {
    /// The parameter, its value and its range.
    public var description: String
}
