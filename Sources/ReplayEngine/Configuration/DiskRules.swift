import CacheTiers

/// What a cache's disk tier writes, and how: everything about it that is not its policy.
public struct DiskRules: Codable, Sendable, Equatable {
    /// What is written of an object.
    public var content = DiskContent.original
    /// Without, a file that is there already stays as it is.
    public var overwrites = true
    /// Who says how long an object may be used.
    public var lifetime = LifetimeRule.policy
    /// The most bytes of a single file; nil: the policy's limits alone count.
    public var entryLimit: Int?
    /// What storing a larger one does.
    public var oversize = EntryRule.Oversize.ignored
    /// Names, dates and writes.
    public var format = DiskFormat()

    public init() {}

    var entryRule: EntryRule? { entryLimit.map { EntryRule(limit: $0, oversize: oversize) } }
}

/// What is written to disk.
public enum DiskContent: String, Codable, Sendable, CaseIterable {
    /// The bytes that came over the network.
    case original
    /// The decoded image, encoded again as JPEG of quality 1.0.
    case jpeg
    /// The same for what came as JPEG; what came as PNG or anything else, as PNG.
    case jpegOrPNG
}

extension DiskRules: RuleSet {
    public mutating func set(_ name: String, to value: String) throws(RuleError) {
        switch name {
        case "diskContent": content = try RuleValue.choice(name, value)
        case "overwrites": overwrites = try RuleValue.flag(name, value)
        case "diskEntryLimit": entryLimit = try RuleValue.bytes(name, value)
        case "diskOversize": oversize = try RuleValue.choice(name, value)
        case "diskLifetime": lifetime = try RuleValue.choice(name, value)
        case "layout": format.layout = try RuleValue.choice(name, value)
        case "keepsAccessDates": format.keepsAccessDates = try RuleValue.flag(name, value)
        case "wholeSeconds": format.wholeSeconds = try RuleValue.flag(name, value)
        case "atomicWrites": format.atomicWrites = try RuleValue.flag(name, value)
        case "keepsDamaged": format.keepsDamaged = try RuleValue.flag(name, value)
        default: throw unknown(name)
        }
    }

    public var described: [(name: String, value: String)] {
        [
            ("layout", format.layout.rawValue), ("diskContent", content.rawValue), ("overwrites", "\(overwrites)"),
            ("diskEntryLimit", RuleValue.text(entryLimit)), ("diskOversize", oversize.rawValue),
            ("diskLifetime", lifetime.rawValue),
            ("keepsAccessDates", "\(format.keepsAccessDates)"), ("wholeSeconds", "\(format.wholeSeconds)"),
            ("atomicWrites", "\(format.atomicWrites)"), ("keepsDamaged", "\(format.keepsDamaged)"),
        ]
    }
}
