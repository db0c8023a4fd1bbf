import Basics
import CachePolicies
import CacheTiers

/// Records what the requests of a replay wait for, and why tiers miss. The pipeline calls it at each change.
///
/// Times are nanoseconds of the replay. A request always waits for exactly one thing, from its appearance until it is
/// delivered or its cell vanishes, so the waits sum to the blank time.
///
/// All arrays have their final lengths before the replay: requests are numbered below `requests`, objects below
/// `objects.keys.count`, and cells below twice `objects.imageCount`.
package final class ReplayRecorder {
    /// The event of the app while objects leave a tier: ``TierJournal/trigger``.
    enum Trigger: UInt8 {
        case none, memoryWarning, background, relaunch, removal
    }

    /// The outcome of an object's last fetch or request.
    enum Outcome: UInt8, BitwiseCopyable {
        case none, inProgress, arrived, cancelled, deferred, blocked, failed
    }

    /// An access to a tier, for the comparison with a policy that knows the future.
    struct TierAccess: BitwiseCopyable {
        /// ``ImageKey/number``; negative if the tier was cleared.
        var imageKey: Int32
        /// The request of a lookup; negative for prefetches and removals.
        var request: Int32

        static let prefetch: Int32 = -1
        static let removal: Int32 = -2
        static let clear = TierAccess(imageKey: -1, request: removal)

        init(imageKey: Int32, request: Int32) {
            self.imageKey = imageKey
            self.request = request
        }

        var isLookup: Bool { imageKey >= 0 && request > Self.removal }

        init(_ imageKey: ImageKey, request: Int32) {
            self.init(imageKey: Int32(truncatingIfNeeded: imageKey.number), request: request)
        }
    }

    /// The facts about a lookup that missed in a tier.
    struct Miss: BitwiseCopyable {
        var entry = TierJournal.Entry()
        /// The outcome of the object's last fetch at that time.
        var outcome = Outcome.none
        /// Nothing has asked for the cell's image before.
        var isFirst = false
        /// Nothing has asked for the image before, in any size of a view.
        var isFirstOfFile = false
        /// Something has asked for an image before whose key differs only in its query, or for another variant or size.
        var isSimilar = false
        /// The file was found, and was damaged.
        var isDamaged = false
        /// The tier had the object, and the origin was asked whether it is current.
        var isValidated = false
        /// Whether the tier has missed at all.
        var isMiss = false
    }

    /// The record of a request, besides its waits.
    struct Course: BitwiseCopyable {
        /// When the stage began.
        var since: Int64 = 0
        var stage = Stage.over
        var object: Int32 = 0
        var memory = Miss()
        var disk = Miss()
    }

    /// The wait of a request; a fetch divides it later.
    enum Stage: BitwiseCopyable {
        case on(Wait)
        case fetch(Int32)
        /// The wait is over, or the cell has vanished.
        case over
    }

    /// The record of a cell number.
    struct CellState: BitwiseCopyable {
        /// The journal's entry of the last read, if the file was not found.
        var read = TierJournal.Entry()
        var readMissed = false
        /// Whether something has asked for the image in this size.
        var isSeen = false
        /// Whether something has asked for the image in any size. Noted for the object's own size.
        var isFileSeen = false
        /// The launch in which the file is being read; negative if it is not.
        var launch: Int32 = -1
    }

    /// The journals of modelled tiers.
    let memory = TierJournal()
    let disk = TierJournal()
    /// The journal of the memory of encoded bytes, for a log of events alone. Causes come from the memory of images.
    let encoded = TierJournal()
    let objects: ReplayObjects
    let courses: UncheckedArray<Course>
    let cells: UncheckedArray<CellState>
    /// By object.
    let outcomes: UncheckedArray<Outcome>
    /// By object: the first object whose key differs at most in its query.
    let similar: [Int]
    /// By object: whether something has asked for an object of the group that begins with it.
    let seenKeys: UncheckedArray<Bool>
    /// Points to one value, from the recorder's creation to its end.
    let state: UnsafeMutablePointer<State>
    let end: Int64
    let foreground: ForegroundClock

    static let kinds = Wait.allCases.count

    /// The values that grow or are replaced. They are behind a pointer, so that they are read and written without the
    /// checks of a class's variables.
    struct State {
        /// The journals of the tiers of a measured replay; nil if the tiers are modelled.
        var real: (any TierJournals)?
        /// Whether there are any. Reading this is cheaper than reading ``real``, which is copied.
        var areReal = false
        /// By request, ``Wait`` after ``Wait``: what the explanations of the requests share.
        var waits: [Int64] = []
        var memoryAccesses: [TierAccess] = []
        var diskAccesses: [TierAccess] = []
        var diskMissCount = 0
        var launch: Int32 = 0
        /// By the number of the prefetch: whether a request has used its image.
        var usedPrefetches: [Bool] = []
        /// By fetch: when its connection is open, and when its first byte arrives.
        var phases: [(connected: Int64, firstByte: Int64)] = []
    }

    var real: (any TierJournals)? { state.pointee.real }
    var areReal: Bool { state.pointee.areReal }
    /// By request, ``Wait`` after ``Wait``.
    var waits: [Int64] { state.pointee.waits }
    var memoryAccesses: [TierAccess] { state.pointee.memoryAccesses }
    var diskAccesses: [TierAccess] { state.pointee.diskAccesses }

    /// - Parameters:
    ///   - objects: The objects as the cache sees them.
    ///   - similar: By object: the first object whose key differs at most in its query. See ``SimilarKeys``.
    ///   - end: The time of the last event.
    ///   - foreground: The time in the foreground, of which waits consist.
    init(requests: Int, objects: ReplayObjects, similar: [Int], end: Int64, foreground: ForegroundClock) {
        self.end = end
        self.foreground = foreground
        self.objects = objects
        self.similar = similar
        let count = objects.keys.count
        let images = objects.imageCount
        courses = UncheckedArray(repeating: Course(), count: requests)
        cells = UncheckedArray(repeating: CellState(), count: images * 2)
        seenKeys = UncheckedArray(repeating: false, count: count)
        outcomes = UncheckedArray(repeating: .none, count: count)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        state.pointee.waits = Array(repeating: 0, count: requests * Self.kinds)
        state.pointee.memoryAccesses.reserveCapacity(requests)
        state.pointee.phases.reserveCapacity(requests)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Returns the objects that have left modelled tiers since the last call.
    func takeDepartures() -> [(tier: ReplayEvents.Tier, departures: [TierJournal.Departure])] {
        let journals: [(tier: ReplayEvents.Tier, journal: TierJournal)] = [
            (.memory, memory), (.encodedMemory, encoded), (.disk, disk),
        ]
        return journals.map { ($0.tier, $0.journal.takeDepartures()) }
    }

    /// Follows real tiers, which have journals of their own. Memory that the recorder will need is in use from now on,
    /// so that it does not count as the cache's.
    package func follow(_ journals: some TierJournals) {
        state.pointee.real = journals
        state.pointee.areReal = true
        let unused = Array(repeating: TierAccess(imageKey: 0, request: TierAccess.prefetch), count: courses.count)
        state.pointee.memoryAccesses = unused
        state.pointee.memoryAccesses.removeAll(keepingCapacity: true)
        state.pointee.diskAccesses = unused
        state.pointee.diskAccesses.removeAll(keepingCapacity: true)
        state.pointee.phases = Array(repeating: (0, 0), count: courses.count)
    }
}

/// The waits of requests.
extension ReplayRecorder {
    func appeared(_ request: Int, at time: Int64) {
        courses[request].stage = .on(.mainLane)
        courses[request].since = time
    }

    /// Notes that a request waits for something else from now on. A request that waits no more is not changed.
    func wait(_ request: Int, for wait: Wait, at time: Int64) {
        guard leave(request, at: time) else { return }
        courses[request].stage = .on(wait)
    }

    func wait(_ request: Int, forFetch fetch: Int, at time: Int64) {
        guard leave(request, at: time) else { return }
        courses[request].stage = .fetch(Int32(truncatingIfNeeded: fetch))
    }

    func started(fetch: Int, connected: Int64, firstByte: Int64) {
        while state.pointee.phases.count <= fetch { state.pointee.phases.append((0, 0)) }
        state.pointee.phases[fetch] = (connected, firstByte)
    }

    /// Notes that a visible cell gets its image at a time, which may be later than now.
    func delivered(_ request: Int, now: Int64, at time: Int64) {
        guard leave(request, at: now) else { return }
        add(.mainLane, from: now, until: time, to: request)
        courses[request].stage = .over
        courses[request].since = time
    }

    /// Notes that a cell vanishes. A delivery ahead is taken back, and so are waits that were noted late.
    func vanished(_ request: Int, at time: Int64) {
        if leave(request, at: max(time, courses[request].since)) { courses[request].stage = .over }
        let since = courses[request].since
        courses[request].since = time
        guard time < since else { return }
        let excess = foreground.time(from: min(time, end), to: min(since, end))
        if excess > 0 { takeBack(excess, from: request) }
    }

    private func leave(_ request: Int, at time: Int64) -> Bool {
        let start = courses[request].since
        switch courses[request].stage {
        case .over: return false
        case .on(let wait): add(wait, from: start, until: time, to: request)
        case .fetch(let fetch):
            let (connected, firstByte) = state.pointee.phases[Int(fetch)]
            add(.connect, from: start, until: max(start, min(time, connected)), to: request)
            let waiting = max(start, connected)
            add(.firstByte, from: waiting, until: max(waiting, min(time, firstByte)), to: request)
            let transferring = max(start, firstByte)
            add(.transfer, from: transferring, until: max(transferring, time), to: request)
        }
        courses[request].since = time
        return true
    }

    /// Adds a wait. Cells that are visible at the end of the session vanish there, although the replay ends its work.
    /// Nothing is on the screen in the background, so that time there is no wait.
    private func add(_ wait: Wait, from start: Int64, until stop: Int64, to request: Int) {
        guard start != stop else { return }
        state.pointee.waits[request * Self.kinds + wait.rawValue] +=
            foreground.time(from: min(start, end), to: min(stop, end))
    }

    /// Takes time back that a request did not wait: of a delivery ahead, and then of the waits that were noted late.
    private func takeBack(_ time: Int64, from request: Int) {
        var rest = time
        for wait in Wait.takenBackFirst {
            let place = request * Self.kinds + wait.rawValue
            let part = min(rest, state.pointee.waits[place])
            state.pointee.waits[place] -= part
            rest -= part
        }
    }

    /// Notes that a request has ended without a delivery.
    func ended(_ request: Int, _ outcome: RequestOutcome, at time: Int64) {
        wait(request, for: .nothing, at: time)
        let object = Int(courses[request].object)
        if outcomes[object] != .inProgress, outcome == .deferred { outcomes[object] = .deferred }
    }
}

extension ReplayRecorder {
    /// Returns the causes of each request, in order of appearance.
    ///
    /// - Parameters:
    ///   - requests: The outcomes of the requests.
    ///   - caches: The caches that know the future.
    func causes(
        of requests: [ReplayRequest], _ caches: (memory: KnowingCache, disk: KnowingCache)
    ) -> [RequestCauses] {
        let knowsMemory = FutureKnowledge(
            memoryAccesses, in: caches.memory,
            wanted: requests.indices.filter { courses[$0].memory.leftToMakeRoom })
        let knowsDisk = FutureKnowledge(
            diskAccesses, in: caches.disk, wanted: requests.indices.filter { courses[$0].disk.leftToMakeRoom })
        return requests.indices.map { index in
            let request = requests[index]
            let (memory, disk) = (courses[index].memory, courses[index].disk)
            var causes = RequestCauses()
            // A hit in the memory of encoded bytes is a hit, although the memory tier has missed.
            if memory.isMiss, request.outcome != .memoryHit || request.isWrong {
                causes.memory = memory.cause(
                    isAvoidable: knowsMemory.hits(index), isWrongGuess: isWrongGuess(memory.entry.accessor),
                    isMemory: true)
                causes.evictedBy = memory.evictor
                if memory.entry.absence != .neverStored, memory.entry.absence != .refused {
                    causes.leftMemory = memory.entry.time
                }
            }
            if disk.isMiss, request.outcome != .diskHit || request.isWrong {
                causes.disk = disk.cause(
                    isAvoidable: knowsDisk.hits(index), isWrongGuess: isWrongGuess(disk.entry.accessor), isMemory: false
                )
                if causes.evictedBy == nil { causes.evictedBy = disk.evictor }
            }
            if request.isWrong {
                // The picture of another key came from the tier that the request ended in.
                if request.outcome == .memoryHit { causes.memory = .damaged }
                if request.outcome == .diskHit { causes.disk = .damaged }
            }
            return causes
        }
    }
}

extension ReplayRecorder.Miss {
    /// Whether knowledge of the future decides the cause.
    fileprivate var leftToMakeRoom: Bool {
        isMiss && entry.absence == .evicted && !isFirst && !isDamaged && outcome != .inProgress
    }

    /// The request for whose image the object left; nil if it did not leave to make room.
    fileprivate var evictor: Int? {
        guard !isFirst, entry.absence == .evicted || entry.absence == .evictedAtOnce, entry.accessor >= 0 else {
            return nil
        }
        return Int(entry.accessor)
    }

    /// - Parameter isWrongGuess: Whether it left for an image that was fetched ahead of need, and that was not used.
    fileprivate func cause(isAvoidable: Bool, isWrongGuess: Bool, isMemory: Bool) -> MissCause {
        if isFirst { return isSimilar ? .similarKey : .firstRequest }
        if isValidated { return .validation }
        if isDamaged { return .damaged }
        if outcome == .inProgress { return .inFlight }
        switch entry.absence {
        case .evicted: return isWrongGuess ? .wrongPrefetch : isAvoidable ? .policy : .capacity
        case .evictedAtOnce: return .evictedAtOnce
        case .expired: return .expired
        case .refused: return .refused
        case .removed: return .removal
        case .purged:
            let trigger = ReplayRecorder.Trigger(rawValue: entry.trigger) ?? ReplayRecorder.Trigger.none
            return trigger.cause(isMemory: isMemory)
        case .neverStored:
            switch outcome {
            case .cancelled: return .cancelled
            case .deferred: return .deferred
            case .blocked: return .blocked
            case .failed: return .failed
            case .inProgress: return .inFlight
            // It arrived, and the tier was not to keep it, or it came from the disk without a promotion.
            case .arrived: return .refused
            // An earlier request ended before it was fetched.
            case .none: return .cancelled
            }
        }
    }
}

extension ReplayRecorder.Trigger {
    /// The cause of misses of objects that are lost meanwhile.
    func cause(isMemory: Bool) -> MissCause {
        switch self {
        case .memoryWarning: .memoryWarning
        case .background: .background
        case .relaunch: .relaunch
        case .removal: .removal
        case .none: isMemory ? .removal : .damaged
        }
    }
}

/// Why tiers miss.
extension ReplayRecorder {
    /// Notes a lookup in memory. A prefetch has a negative request.
    ///
    /// - Parameter isTooSmall: Whether memory has the bitmap of a smaller view. Then the image was not evicted: it is
    ///   the first one of such a key, and the smaller one is similar.
    func lookedInMemory(
        _ request: Int, _ imageKey: ImageKey, isHit: Bool, isBeingRead: Bool = false, isTooSmall: Bool = false
    ) {
        state.pointee.memoryAccesses.append(TierAccess(imageKey, request: Int32(truncatingIfNeeded: max(request, -1))))
        let group = similar[imageKey.object]
        if request >= 0 {
            courses[request].object = Int32(truncatingIfNeeded: imageKey.object)
            if !isHit {
                courses[request].memory = Miss(
                    entry: isTooSmall ? TierJournal.Entry() : lastMemoryMiss,
                    outcome: isBeingRead ? .inProgress : outcomes[imageKey.object],
                    isFirst: isTooSmall || !cells[imageKey.number].isSeen,
                    isFirstOfFile: !cells[fileNumber(imageKey)].isFileSeen, isSimilar: seenKeys[group], isMiss: true)
            }
        }
        cells[imageKey.number].isSeen = true
        cells[fileNumber(imageKey)].isFileSeen = true
        seenKeys[group] = true
    }

    /// Notes that what a request has found in memory is the answer to a failed fetch.
    func foundFailureInMemory(_ request: Int) { courses[request].memory = Miss(outcome: .failed, isMiss: true) }

    /// The number of an image for its file, which all sizes of it share.
    private func fileNumber(_ imageKey: ImageKey) -> Int {
        ImageKey(object: imageKey.object, variant: imageKey.variant).number
    }

    /// Notes that a request joins a read that is queued or running.
    func joinsRead(_ request: Int, _ imageKey: ImageKey, at time: Int64) {
        let isBeingRead = cells[imageKey.number].launch == state.pointee.launch
        wait(request, for: isBeingRead ? .diskRead : .diskQueue, at: time)
    }

    /// Notes a read that starts now, for the requests that share it. Its end is later.
    func readFromDisk(_ readers: AllReaders, _ imageKey: ImageKey, at time: Int64) {
        noteRead(imageKey)
        cells[imageKey.number].launch = state.pointee.launch
        state.pointee.diskAccesses.append(
            TierAccess(imageKey, request: readers.first.map { Int32(truncatingIfNeeded: $0) } ?? TierAccess.prefetch))
        for request in readers { wait(request, for: .diskRead, at: time) }
    }

    /// Notes the end of a read, before its body is used.
    func endsRead(_ imageKey: ImageKey) { cells[imageKey.number].launch = -1 }

    /// Notes whether the file of a cell was found, and why not. A file that was found and is damaged is no miss of the
    /// journal.
    private func noteRead(_ imageKey: ImageKey) {
        var (count, entry) = (disk.missCount, disk.lastMiss)
        if areReal { (count, entry) = real?.withDiskJournal { ($0.missCount, $0.lastMiss) } ?? (count, entry) }
        cells[imageKey.number].readMissed = count > state.pointee.diskMissCount
        cells[imageKey.number].read = entry
        state.pointee.diskMissCount = count
    }

    private var lastMemoryMiss: TierJournal.Entry {
        areReal ? real?.withMemoryJournal { $0.lastMiss } ?? TierJournal.Entry() : memory.lastMiss
    }

    /// Notes that a read has ended without a body.
    ///
    /// - Parameters:
    ///   - isKept: Whether the file was found, and is kept although it is damaged.
    ///   - isFailure: Whether the file holds the answer to a failed fetch, and no image.
    func missedOnDisk(_ readers: AllReaders, _ imageKey: ImageKey, isKept: Bool, isFailure: Bool) {
        let state = cells[imageKey.number]
        for request in readers {
            let memory = courses[request].memory
            var miss = Miss(
                outcome: isFailure ? .failed : outcomes[imageKey.object], isFirst: memory.isFirstOfFile,
                isSimilar: memory.isSimilar, isDamaged: !isFailure && (isKept || !state.readMissed), isMiss: true)
            if state.readMissed, !isFailure { miss.entry = state.read }
            courses[request].disk = miss
        }
    }

    /// Notes that a request has found an object past its lifetime, and does not show it before the origin has answered.
    /// A request that then gets the object is a hit of the tier, and has no cause there.
    ///
    /// - Parameter isConditional: Whether the origin can answer that the object is current.
    func validates(_ request: Int, inMemory: Bool, isConditional: Bool) {
        var miss = Miss(isValidated: isConditional, isMiss: true)
        if !isConditional { miss.entry.absence = .expired }
        if inMemory { courses[request].memory = miss } else { courses[request].disk = miss }
    }

    /// Says, at the end, that an image left memory because of an event, and not to make room.
    func attribute(_ request: Int, to trigger: Trigger) {
        guard courses[request].memory.entry.absence == .evicted else { return }
        courses[request].memory.entry.trigger = trigger.rawValue
        courses[request].memory.entry.absence = .purged
    }

    func note(_ outcome: Outcome, of object: Int) { outcomes[object] = outcome }

    /// Notes that a request has used what a prefetch brought.
    func usedPrefetch(_ number: Int) {
        while state.pointee.usedPrefetches.count <= number { state.pointee.usedPrefetches.append(false) }
        state.pointee.usedPrefetches[number] = true
    }

    /// Whether the accessor of a journal's entry is a prefetch whose image no request has used.
    func isWrongGuess(_ accessor: Int32) -> Bool {
        guard let number = AheadObjects.number(accessor) else { return false }
        let used = state.pointee.usedPrefetches
        return number >= used.count || !used[number]
    }

    /// Objects that leave memory from now on leave for a reason of the app's.
    func begin(_ trigger: Trigger) {
        set(trigger)
        guard trigger == .relaunch else { return }
        state.pointee.memoryAccesses.append(.clear)
        state.pointee.launch += 1
    }

    /// Notes that a relaunch ends the fetch of an object.
    func lost(_ object: Int) {
        if outcomes[object] == .inProgress { outcomes[object] = .cancelled }
    }

    func clearedMemory() { state.pointee.memoryAccesses.append(.clear) }

    func endOccasion() { set(.none) }

    /// The disk has no trigger but a relaunch.
    private func set(_ trigger: Trigger) {
        let onDisk = trigger == .relaunch ? trigger : .none
        guard areReal else {
            memory.trigger = trigger.rawValue
            encoded.trigger = trigger.rawValue
            disk.trigger = onDisk.rawValue
            return
        }
        _ = real?.withMemoryJournal { $0.trigger = trigger.rawValue }
        _ = real?.withDiskJournal { $0.trigger = onDisk.rawValue }
    }

    func removedFromMemory(_ imageKey: ImageKey) {
        state.pointee.memoryAccesses.append(TierAccess(imageKey, request: TierAccess.removal))
    }

    func removedFromDisk(_ imageKey: ImageKey) {
        state.pointee.diskAccesses.append(TierAccess(imageKey, request: TierAccess.removal))
    }

    /// Notes what the tiers work for.
    func looks(_ request: Int, at time: Int64) {
        let accessor = Int32(truncatingIfNeeded: request)
        guard areReal else {
            memory.accessor = accessor
            disk.accessor = accessor
            memory.time = time
            disk.time = time
            return
        }
        _ = real?.withMemoryJournal { ($0.accessor, $0.time) = (accessor, time) }
        _ = real?.withDiskJournal { ($0.accessor, $0.time) = (accessor, time) }
    }
}

/// The journals of tiers that guard them by locks, because several threads use the tiers.
package protocol TierJournals: Sendable {
    /// Calls `body` with the journal of memory, under its lock. Returns nil if there is none.
    func withMemoryJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result?
    func withDiskJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result?
}

/// The objects of a trace whose keys differ at most in their queries. The explained replays of a trace share them.
final class SimilarKeys: Sendable {
    private let keys: [String]
    private let made = Locked<[Int]?>(nil)

    init(_ keys: [String]) { self.keys = keys }

    /// By object: the first object whose key differs at most in its query, usually itself.
    var groups: [Int] {
        made.withLock { made in
            if let made { return made }
            var first: [Substring: Int] = [:]
            let groups = keys.enumerated().map { index, key in
                // Bytes, not characters: a question mark is one byte.
                let stem = Substring(key.utf8.prefix { $0 != UInt8(ascii: "?") })
                let group = first[stem] ?? index
                first[stem] = group
                return group
            }
            made = groups
            return groups
        }
    }
}
