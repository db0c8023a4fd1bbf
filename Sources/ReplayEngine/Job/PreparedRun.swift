import CachePolicies
import CacheTiers
import SessionModel

/// What a replay has beside its job and its trace: what records it, and what stands in place of a part.
package struct ReplaySetup {
    /// What measured timing and caches that are programs need; nil for neither.
    package var parts: MeasuredParts?
    /// The run's ``ReplayJob/identity(in:)``, if it is known already.
    package var identity: RunIdentity?
    /// An app's own cache in place of the memory tier, the disk tier, or both.
    package var driver: Driver?
    /// In modelled timing, the times from which on the files of objects are damaged, in nanoseconds.
    package var damaged: [ObjectID: Int64] = [:]
    /// Whether a 304 keeps its recorded transfer; see ``NetworkModel``.
    package var isLiteral = false
    /// Records why tiers miss, and what requests wait for; nil if that is not asked for.
    package var recorder: ReplayRecorder?
    /// In modelled timing, collects what the lanes do; nil if that is not asked for.
    package var log: ReplayEventLog?

    package init() {}
}

/// A run that is about to begin: all that follows from its job and its trace before the first event.
package struct PreparedRun {
    package let job: ReplayJob
    package let prepared: PreparedTrace
    package let setup: ReplaySetup
    package let objects: ReplayObjects
    package let identity: RunIdentity
    package let network: NetworkModel
    /// The calls ahead of need; nil if the replay plans none.
    let plan: PrefetchPlan?
    /// Whether the cache tells apart sizes of views, which the session records, and this replay cannot.
    let ignoresViewSizes: Bool

    package var trace: Trace { prepared.trace }
    package var cache: CacheConfiguration { job.cache }
    package var recorder: ReplayRecorder? { setup.recorder }
    /// What counts the frames that the main lane delays; nil with instant timing.
    package var frames: FrameTally? { takesTime ? FrameTally(prepared.motion) : nil }
    /// Whether anything takes time.
    var takesTime: Bool { job.timing != .modelled(.instant) }

    /// - Throws: `SpecError` for a cache that cannot be created, ``ReplayError`` for one that states a rule on the
    ///   sizes of views, in a replay that cannot have them.
    init(_ job: ReplayJob, _ prepared: PreparedTrace, _ setup: ReplaySetup) throws {
        self.job = job
        self.prepared = prepared
        self.setup = setup
        let tellsSizes = job.tellsViewSizes(setup)
        objects = setup.recorder?.objects ?? ReplayObjects(prepared, job.cache, tellsSizes: tellsSizes)
        ignoresViewSizes = !tellsSizes && prepared.renditions(for: job.cache) != nil
        if ignoresViewSizes { try Self.checkSizes(job) }
        identity = try setup.identity ?? job.identity(in: prepared.context)
        network =
            setup.isLiteral
            ? NetworkModel(
                prepared.trace, sizes: prepared.sizes.bytes, seed: job.seed, network: job.network, isLiteral: true)
            : prepared.network(job.network, seed: job.seed)
        plan = job.prefetchPlan(for: prepared)
    }

    /// Checks that a rule which a replay ignores follows from a preset, and was not stated for the cache.
    private static func checkSizes(_ job: ReplayJob) throws {
        guard let rule = Rule.named("memorySizes"), job.cache.states(rule) else { return }
        let cache = """
            cache '\(job.cache.name)': memorySizes: \(job.cache.memoryRules.sizes.rawValue) tells the sizes of views \
            apart, which this session records
            """
        guard job.timing == .measured else {
            throw ReplayError("\(cache), and a cache of your own gets keys without sizes; write memorySizes: one")
        }
        throw ReplayError(
            """
            \(cache), and measured timing decodes whole images alone; use --timing modelled, or write memorySizes: one
            """)
    }

    /// Creates the policy of the memory.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    package func memoryPolicy() throws -> sending any CachePolicy { try prepared.context.memoryPolicy(of: cache) }

    /// Creates the policy of the disk; nil without a disk tier.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    package func diskPolicy() throws -> sending (any CachePolicy)? { try prepared.context.diskPolicy(of: cache) }
}

extension ReplayObjects {
    /// The objects of a trace as a cache sees them.
    ///
    /// - Parameter tellsSizes: Whether a memory that tells the sizes of views apart can do so.
    init(_ prepared: PreparedTrace, _ cache: CacheConfiguration, tellsSizes: Bool = true) {
        self.init(
            keys: prepared.keys, images: prepared.images, memory: cache.memoryRules, disk: cache.diskRules,
            hasDisk: cache.disk != nil,
            sharing: Shared(
                objectsWithSameKey: prepared.objectsWithSameKey,
                renditions: tellsSizes ? prepared.renditions(for: cache) : nil, columns: prepared.columns))
    }
}

/// What a replay leaves: its figures, what became of each request in order of appearance, and what notes are made of.
package struct FinishedReplay {
    package var result: RunResult
    package let requests: [ReplayRequest]
    /// The objects whose responses state no lifetime, and got that of the cache's policy.
    let assumedLifetimes: Int
    /// The fetches whose latencies were drawn from others of the trace, and those whose latencies were assumed.
    let latencies: (drawn: Int, assumed: Int)
    package var delivered = DeliveredBodies()
}

/// The numbers of objects that had kept bodies, and that were decoded.
package struct DeliveredBodies {
    /// nil if no bodies were kept.
    package var kept: Int?
    /// nil if images were not decoded.
    package var decoded: Int?
    /// The objects in whose place generated images were decoded.
    package var generated = 0
    /// The objects whose decoding times were modelled.
    package var modelled = 0

    package init() {}
}
