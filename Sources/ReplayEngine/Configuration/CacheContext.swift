import CachePolicies
import SessionModel

/// The working sets of a trace, which sizes such as `5%` refer to: those of the disk tier count encoded bytes, and
/// those of a memory tier count what the tier's cost counts.
public struct CacheContext: Sendable {
    /// The working set in encoded bytes.
    public var encoded: PolicyContext
    /// The working set in bytes of bitmaps.
    public var decoded: PolicyContext

    public init(_ trace: Trace, registry: PolicyRegistry = .builtIn) {
        self.init(ImageSizes(trace, sizes: trace.resolvedSizes()), registry: registry)
    }

    /// Creates the context of a trace whose objects have these sizes.
    init(_ images: ImageSizes, registry: PolicyRegistry) {
        func context(_ bytes: [Int]) -> PolicyContext {
            PolicyContext(
                workload: Workload(uniqueBytes: bytes.reduce(0, +), objects: bytes.count), registry: registry)
        }
        (encoded, decoded) = (context(images.workingSet(images.encoded)), context(images.workingSet(images.decoded)))
    }

    /// Creates the context of a working set whose objects have one size in all forms.
    public init(_ context: PolicyContext) { (encoded, decoded) = (context, context) }

    /// Creates the policy of a cache's memory.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    public func memoryPolicy(of cache: CacheConfiguration) throws -> any CachePolicy {
        let context = memory(cache.memoryRules)
        return try context.policy(cache.runningMemory(context.registry))
    }

    /// Creates the policy of a cache's disk; nil without a disk tier.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    public func diskPolicy(of cache: CacheConfiguration) throws -> (any CachePolicy)? {
        try cache.runningDisk(encoded.registry).map { try encoded.policy($0) }
    }

    /// Returns the context of a memory tier.
    func memory(_ rules: MemoryRules) -> PolicyContext {
        switch rules.cost {
        case .held: rules.holds == .decoded ? decoded : encoded
        case .decoded, .encodedAndDecoded: decoded
        case .encoded, .file, .none: encoded
        }
    }
}
