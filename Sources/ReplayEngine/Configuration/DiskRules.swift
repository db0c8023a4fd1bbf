import CacheTiers

/// The settings of a cache's disk tier beside its policy. ``Rule/all`` documents each.
public struct DiskRules: Codable, Sendable, Equatable {
    public var content = DiskContent.original
    public var overwrites = true
    public var lifetime = LifetimeRule.policy
    public var revalidate = RevalidationRule.never
    /// In bytes.
    public var entryLimit: Int?
    public var oversize = EntryRule.Oversize.ignored
    /// Names, dates and writes.
    public var format = DiskFormat()

    public init() {}

    package var entryRule: EntryRule? { entryLimit.map { EntryRule(limit: $0, oversize: oversize) } }
}

/// What the disk tier writes of an object.
public enum DiskContent: String, Codable, Sendable, RuleChoice {
    /// The bytes of the response.
    case original
    /// The decoded image, encoded again as JPEG of quality 1.0.
    case jpeg
    /// The same for images that came as JPEG; all others are encoded as PNG.
    case jpegOrPNG
}

extension DiskLayout: RuleChoice {}
