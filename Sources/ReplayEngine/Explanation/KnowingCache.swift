import CachePolicies
import CacheTiers

/// The cache that knows the future, which decides whether the misses of a tier are avoidable: its bounds, and the
/// numbers and sizes of the images in it.
struct KnowingCache {
    /// nil: the tier held nothing.
    let bounds: TierBounds?
    /// Its peak; nil if that is not known, or if the tier held nothing.
    let room: Capacity?
    /// The success of its fetches. It cannot hold an image that it fetches and does not get.
    let fetches: RecordedSuccess
    private let tier: ReplayEvents.Tier
    private let objects: ReplayObjects
    /// Whether an image counts with the bytes that the tier holds of it, and not with its cost.
    private let countsHeldBytes: Bool

    /// - Parameters:
    ///   - tier: The memory of images, or the disk.
    ///   - bounds: The bounds of the tier; nil if they are not known.
    ///   - reached: The most bytes that the tier held, which stand for unknown bounds.
    ///   - costs: Whether the costs of images are the bytes that the tier holds of them.
    init(
        _ tier: ReplayEvents.Tier, _ objects: ReplayObjects, _ bounds: TierBounds?, reached: Int,
        costsAreBytes costs: Bool, _ fetches: RecordedSuccess
    ) {
        (self.tier, self.objects, self.fetches) = (tier, objects, fetches)
        countsHeldBytes = bounds == nil
        guard var bounds else {
            self.bounds = reached > 0 ? .all(Limits(bytes: reached)) : nil
            room = reached > 0 ? Capacity(reached, .bytes) : nil
            return
        }
        if costs { bounds.allow(bytes: reached) }
        self.bounds = bounds
        let limit = bounds.room
        room = limit.map { costs && $0.unit == .bytes ? Capacity(max($0.value, reached), .bytes) : $0 }
    }

    /// Returns the key with a ``ImageKey/number``.
    func imageKey(number: Int32) -> ImageKey { objects.imageKey(number: Int(number)) }

    /// Returns the number that the image of a cell has in the tier, and its size against the limits.
    func identity(_ imageKey: ImageKey) -> (number: Int, size: Int) {
        guard tier == .disk else {
            let image = Int(imageKey.rendition)
            return (objects.memoryNumber(imageKey), countsHeldBytes ? objects.held(image) : objects.cost(image))
        }
        let bytes = objects.written(imageKey.object)
        return (objects.diskNumber(imageKey), countsHeldBytes ? bytes : objects.diskRules.format.counted(bytes))
    }
}

extension ReplayJob {
    /// The caches that know the future, for memory and for the disk.
    ///
    /// - Parameters:
    ///   - tiers: The figures of the tiers after the replay.
    ///   - driven: Whether a cache of the app's own is the memory, and whether it is the disk.
    func knowingCaches(
        _ trace: PreparedTrace, _ objects: ReplayObjects, _ tiers: TierFigures, driven: (memory: Bool, disk: Bool)
    ) throws -> (memory: KnowingCache, disk: KnowingCache) {
        // What cells show is held beside the limits, if it is pinned or live.
        let context = trace.context
        let isBounded = !driven.memory && cache.own == nil && !cache.memoryRules.keepsShown
        let memory = try isBounded ? TierBounds(cache.memory, in: context.memory(cache.memoryRules)) : nil
        let disk = try driven.disk ? nil : cache.disk.flatMap { try TierBounds($0, in: context.encoded) }
        return (
            memory: KnowingCache(
                .memory, objects, memory, reached: Int(tiers.memoryPeakBytes), costsAreBytes: cache.costsAreBytes,
                trace.recordedSuccess),
            disk: KnowingCache(
                .disk, objects, disk, reached: Int(tiers.diskPeakBytes),
                costsAreBytes: cache.diskRules.format.counted(1) == 1, trace.recordedSuccess)
        )
    }
}
