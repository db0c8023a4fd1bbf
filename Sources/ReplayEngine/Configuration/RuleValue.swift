import Basics
import CachePolicies

/// Reads the values of rules, which are written alike in a cache's specification and in a YAML file. Every mistake
/// names the choices.
enum RuleValue {
    static func flag(_ name: String, _ value: String) throws(RuleError) -> Bool {
        guard let flag = Bool(value) else {
            throw RuleError(rule: name, message: "\(name) is true or false, not '\(value)'")
        }
        return flag
    }

    static func count(_ name: String, _ value: String, atLeast least: Int) throws(RuleError) -> Int {
        guard let count = Int(value), count >= least, count <= 1_000 else {
            throw RuleError(rule: name, message: "\(name) is a whole number from \(least) to 1000, not '\(value)'")
        }
        return count
    }

    /// A count, or `none`.
    static func limit(_ name: String, _ value: String) throws(RuleError) -> Int? {
        value == "none" ? nil : try count(name, value, atLeast: 1)
    }

    /// Bytes, or `none`.
    static func bytes(_ name: String, _ value: String) throws(RuleError) -> Int? {
        if value == "none" { return nil }
        guard case .bytes(let bytes)? = try? Size(value) else {
            throw RuleError(rule: name, message: "\(name) is a size such as 80MB, or none, not '\(value)'")
        }
        return bytes
    }

    /// Microseconds.
    static func duration(_ name: String, _ value: String) throws(RuleError) -> Int64 {
        guard let duration = try? TimeSpan.microseconds(value) else {
            throw RuleError(rule: name, message: "\(name) is a duration such as 500ms or 4s, not '\(value)'")
        }
        return duration
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: String
    ) throws(RuleError) -> Choice {
        guard let choice = Choice(rawValue: value) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw RuleError(rule: name, message: "\(name) is one of \(choices), not '\(value)'")
        }
        return choice
    }

    static func text(_ bytes: Int?) -> String { bytes.map { Size.bytes($0).description } ?? "none" }

    static func text(count: Int?) -> String { count.map(String.init) ?? "none" }
}

/// A rule that does not exist, or a value that it does not take.
public struct RuleError: Error, Sendable, CustomStringConvertible {
    public var rule: String
    public var message: String

    public var description: String { message }
}
