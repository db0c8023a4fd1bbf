import SessionModel

/// What happens ahead of need: the calls of a prefetch plan, and what became of the images that they brought.
extension ReplayPipeline {
    /// Makes the calls of the plan that come after an event.
    mutating func followPlan(after event: Int) throws {
        while nextPlanned < plan.count, plan[nextPlanned].afterEvent == event {
            let step = plan[nextPlanned]
            nextPlanned += 1
            if step.time * 1_000 > eventTime {
                eventTime = step.time * 1_000
                try work(until: eventTime)
            }
            let imageKey =
                renditions?.imageKeyAhead(step.object, step.variant)
                ?? ImageKey(object: Int(step.object), variant: step.variant.rawValue)
            if step.isCancellation { try cancelPrefetch(imageKey) } else { try prefetch(imageKey) }
        }
    }

    /// Runs the stages without a request.
    mutating func prefetch(_ imageKey: ImageKey) throws {
        tally.counts.prefetches += 1
        recorder?.looks(-1, at: lanes.now)
        let (answer, _) = lanes.lookUpInMemory(imageKey)
        recorder?.lookedInMemory(-1, imageKey, isHit: answer.found.isHit, isTooSmall: answer.isTooSmall)
        guard !answer.found.isHit else {
            if validatesMemory {
                ahead?.begin(imageKey.object)
                try validateAhead(answer, imageKey)
            }
            return try renewFile(imageKey)
        }
        if lanes.hasEncodedMemory, lanes.lookUpEncoded(imageKey).answer.found.isHit { return }
        ahead?.begin(imageKey.object)
        if lanes.hasDisk { try readAhead(imageKey) } else { try fetchAhead(imageKey) }
    }

    /// Cancels the fetch of an image that the app does not want ahead of need any more. A fetch that a request has
    /// joined goes on, and so does a read from disk.
    private mutating func cancelPrefetch(_ imageKey: ImageKey) throws {
        guard rules.prefetchCancels else { return }
        let fetch = inFlight[Int(imageKey.rendition)]
        guard fetch >= 0, isAhead(fetch), !fetches[fetch].state.isOver, !fetches[fetch].state.isDecoding else { return }
        tally.prefetch.cancelled += 1
        try cancel(fetch)
    }

    /// Whether a fetch is ahead of need: no request waits for it.
    func isAhead(_ fetch: Int) -> Bool { fetches[fetch].isPrefetch && fetches[fetch].waiters.isEmpty }

    /// Whether a fetched image is stored on disk alone.
    func endsOnDisk(_ fetch: Int) -> Bool { rules.prefetchInto == .disk && isAhead(fetch) }

    /// What a tier works for, in its journal: a request, or the prefetch of an object, as ``AheadObjects`` numbers it.
    func accessor(_ request: Int?, _ object: Int) -> Int { request ?? ahead?.accessor(object) ?? -1 }

    /// Notes that the transfer of a fetch starts.
    mutating func noteTransfer(_ fetch: Int, _ sample: NetworkModel.Sample) {
        guard ahead != nil else { return }
        let object = fetches[fetch].imageKey.object
        guard isAhead(fetch) else {
            // What a prefetch brought before is gone, or the prefetch has failed: a request fetches it again.
            ahead?.forget(object)
            return
        }
        let bytes = sample.succeeds ? network.bytes(of: object) : sample.failedBytes
        tally.prefetch.fetches += 1
        tally.prefetch.bytes += Int64(bytes)
        tally.prefetch.unusedBytes += Int64(bytes)
        ahead?.transfers(object, bytes)
    }

    /// Notes that the origin has confirmed a stored object, so that the transfer of a prefetch has no body.
    mutating func noteNotModified(_ fetch: Int) {
        guard fetches[fetch].isPrefetch, let bytes = ahead?.takeBackBytes(fetches[fetch].imageKey.object) else {
            return
        }
        tally.prefetch.bytes -= Int64(bytes)
        tally.prefetch.unusedBytes -= Int64(bytes)
    }

    /// Notes that a request got its image.
    mutating func noteUse(of object: Int) {
        guard let use = ahead?.use(object) else { return }
        recorder?.usedPrefetch(use.number)
        guard let bytes = use.bytes else { return }
        tally.prefetch.used += 1
        tally.prefetch.unusedBytes -= Int64(bytes)
    }
}

/// The objects that were asked for ahead of need, and that no request has used yet.
struct AheadObjects {
    /// By object: the number of the prefetch, or -1.
    private var numbers: [Int32]
    /// By object: the bytes that the prefetch transferred, or -1 if it transferred nothing.
    private var bytes: [Int]
    /// The number of prefetches.
    private(set) var count: Int32 = 0

    init(objects: Int) {
        numbers = Array(repeating: -1, count: objects)
        bytes = numbers.map(Int.init)
    }

    mutating func begin(_ object: Int) {
        numbers[object] = count
        bytes[object] = -1
        count += 1
    }

    mutating func transfers(_ object: Int, _ count: Int) { bytes[object] = count }

    mutating func forget(_ object: Int) { numbers[object] = -1 }

    /// Returns the bytes that a prefetch was to transfer, which become 0; nil if it is used or transfers nothing.
    mutating func takeBackBytes(_ object: Int) -> Int? {
        guard numbers[object] >= 0, bytes[object] >= 0 else { return nil }
        defer { bytes[object] = 0 }
        return bytes[object]
    }

    /// Returns the prefetch that a request uses, and the bytes that it transferred; nil if there is none.
    mutating func use(_ object: Int) -> (number: Int, bytes: Int?)? {
        guard numbers[object] >= 0 else { return nil }
        defer { numbers[object] = -1 }
        return (Int(numbers[object]), bytes[object] < 0 ? nil : bytes[object])
    }

    /// -1 for none, and lower numbers for prefetches.
    func accessor(_ object: Int) -> Int { numbers[object] < 0 ? -1 : -2 - Int(numbers[object]) }

    /// The number of the prefetch that an accessor stands for; nil if it stands for something else.
    package static func number(_ accessor: Int32) -> Int? { accessor <= -2 ? Int(-2 - accessor) : nil }
}
