import Basics

/// The context in which specifications are read: sizes may be shares of a trace, and a run may set the capacity.
public struct PolicyContext: Sendable {
    /// The trace that shares such as `5%` refer to; if it is nil, shares are errors.
    public var workload: Workload?
    /// The size of policies that are written without one; if it is nil, such policies are errors.
    public var capacity: Size?
    public var registry: PolicyRegistry
    /// The text that columns of specifications refer to; nil: their own text.
    private var text: String?

    public init(workload: Workload? = nil, capacity: Size? = nil, registry: PolicyRegistry = .builtIn) {
        self.workload = workload
        self.capacity = capacity
        self.registry = registry
    }

    /// - Throws: ``SpecError`` that points at the mistake.
    public func policy(_ text: String) throws -> any CachePolicy { try policy(PolicySpec(text), in: text) }

    /// Creates the policy of a parsed specification.
    ///
    /// - Parameters:
    ///   - spec: The specification.
    ///   - text: The text that the columns of `spec` refer to; nil if it is not at hand.
    /// - Throws: ``SpecError`` that points at the mistake, if the text is known.
    public func policy(_ spec: PolicySpec, in text: String? = nil) throws -> any CachePolicy {
        var context = self
        context.text = text
        return try context.make(spec)
    }

    /// Returns the specification in full, with every default.
    public func canonical(_ text: String) throws -> String {
        var context = self
        context.text = text
        return try context.canonical(try PolicySpec(text))
    }

    func make(_ spec: PolicySpec) throws -> any CachePolicy {
        let arguments = try arguments(spec)
        return try arguments.entry.make(arguments)
    }

    /// Returns the specification in full, with every default.
    public func canonical(_ spec: PolicySpec) throws -> String { try arguments(spec).canonical() }

    /// Returns the limit in bytes of the objects that a policy holds: its own, or the limit of the only policy inside
    /// it.
    ///
    /// Returns nil without a limit, and for a policy with several policies inside it.
    /// - Throws: ``SpecError`` if the policy does not exist, or if an argument is not one of its parameters.
    public func byteLimit(of spec: PolicySpec) throws -> Int? { try arguments(spec).byteLimit() }

    private func arguments(_ spec: PolicySpec) throws -> PolicyArguments {
        guard let entry = registry[spec.name] else {
            throw error(registry.unknown(spec.name), at: spec.column)
        }
        return try PolicyArguments(spec, for: entry, in: self)
    }

    func error(_ message: String, at column: Int) -> SpecError {
        SpecError(message, in: text ?? "", at: text == nil ? 0 : column)
    }

    func locating<Value>(at column: Int, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SpecError {
            guard let text else { throw error }
            throw error.within(text, at: column)
        } catch let error as QuantityError {
            throw self.error(error.message, at: column)
        }
    }
}

/// The trace that shares of sizes refer to.
public struct Workload: Sendable, Equatable {
    public var uniqueBytes: Int
    public var objects: Int
    /// Every object counts as 1.
    public var ignoresSizes: Bool

    public init(uniqueBytes: Int, objects: Int, ignoresSizes: Bool = false) {
        self.uniqueBytes = uniqueBytes
        self.objects = objects
        self.ignoresSizes = ignoresSizes
    }
}
