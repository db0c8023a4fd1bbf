extension PolicySpec {
    /// Returns this specification with another limit of the policy, wherever it is written: in `lru(20MB)`, in
    /// `nscache(cost: 20MB)`, or in the one policy within a wrapper such as `ttl(lru(20MB), lifetime: 7d)`.
    ///
    /// A limit of bytes replaces one of bytes or a share, and leaves one of objects; and the other way round. The two
    /// policies of a `split` keep the proportion of their limits.
    ///
    /// - Parameters:
    ///   - size: The limit; nil for none.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if the policy has no limit, or if it is a `split` whose policies have no limits in the
    ///   unit of `size`.
    public func limited(to size: Size?, registry: PolicyRegistry = .builtIn) throws -> PolicySpec {
        guard let entry = registry[name] else { throw SpecError("there is no policy '\(name)'", in: description) }
        var spec = self
        if size == nil, name == UnboundedPolicy.entry.name { return self }
        if entry.parameters.contains(where: { $0.kind == .limits }) {
            let others = arguments.filter { argument in
                guard argument.label == nil, case .quantity(let text) = argument.value, let size else {
                    return argument.label != nil
                }
                return (try? Size(text))?.isOfObjects != size.isOfObjects
            }
            spec.arguments = [Argument(label: nil, value: .quantity(Self.text(size)), column: column)] + others
            return spec
        }
        if let label = entry.limitLabel(ofObjects: size?.isOfObjects ?? false) {
            // In these policies, 0 stands for no limit.
            let none = size?.isOfObjects == true ? "0" : "0B"
            let count = size.flatMap { if case .objects(let count) = $0 { "\(count)" } else { nil } }
            let value = Value.quantity(count ?? size?.description ?? none)
            spec = size == nil ? withoutOwnLimits(registry) : self
            spec.arguments.removeAll { $0.label == label }
            spec.arguments.append(Argument(label: label, value: value, column: column))
            return spec
        }
        let inner = policyIndices(registry)
        if inner.count == 2 {
            return try mappingHalves(registry) { halves in
                let sizes = try size.map { try halves.sizes(of: $0, registry) }
                return try PolicyHalves(
                    halves.thumbnail.limited(to: sizes?.thumbnail, registry: registry),
                    halves.full.limited(to: sizes?.full, registry: registry))
            }
        }
        guard inner.count == 1, case .spec(let policy) = spec.arguments[inner[0]].value else {
            throw SpecError(
                "'\(name)' has no limit that could be set; write the whole policy, such as lru(64MB)", in: description)
        }
        spec.arguments[inner[0]].value = .spec(try policy.limited(to: size, registry: registry))
        return spec
    }

    /// The largest limit that a specification can have, in bytes. It stands for none.
    public static let noLimit = 1_000_000_000_000_000_000

    static func text(_ size: Size?) -> String { size?.description ?? "1000000TB" }
}

extension Size {
    /// Whether the size counts objects, not bytes.
    var isOfObjects: Bool { if case .objects = self { true } else { false } }
}

extension PolicyEntry {
    /// The label of the parameter that limits bytes or objects, for policies whose limits have labels: `nscache`.
    func limitLabel(ofObjects: Bool) -> String? {
        ofObjects
            ? parameters.first { $0.label == "count" && $0.kind == .integer }?.label
            : parameters.first { $0.label == "cost" && $0.kind == .size }?.label
    }

    /// Whether limits are all that the policy needs: it encloses no policy, and its other parameters have defaults.
    public var needsOnlyLimits: Bool {
        let others = parameters.filter { $0.kind != .limits }
        return (others.count < parameters.count || limitLabel(ofObjects: false) != nil)
            && others.allSatisfy { $0.kind != .policy && $0.defaultText != nil }
    }

    /// Whether the policy takes the capacity of a run, and needs nothing else. The word `all` of `simulate` stands for
    /// these policies.
    public var needsOnlyCapacity: Bool { needsOnlyLimits && parameters.contains { $0.kind == .limits } }
}
