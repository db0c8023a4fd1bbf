import CachePolicies
import CacheTiers
import SessionModel
import HTTPCaching

/// The settings of a cache's memory tier besides its policy. ``Rule/all`` documents each.
public struct MemoryRules: Codable, Sendable, Equatable {
    public var cost = ObjectCost.held
    public var holds = HeldForm.decoded
    public var entryLimit: EntryLimit?
    public var oversize = EntryRule.Oversize.ignored
    public var memoryKey = KeyRule.url
    public var onBackground = PressureAction.keep
    public var onWarning = PressureAction.clear
    public var pinsShown = false
    public var live = LiveRule.none
    /// In bytes.
    public var encodedMemory: Int?
    public var promotedForever = false
    public var lifetime = LifetimeRule.policy
    public var revalidate = RevalidationRule.never
    public var sizes = SizeRule.one
    /// In pixels.
    public var sizeTolerance = 0
    public var countsFrames = false

    public init() {}

    package func share(_ share: Double, of cost: Int) -> Int { Int((Double(cost) * share).rounded(.down)) }

    package var entryRule: EntryRule? { EntryRule(entryLimit, oversize) }

    /// Whether an object that a visible cell shows is a hit, whatever the policy does.
    package var keepsShown: Bool { pinsShown || live != .none }
}

/// The settings of a cache's disk tier besides its policy. ``Rule/all`` documents each.
public struct DiskRules: Codable, Sendable, Equatable {
    public var content = DiskContent.original
    public var overwrites = true
    public var lifetime = LifetimeRule.policy
    public var revalidate = RevalidationRule.never
    public var entryLimit: EntryLimit?
    public var oversize = EntryRule.Oversize.ignored
    public var failures = FailureRule.ignored
    /// Names, dates and writes.
    public var format = DiskFormat()

    public init() {}

    package var entryRule: EntryRule? { EntryRule(entryLimit, oversize) }
}

/// The change on disk by the answer to a failed fetch. Only answers that the origin will probably repeat change it.
public enum FailureRule: String, Codable, Sendable, RuleChoice {
    case ignored
    /// The file of the object leaves.
    case removed
    /// The answer takes the place of the file. A request that finds it fails without a fetch.
    case stored

    /// Whether an answer with this status changes the disk.
    func concerns(status: Int) -> Bool {
        switch self {
        case .ignored: false
        case .removed: status == 404
        // Coil's `CacheStrategy` since 3.4.0.
        case .stored: [404, 405, 410, 414, 501].contains(status)
        }
    }
}

/// The cost of an object against a limit in bytes.
public enum ObjectCost: String, Codable, Sendable, RuleChoice {
    /// The bytes that the memory tier holds.
    case held
    /// The bytes of the response.
    case encoded
    /// The bytes of the bitmap: width times height times 4.
    case decoded
    case encodedAndDecoded
    /// The bytes of the file on disk, with its overhead; the bytes of the response if the cache has no disk tier.
    case file
    /// 0: the code passes no cost, so a limit in bytes has no effect.
    case none
}

/// The effect on the memory tier when the app enters the background, or of a memory warning.
public enum PressureAction: Codable, Sendable, Equatable {
    case keep
    case clear
    /// Victims leave in the policy's order until the cost is at most this many bytes.
    case trim(to: Int)
    /// Victims leave until the cost is at most this share of the present cost, from 0 to 1.
    case trimToShare(Double)
    /// Victims leave until the cost is at most this share of the tier's limit, from 0 to 1.
    case trimToLimit(Double)

    /// Whether the action needs a policy that names its next victim.
    var needsVictims: Bool {
        switch self {
        case .keep, .clear: false
        case .trim, .trimToShare, .trimToLimit: true
        }
    }
}

extension LiveRule: RuleChoice {}
extension LifetimeRule: RuleChoice {}
extension RevalidationRule: RuleChoice {}

/// The form in which a memory tier holds an object.
public enum HeldForm: String, Codable, Sendable, RuleChoice {
    /// The bytes of the response.
    case encoded
    /// The bitmap, with 4 bytes for each pixel.
    case decoded
}

/// The key of an object in the memory tier.
public enum KeyRule: String, Codable, Sendable, RuleChoice {
    case url
    /// Every fifth character of the URL, without slashes. Different URLs may share it.
    case everyFifth
    /// The URL's host, port and path, without scheme and query.
    case hostPath

    func key(_ key: String) -> String {
        switch self {
        case .url: key
        case .hostPath: DiskLayout.hostAndPath(key)
        case .everyFifth: DiskLayout.everyFifth(key)
        }
    }
}

/// How memory tells apart the views of one image that have different sizes. <doc:ReplaySemantics> has the bytes of
/// their bitmaps.
public enum SizeRule: String, Codable, Sendable, RuleChoice {
    /// Sizes of views have no effect: an image is held in its own size.
    case one
    /// The key contains the size of the view, so each size is an entry of its own.
    case each
    /// An image has one entry, which serves views that are at most as large. A larger view misses, and its bitmap
    /// replaces the smaller one.
    case largest
}

/// The form in which the disk tier writes an object.
public enum DiskContent: String, Codable, Sendable, RuleChoice {
    /// The bytes of the response.
    case original
    /// The decoded image, encoded again as JPEG of quality 1.0.
    case jpeg
    /// The decoded image, encoded again: as JPEG of quality 1.0 if it came as JPEG, otherwise as PNG. A GIF stays as it
    /// came.
    case jpegOrPNG

    /// The format in which an image of a format is written; nil for the bytes of the response.
    package func format(encoding original: ImageFormat) -> ImageFormat? {
        switch self {
        case .original: nil
        case .jpeg: .jpeg
        case .jpegOrPNG: original == .jpeg ? .jpeg : .png
        }
    }
}

extension EntryRule.Oversize: RuleChoice {}

extension EntryRule {
    /// Creates the rule of a tier whose cache has no shares; see `CacheConfiguration.resolvingShares(in:)`.
    init?(_ limit: EntryLimit?, _ oversize: Oversize) {
        switch limit {
        case nil: return nil
        case .bytes(let bytes)?: self.init(limit: bytes, oversize: oversize)
        // No user reaches this: `PreparedRun` resolves the shares of every cache that it gets.
        case .share?: preconditionFailure("shares of a limit are resolved before a tier is made")
        }
    }
}

extension DiskLayout: RuleChoice {}

extension CacheConfiguration {
    /// Whether stored objects are validated, in any tier.
    var revalidates: Bool {
        memoryRules.revalidate != .never || disk != nil && diskRules.revalidate != .never
    }

    /// Checks that rules do not contradict each other.
    ///
    /// - Throws: ``RuleError``.
    public func checkRules() throws(RuleError) {
        try checkRevalidation()
        try checkFailures()
        try checkPrefetches()
        guard memoryRules.pinsShown, memoryRules.live != .none else { return }
        throw RuleError(
            rule: "live",
            message: """
                live: \(memoryRules.live.rawValue) counts what cells show in the policy, and pinsShown: true takes it \
                out of the policy; write live: none or pinsShown: false
                """)
    }

    /// Checks that a prefetch that ends on the disk has a disk to end on.
    ///
    /// - Throws: ``RuleError``.
    private func checkPrefetches() throws(RuleError) {
        guard pipeline.prefetchInto == .disk, disk == nil || !pipeline.store.storesOnDisk else { return }
        throw RuleError(
            rule: "prefetchInto",
            message: """
                prefetchInto: disk needs a disk that stores what is fetched, and this cache has \
                \(disk == nil ? "disk: none" : "store: \(pipeline.store.rawValue)"); write prefetchInto: memory, or \
                \(disk == nil ? "add a disk such as disk: lru(100MB)" : "store: memoryAndDisk")
                """)
    }

    /// Checks that stored failures have a lifetime that is known: traces have the headers of images alone.
    ///
    /// - Throws: ``RuleError``.
    private func checkFailures() throws(RuleError) {
        guard disk != nil, diskRules.failures == .stored, diskRules.lifetime != .policy else { return }
        throw RuleError(
            rule: "diskFailures",
            message: """
                diskFailures: stored has no lifetimes for failures, because a trace has no headers of failed \
                responses, and diskLifetime: \(diskRules.lifetime.rawValue) takes lifetimes from headers; write \
                diskLifetime: policy, or diskFailures: ignored
                """)
    }

    /// Checks that the tiers that validate objects know when a lifetime ends.
    ///
    /// - Throws: ``RuleError``.
    private func checkRevalidation() throws(RuleError) {
        for (tier, rule, lifetime) in [
            ("memory", memoryRules.revalidate, memoryRules.lifetime),
            ("disk", diskRules.revalidate, diskRules.lifetime),
        ] where rule != .never && lifetime == .policy {
            throw RuleError(
                rule: "\(tier)Revalidate",
                message: """
                    \(tier)Revalidate: \(rule.rawValue) needs lifetimes that HTTP headers state, and with \
                    \(tier)Lifetime: policy no header counts; add \(tier)Lifetime: http, httpExplicit, maxAge or \
                    httpDate, or write \(tier)Revalidate: never
                    """)
        }
    }
}
