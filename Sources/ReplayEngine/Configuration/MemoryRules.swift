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
    /// What memory is trimmed to when the app enters the background, in the policy's measure; 0 clears it, nil keeps it.
    public var backgroundLimit: Int?
    /// What is promoted from disk never expires, whatever lifetime the policy gives.
    public var promotedForever = false

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

    func name(_ key: String) -> String {
        switch self {
        case .url: key
        case .everyFifth: String(key.enumerated().lazy.filter { $0.offset % 5 == 0 && $0.element != "/" }.map(\.element))
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
        default: throw unknown(name)
        }
    }

    public var described: [(name: String, value: String)] {
        [
            ("cost", cost.rawValue), ("holds", holds.rawValue), ("entryLimit", RuleValue.text(entryLimit)), ("oversize", oversize.rawValue),
            ("memoryKey", memoryKey.rawValue), ("memoryOnBackground", backgroundText), ("promotedForever", "\(promotedForever)"),
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
                throw RuleError(rule: name, message: "\(name) is keep, clear, or a size such as 50MB to trim to, not '\(value)'")
            }
            return bytes
        }
    }
}
