import CachePolicies

/// The highest cost of a single object in a tier, in bytes.
public enum EntryLimit: Sendable, Equatable {
    case bytes(Int)
    /// A share of the tier's limit, above 0 and at most 1, whatever that limit is. With `isBelow`, an object of exactly
    /// that share is refused. The limit is at least `least` bytes, and at most the tier's.
    case share(Double, isBelow: Bool = false, least: Int = 0)

    /// Reads `80MB`, `10% of limit`, `below 10% of limit` or `12.5% of limit, at least 5MiB`; nil for another text.
    init?(_ text: String) {
        if case .bytes(let bytes)? = try? Size(text) {
            self = .bytes(bytes)
            return
        }
        let (below, atLeast) = ("below ", ", at least ")
        var share = text[...]
        var least = 0
        if let place = text.firstRange(of: atLeast) {
            guard case .bytes(let bytes)? = try? Size(String(text[place.upperBound...])) else { return nil }
            (share, least) = (text[..<place.lowerBound], bytes)
        }
        let isBelow = share.hasPrefix(below)
        guard let value = Self.shareOfLimit(String(isBelow ? share.dropFirst(below.count) : share)), value > 0 else {
            return nil
        }
        self = .share(value, isBelow: isBelow, least: least)
    }

    var text: String {
        switch self {
        case .bytes(let bytes): Size.bytes(bytes).description
        case .share(let share, let isBelow, let least):
            (isBelow ? "below " : "") + Self.text(shareOfLimit: share)
                + (least > 0 ? ", at least \(Size.bytes(least))" : "")
        }
    }

    /// Returns the limit in bytes within a tier of this limit; nil for none.
    func bytes(within limit: Int?) -> Int? {
        switch self {
        case .bytes(let bytes): return bytes
        case .share(let share, let isBelow, let least):
            guard let limit else { return nil }
            return min(max(Self.part(share, of: limit) - (isBelow ? 1 : 0), least), limit)
        }
    }

    /// Returns a share of a limit, rounded down.
    static func part(_ share: Double, of limit: Int) -> Int {
        share < 1 ? Int((Double(limit) * share).rounded(.down)) : limit
    }

    /// Reads `10% of limit`; nil for another text, or for more than the limit.
    static func shareOfLimit(_ text: String) -> Double? {
        guard text.hasSuffix(ofLimit), case .share(let share)? = try? Size(String(text.dropLast(ofLimit.count))),
            share <= 1
        else { return nil }
        return share
    }

    static func text(shareOfLimit share: Double) -> String { "\(Size.share(share))\(ofLimit)" }

    private static let ofLimit = " of limit"
}

/// As its text.
extension EntryLimit: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let limit = EntryLimit(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is no limit of a single object")
        }
        self = limit
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension RuleType where Value == EntryLimit? {
    /// A size, a share of the tier's limit, or `none`.
    static var entryLimit: Self {
        Self(
            expectation: """
                a size such as 80MB, a share of the tier's limit such as 10% of limit, below 10% of limit or \
                12.5% of limit, at least 5MiB, or none
                """,
            forms: [.size, .entryShare, .words(["none"])],
            value: { $0 == "none" ? .some(nil) : EntryLimit($0).map { $0 } }, text: { $0?.text ?? "none" })
    }
}

extension CacheConfiguration {
    /// Returns the same cache with bytes in place of the shares of a tier's limit.
    ///
    /// A tier without a limit in bytes, or with several, has no such shares: its objects have no limit of their own,
    /// and a trim to a share of the limit keeps all.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    package func resolvingShares(in context: CacheContext) throws -> CacheConfiguration {
        var cache = self
        if memoryRules.hasShares {
            let limit = own == nil ? try context.memory(memoryRules).byteLimit(of: memory) : nil
            cache.memoryRules.resolveShares(of: limit)
        }
        if let entry = diskRules.entryLimit {
            cache.diskRules.entryLimit = entry.bytes(within: try disk.flatMap(context.encoded.byteLimit))
                .map(EntryLimit.bytes)
        }
        return cache
    }
}

extension MemoryRules {
    fileprivate var hasShares: Bool {
        let actions = [onWarning, onBackground].contains { if case .trimToLimit = $0 { true } else { false } }
        return if case .share? = entryLimit { true } else { actions }
    }

    fileprivate mutating func resolveShares(of limit: Int?) {
        entryLimit = entryLimit?.bytes(within: limit).map(EntryLimit.bytes)
        onWarning = onWarning.resolved(within: limit)
        onBackground = onBackground.resolved(within: limit)
    }
}

extension PressureAction {
    fileprivate func resolved(within limit: Int?) -> PressureAction {
        guard case .trimToLimit(let share) = self else { return self }
        return limit.map { .trim(to: EntryLimit.part(share, of: $0)) } ?? .keep
    }
}
