import CachePolicies
import CacheTiers

/// What a cache's memory tier holds and counts: everything about it that is not its policy.
public struct MemoryRules: Codable, Sendable, Equatable {
    /// What an object counts for against a limit in bytes.
    public var cost = ObjectCost.encoded
    /// What is held of an object, and takes up memory.
    public var holds = HeldForm.encoded
    /// The highest cost of a single object; nil: the policy's limits alone count.
    public var entryLimit: Int?
    /// What storing a larger one does.
    public var oversize = EntryRule.Oversize.ignored
    /// What an object is called in memory.
    public var memoryKey = KeyRule.url
    /// What memory is trimmed to when the app enters the background, in the policy's measure; 0 clears it, nil keeps
    /// it.
    public var backgroundLimit: Int?
    /// What is promoted from disk never expires, whatever lifetime the policy gives.
    public var promotedForever = false
    /// Who says how long an object may be used.
    public var lifetime = LifetimeRule.policy

    public init() {}

    var entryRule: EntryRule? { entryLimit.map { EntryRule(limit: $0, oversize: oversize) } }
}

/// What an object counts for.
public enum ObjectCost: String, Codable, Sendable, CaseIterable {
    /// The bytes that came over the network.
    case encoded
    /// Width times height times 4.
    case decoded
    case encodedAndDecoded
    /// Nothing: the code never passes a cost, so that a limit in bytes cannot bind.
    case none
}

/// Who says how long a stored object may be used, beside the policy, whose lifetime holds for objects of which nobody
/// else says it.
public enum LifetimeRule: String, Codable, Sendable, CaseIterable {
    /// The policy, for all alike.
    case policy
    /// HTTP's headers, where they were recorded (RFC 9111): `no-store` and `no-cache` are not stored, `max-age` and
    /// `Expires` say it, and a tenth of the time since `Last-Modified` where those are missing.
    case http
    /// The same, for responses that state it in so many words: others are not stored, nor those with `Vary`.
    case httpExplicit
}

/// What a memory tier holds of an object.
public enum HeldForm: String, Codable, Sendable, CaseIterable {
    case encoded
    /// The bitmap, of 4 bytes for each pixel.
    case decoded
}

/// What an object is called in a tier.
public enum KeyRule: String, Codable, Sendable, CaseIterable {
    case url
    /// Every fifth character of the URL, without slashes: different URLs may share it.
    case everyFifth
    /// The URL's host, port and path: neither scheme nor query.
    case hostPath

    func name(_ key: String) -> String {
        switch self {
        case .url: key
        case .hostPath: DiskLayout.hostAndPath(key)
        case .everyFifth: DiskLayout.everyFifth(key)
        }
    }
}

extension MemoryRules: RuleSet {
    public mutating func set(_ name: String, to value: String) throws(RuleError) {
        switch name {
        case "cost": cost = try RuleValue.choice(name, value)
        case "holds": holds = try RuleValue.choice(name, value)
        case "entryLimit": entryLimit = try RuleValue.bytes(name, value)
        case "oversize": oversize = try RuleValue.choice(name, value)
        case "memoryKey": memoryKey = try RuleValue.choice(name, value)
        case "memoryOnBackground": backgroundLimit = try Self.backgroundLimit(name, value)
        case "promotedForever": promotedForever = try RuleValue.flag(name, value)
        case "memoryLifetime": lifetime = try RuleValue.choice(name, value)
        default: throw unknown(name)
        }
    }

    public var described: [(name: String, value: String)] {
        [
            ("cost", cost.rawValue), ("holds", holds.rawValue), ("entryLimit", RuleValue.text(entryLimit)),
            ("oversize", oversize.rawValue),
            ("memoryKey", memoryKey.rawValue), ("memoryOnBackground", backgroundText),
            ("promotedForever", "\(promotedForever)"),
            ("memoryLifetime", lifetime.rawValue),
        ]
    }

    private var backgroundText: String {
        switch backgroundLimit {
        case nil: "keep"
        case 0: "clear"
        case let limit?: Size.bytes(limit).description
        }
    }

    private static func backgroundLimit(_ name: String, _ value: String) throws(RuleError) -> Int? {
        switch value {
        case "keep": return nil
        case "clear": return 0
        default:
            guard case .bytes(let bytes)? = try? Size(value) else {
                throw RuleError(
                    rule: name, message: "\(name) is keep, clear, or a size such as 50MB to trim to, not '\(value)'")
            }
            return bytes
        }
    }
}
