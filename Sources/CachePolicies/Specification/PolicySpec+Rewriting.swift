// The policies within a specification, and other policies in their place.
extension PolicySpec {
    /// Returns this specification with another limit of a `split`, and with the share of it that thumbnails get.
    ///
    /// All earlier limits of both policies are replaced, also those of the other unit.
    ///
    /// - Parameters:
    ///   - size: The limit of both together; nil for none.
    ///   - share: The share of thumbnails, above 0 and below 1.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if there is no `split`, if a policy of it has no limit, or if the share of one of them
    ///   is less than one byte or object.
    public func limited(
        to size: Size?, thumbnails share: Double, registry: PolicyRegistry = .builtIn
    ) throws -> PolicySpec {
        try mappingHalves(registry) { halves in
            let sizes = try size.map { try PolicyHalves.sizes(of: $0, thumbnails: share) }
            func limiting(_ half: PolicySpec, _ size: Size?) throws -> PolicySpec {
                try half.mappingInnermost(registry) { $0.withoutOwnLimits(registry) }
                    .limited(to: size, registry: registry)
            }
            return try PolicyHalves(
                limiting(halves.thumbnail, sizes?.thumbnail), limiting(halves.full, sizes?.full))
        }
    }

    /// Returns this specification with another share of thumbnails in the limits of a `split`. The sum of the limits
    /// stays.
    ///
    /// - Parameters:
    ///   - share: The share of thumbnails, above 0 and below 1.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if there is no `split`, or if its policies have no limits in the same unit.
    public func sharing(thumbnails share: Double, registry: PolicyRegistry = .builtIn) throws -> PolicySpec {
        try mappingHalves(registry) { halves in
            let sums = halves.limits(registry).map { $0 + $1 }
            guard !sums.isEmpty else {
                throw SpecError(
                    """
                    '\(name)' has no limits in the same unit for thumbnails and for full images: give the limit of \
                    both together too (memory=64MB), or write the whole policy
                    """, in: description)
            }
            return try sums.reduce(halves) { halves, sum in
                let sizes = try PolicyHalves.sizes(of: sum, thumbnails: share)
                return try PolicyHalves(
                    halves.thumbnail.limited(to: sizes.thumbnail, registry: registry),
                    halves.full.limited(to: sizes.full, registry: registry))
            }
        }
    }

    /// Returns this specification with another policy in place of the innermost one, or of both in a `split`, with the
    /// same limits.
    ///
    /// - Parameters:
    ///   - name: The name of a policy that needs nothing but a limit.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if there is no such policy, if it needs other arguments or has no limit, and if there is
    ///   no policy to replace.
    public func replacingInnermost(
        with name: String, registry: PolicyRegistry = .builtIn
    ) throws -> PolicySpec {
        guard let entry = registry[name] else { throw SpecError(registry.unknown(name), in: "") }
        guard entry.needsOnlyLimits else {
            throw SpecError(
                "'\(name)' is no policy that needs a limit and nothing else, such as lru or sieve", in: entry.signature)
        }
        return try mappingInnermost(registry) { policy in
            guard policy.name != NoCache.entry.name else {
                throw SpecError(
                    "there is no policy to replace; write one with its limit, such as \(name)(64MB)", in: "")
            }
            let limits = policy.ownLimits(registry)
            let other = PolicySpec(name: name, arguments: [], column: policy.column)
            guard !limits.isEmpty else { return try other.limited(to: nil, registry: registry) }
            return try limits.reversed().reduce(other) { try $0.limited(to: $1, registry: registry) }
        }
    }

    /// The places of the policies within this one.
    func policyIndices(_ registry: PolicyRegistry) -> [Int] {
        arguments.indices.filter { index in
            guard case .spec(let inner) = arguments[index].value, registry[inner.name] != nil else { return false }
            let label = arguments[index].label
            return registry[name]?.parameters.contains { $0.kind == .policy && $0.label == label } ?? false
        }
    }

    /// Returns this specification with other policies in the only `split` of it.
    func mappingHalves(
        _ registry: PolicyRegistry, _ change: (PolicyHalves) throws -> PolicyHalves
    ) throws -> PolicySpec {
        var spec = self
        let inner = policyIndices(registry)
        if inner.count == 1, case .spec(let policy) = arguments[inner[0]].value {
            spec.arguments[inner[0]].value = .spec(try policy.mappingHalves(registry, change))
            return spec
        }
        let labelled = { (label: String) in inner.first { arguments[$0].label == label } }
        guard let thumbnail = labelled("thumbnail"), case .spec(let first) = arguments[thumbnail].value,
            let full = labelled("full"), case .spec(let second) = arguments[full].value
        else {
            throw SpecError(
                """
                '\(name)' does not divide memory between thumbnails and full images; write a policy that does, such as \
                split(thumbnail: lru(16MB), full: lru(48MB))
                """, in: description)
        }
        let halves = try change(PolicyHalves(first, second))
        spec.arguments[thumbnail].value = .spec(halves.thumbnail)
        spec.arguments[full].value = .spec(halves.full)
        return spec
    }

    /// Returns this specification with other policies in place of those that enclose none.
    func mappingInnermost(
        _ registry: PolicyRegistry, _ change: (PolicySpec) throws -> PolicySpec
    ) throws -> PolicySpec {
        let inner = policyIndices(registry)
        guard !inner.isEmpty else { return try change(self) }
        return try inner.reduce(into: self) { spec, index in
            guard case .spec(let policy) = arguments[index].value else { return }
            spec.arguments[index].value = .spec(try policy.mappingInnermost(registry, change))
        }
    }

    /// The limits of a policy that encloses none, or of the innermost of several: at most one of bytes or a share, and
    /// one of objects. Empty for a `split`.
    func ownLimits(_ registry: PolicyRegistry) -> [Size] {
        let inner = policyIndices(registry)
        if inner.count == 1, case .spec(let policy) = arguments[inner[0]].value { return policy.ownLimits(registry) }
        guard inner.isEmpty, let entry = registry[name] else { return [] }
        let hasLabels = !entry.parameters.contains { $0.kind == .limits }
        let sizes = arguments.compactMap { argument -> Size? in
            guard case .quantity(let text) = argument.value, isOwnLimit(argument, entry) else { return nil }
            guard argument.label == nil || argument.label != entry.limitLabel(ofObjects: true) else {
                return Int(text).map(Size.objects)
            }
            return try? Size(text)
        }
        // In these policies, 0 stands for no limit.
        let zeroIsNone = hasLabels || name == TrimPolicy.entry.name
        return sizes.filter { size in
            switch size {
            case .bytes(Self.noLimit): false
            case .bytes(0), .objects(0): !zeroIsNone
            default: true
            }
        }
    }

    /// Whether an innermost policy has a limit in bytes, or a share of the working set.
    public func limitsBytes(_ registry: PolicyRegistry = .builtIn) -> Bool {
        let inner = policyIndices(registry)
        guard inner.isEmpty else {
            return inner.contains { index in
                guard case .spec(let policy) = arguments[index].value else { return false }
                return policy.limitsBytes(registry)
            }
        }
        return ownLimits(registry).contains { !$0.isOfObjects }
    }

    /// Returns a policy that encloses none without its limits.
    func withoutOwnLimits(_ registry: PolicyRegistry) -> PolicySpec {
        guard let entry = registry[name] else { return self }
        var spec = self
        spec.arguments.removeAll { isOwnLimit($0, entry) }
        return spec
    }

    private func isOwnLimit(_ argument: Argument, _ entry: PolicyEntry) -> Bool {
        guard let label = argument.label else { return entry.parameters.contains { $0.kind == .limits } }
        return label == entry.limitLabel(ofObjects: false) || label == entry.limitLabel(ofObjects: true)
    }
}

/// The two policies of a `split`.
struct PolicyHalves {
    var thumbnail: PolicySpec
    var full: PolicySpec

    init(_ thumbnail: PolicySpec, _ full: PolicySpec) {
        self.thumbnail = thumbnail
        self.full = full
    }

    /// The limits that both have in the same unit.
    func limits(_ registry: PolicyRegistry) -> [(Size, Size)] {
        let others = full.ownLimits(registry)
        return thumbnail.ownLimits(registry).compactMap { own in
            others.first { $0.hasUnit(of: own) }.map { (own, $0) }
        }
    }

    /// Returns the parts of a limit, in the proportion of the present limits.
    func sizes(of size: Size, _ registry: PolicyRegistry) throws -> (thumbnail: Size, full: Size) {
        guard let own = limits(registry).first(where: { $0.0.isOfObjects == size.isOfObjects }) else {
            throw SpecError(
                """
                'split' has no limits in \(size.isOfObjects ? "objects" : "bytes") for thumbnails and for full images: \
                give the share of thumbnails too (thumbnails=25%), or write the whole policy
                """, in: "split(thumbnail: \(thumbnail), full: \(full))")
        }
        return try Self.sizes(of: size, thumbnails: own.0.number / (own.0.number + own.1.number))
    }

    /// Returns the parts of a limit.
    static func sizes(of size: Size, thumbnails share: Double) throws -> (thumbnail: Size, full: Size) {
        guard share > 0, share < 1 else {
            throw SpecError("the share of thumbnails is above 0% and below 100%, such as 25%", in: "")
        }
        func parts(_ whole: Int) throws -> (Int, Int) {
            let part = Int((Double(whole) * share).rounded())
            // In some policies, 0 stands for no limit.
            guard 0 < part, part < whole else {
                throw SpecError(
                    "\(size) cannot be divided so that thumbnails get \(Size.share(share)) and full images the rest",
                    in: "")
            }
            return (part, whole - part)
        }
        switch size {
        case .bytes(let bytes):
            let (part, rest) = try parts(bytes)
            return (.bytes(part), .bytes(rest))
        case .objects(let objects):
            let (part, rest) = try parts(objects)
            return (.objects(part), .objects(rest))
        case .share(let whole): return (.share(whole * share), .share(whole * (1 - share)))
        }
    }
}

extension Size {
    fileprivate var number: Double {
        switch self {
        case .bytes(let bytes): Double(bytes)
        case .objects(let objects): Double(objects)
        case .share(let share): share
        }
    }

    fileprivate func hasUnit(of other: Size) -> Bool {
        switch (self, other) {
        case (.bytes, .bytes), (.objects, .objects), (.share, .share): true
        default: false
        }
    }

    /// The sum of two sizes of the same unit.
    fileprivate static func + (one: Size, other: Size) -> Size {
        func sum(_ one: Int, _ other: Int) -> Int {
            let (sum, overflow) = one.addingReportingOverflow(other)
            return overflow ? .max : sum
        }
        return switch (one, other) {
        case (.objects(let one), .objects(let other)): .objects(sum(one, other))
        case (.bytes(let one), .bytes(let other)): .bytes(sum(one, other))
        default: .share(one.number + other.number)
        }
    }
}
