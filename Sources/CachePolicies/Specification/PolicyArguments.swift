import Basics

/// The arguments of one policy, matched with its parameters, from which a registry entry creates the policy.
public struct PolicyArguments {
    let spec: PolicySpec
    let entry: PolicyEntry
    let context: PolicyContext
    /// By label; the unlabelled ones under "".
    private let given: [String: [PolicySpec.Argument]]

    init(_ spec: PolicySpec, for entry: PolicyEntry, in context: PolicyContext) throws {
        self.spec = spec
        self.entry = entry
        self.context = context
        given = Dictionary(grouping: spec.arguments) { $0.label ?? "" }
        for argument in spec.arguments { try check(argument) }
    }

    /// Returns the limits by bytes, by objects, or both, or the run's capacity if none is written.
    public func limits() throws -> Limits {
        let written = given[""] ?? []
        guard !written.isEmpty else {
            guard let capacity = context.capacity else {
                throw context.error(
                    "\(entry.name) needs a size, such as \(entry.name)(100MB) or \(entry.name)(20 objects)",
                    at: spec.column)
            }
            guard capacity.isZero, entry.zeroIsNoLimit else {
                return try apply(capacity, to: Limits(), at: spec.column)
            }
            var error = context.error(
                "a capacity of 0 is no limit in '\(entry.name)'; give one above 0", at: spec.column)
            error.refusesCapacity = true
            throw error
        }
        return try written.reduce(Limits()) { limits, argument in
            try apply(size(argument), to: limits, at: argument.column)
        }
    }

    /// Bytes.
    public func size(_ label: String) throws -> Int {
        let argument = try value(label)
        let limits = try apply(try size(argument), to: Limits(), at: argument.column)
        guard limits.objects == .max else {
            throw context.error("\(label) is a size in bytes, such as 100MB", at: argument.column)
        }
        return limits.bytes
    }

    public func integer(_ label: String) throws -> Int {
        let argument = try value(label)
        guard case .quantity(let text) = argument.value, let number = Int(text) else {
            throw context.error("\(label) is a whole number", at: argument.column)
        }
        return number
    }

    /// Any number from 0 up.
    public func number(_ label: String) throws -> Double {
        let argument = try value(label)
        guard case .quantity(let text) = argument.value, let number = Double(text), number.isFinite, number >= 0 else {
            throw context.error("\(label) is a number from 0 up", at: argument.column)
        }
        return number
    }

    /// From 0 to 1.
    public func fraction(_ label: String) throws -> Double {
        let argument = try value(label)
        guard case .quantity(let text) = argument.value, let number = Double(text), (0...1).contains(number) else {
            throw context.error("\(label) is a fraction from 0 to 1", at: argument.column)
        }
        return number
    }

    /// Microseconds; nil for `never`.
    public func duration(_ label: String) throws -> Int64? {
        let argument = try value(label)
        switch argument.value {
        case .spec(let word) where word.name == "never": return nil
        case .spec: throw context.error("\(label) is a duration such as 300s or 7d, or never", at: argument.column)
        case .quantity(let text):
            let microseconds = try context.locating(at: argument.column) { try TimeSpan.microseconds(text) }
            guard microseconds > 0 else {
                throw context.error("\(label) must be longer than 0; write never for none", at: argument.column)
            }
            return microseconds
        }
    }

    public func flag(_ label: String) throws -> Bool {
        try choice(label, among: ["true", "false"]) == "true"
    }

    public func choice(_ label: String) throws -> String {
        guard case .choice(let choices) = parameter(label)?.kind else { return "" }
        return try choice(label, among: choices)
    }

    /// Returns a policy inside this one. If `sharesCapacity` is set, a policy without a size has the run's capacity.
    public func policy(_ label: String?, sharesCapacity: Bool = true) throws -> any CachePolicy {
        let argument = try value(label ?? "")
        guard case .spec(let inner) = argument.value else {
            throw context.error("expected a policy such as lru(100MB)", at: argument.column)
        }
        var context = context
        if !sharesCapacity { context.capacity = nil }
        return try context.make(inner)
    }

    /// Returns the limit in bytes of the policy, or of the only policy inside it; nil without one.
    func byteLimit() throws -> Int? {
        if entry.parameters.contains(where: { $0.kind == .limits }) {
            let bytes = try limits().bytes
            return bytes == .max || bytes == 0 && entry.zeroIsNoLimit ? nil : bytes
        }
        if let limit = entry.byteLimit { return try limit(self) }
        let inner = entry.parameters.filter { $0.kind == .policy }
        guard inner.count == 1, case .spec(let policy) = try value(inner[0].label ?? "").value else { return nil }
        return try context.byteLimit(of: policy)
    }

    /// Returns the specification in full, defaults included.
    func canonical() throws -> String {
        guard !entry.parameters.isEmpty else { return entry.name }
        let parts = try entry.parameters.map { parameter in
            let text = try canonical(parameter)
            return parameter.label.map { "\($0): \(text)" } ?? text
        }
        return "\(entry.name)(\(parts.joined(separator: ", ")))"
    }

    private func canonical(_ parameter: PolicyParameter) throws -> String {
        if parameter.kind == .limits {
            let limits = try limits()
            let bytes = limits.bytes == .max ? [] : [Size.bytes(limits.bytes).description]
            let objects = limits.objects == .max ? [] : [Size.objects(limits.objects).description]
            return (bytes + objects).joined(separator: ", ")
        }
        let label = parameter.label ?? ""
        switch parameter.kind {
        case .policy:
            guard case .spec(let inner) = try value(label).value else { return "" }
            return try context.canonical(inner)
        case .size: return Size.bytes(try size(label)).description
        case .duration: return try duration(label).map(TimeSpan.text) ?? "never"
        default:
            switch try value(label).value {
            case .spec(let word): return word.name
            case .quantity(let text): return text
            }
        }
    }

    private func parameter(_ label: String) -> PolicyParameter? {
        entry.parameters.first { ($0.label ?? "") == label }
    }

    /// Returns the given argument, or else the default.
    private func value(_ label: String) throws -> PolicySpec.Argument {
        if let argument = given[label]?.first { return argument }
        guard let text = parameter(label)?.defaultText else {
            let what = label.isEmpty ? "a \(parameter(label)?.expected ?? "value")" : "'\(label):'"
            throw context.error("\(entry.name) needs \(what): \(entry.signature)", at: spec.column)
        }
        let quantity = text.first.map { $0.isNumber } ?? false
        let value: PolicySpec.Value =
            quantity ? .quantity(text) : .spec(PolicySpec(name: text, arguments: [], column: spec.column))
        return PolicySpec.Argument(label: label, value: value, column: spec.column)
    }

    private func choice(_ label: String, among choices: [String]) throws -> String {
        let argument = try value(label)
        guard case .spec(let word) = argument.value, word.arguments.isEmpty, choices.contains(word.name) else {
            throw context.error("\(label) is one of: \(choices.joined(separator: ", "))", at: argument.column)
        }
        return word.name
    }

    private func size(_ argument: PolicySpec.Argument) throws -> Size {
        guard case .quantity(let text) = argument.value else {
            throw context.error("expected a size such as 100MB, 100MiB, 20 objects or 5%", at: argument.column)
        }
        return try context.locating(at: argument.column) { try Size(text) }
    }

    private func apply(_ size: Size, to limits: Limits, at column: Int) throws -> Limits {
        guard let workload = context.workload ?? (size.isShare ? nil : Workload(uniqueBytes: 0, objects: 0)) else {
            throw context.error("a share such as \(size) needs a trace to be a share of", at: column)
        }
        var limits = limits
        let capacity = size.resolved(in: workload)
        switch capacity.unit {
        case .bytes: limits.bytes = min(limits.bytes, capacity.value)
        case .objects: limits.objects = min(limits.objects, capacity.value)
        }
        return limits
    }

    private func check(_ argument: PolicySpec.Argument) throws {
        if let label = argument.label, parameter(label) == nil {
            let labels = entry.parameters.compactMap(\.label)
            let hint = nearestName(to: label, among: labels).map { "; did you mean '\($0):'?" } ?? ""
            let known = labels.isEmpty ? "it takes none" : "it takes \(labels.map { "\($0):" }.joined(separator: ", "))"
            throw context.error("\(entry.name) has no parameter '\(label):'\(hint) (\(known))", at: argument.column)
        }
        let same = given[argument.label ?? ""] ?? []
        let most = argument.label == nil ? unlabelledCount : 1
        guard same.count <= most else {
            throw context.error(
                argument.label.map { "'\($0):' is given twice" }
                    ?? """
                    \(entry.name) takes \(most == 0 ? "no unlabelled argument" : "at most \(most) of these"): \
                    \(entry.signature)
                    """,
                at: same[most].column)
        }
    }

    private var unlabelledCount: Int {
        switch parameter("")?.kind {
        case nil: 0
        case .limits: 2
        default: 1
        }
    }
}

extension PolicyArguments {
    func integer(_ label: String, in range: ClosedRange<Int>) throws -> Int {
        let number = try integer(label)
        guard range.contains(number) else {
            throw error(
                range.upperBound == .max
                    ? "\(label) is at least \(range.lowerBound)"
                    : "\(label) is from \(range.lowerBound) to \(range.upperBound)", at: label)
        }
        return number
    }

    func fraction(_ label: String, in range: ClosedRange<Double>) throws -> Double {
        let number = try fraction(label)
        guard range.contains(number) else {
            throw error("\(label) is from \(range.lowerBound) to \(range.upperBound)", at: label)
        }
        return number
    }

    /// Returns the unit of dates, in microseconds.
    func granularity() throws -> Int64 {
        guard let granularity = try duration("granularity") else {
            throw error("granularity is a duration such as 1s; 1us keeps exact dates", at: "granularity")
        }
        return granularity
    }

    /// Returns the seed of a policy that draws random numbers.
    func seed() throws -> UInt64 { UInt64(truncatingIfNeeded: try integer("seed")) }

    func compat() throws -> Compatibility { Compatibility(rawValue: try choice("compat")) ?? .paper }

    /// Returns an error at the argument with this label, or at the policy's name if the argument is not given.
    func error(_ message: String, at label: String?) -> SpecError {
        context.error(message, at: spec.arguments.first { $0.label == label }?.column ?? spec.column)
    }
}
