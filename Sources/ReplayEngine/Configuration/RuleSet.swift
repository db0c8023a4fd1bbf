/// Rules that are set by name, as a cache's specification and a YAML file write them.
public protocol RuleSet {
    init()

    /// Sets one rule by its name; throws a sentence that names the choices.
    mutating func set(_ name: String, to value: String) throws(RuleError)

    /// Every rule and its value, in one order.
    var described: [(name: String, value: String)] { get }
}

extension RuleSet {
    public static var names: [String] { Self().described.map(\.name) }

    func unknown(_ name: String) -> RuleError {
        RuleError(rule: name, message: "there is no rule '\(name)'; known: \(Self.names.joined(separator: ", "))")
    }
}
