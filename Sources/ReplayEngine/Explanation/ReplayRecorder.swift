import CachePolicies
import CacheTiers
import SessionModel
import Synchronization

/// Records what the requests of a replay wait for, and why tiers miss. The pipeline calls it at each change.
///
/// Times are nanoseconds of the replay. A request always waits for exactly one thing, from its appearance until it is
/// delivered or its cell vanishes, so the waits sum to the blank time.
final class ReplayRecorder {
    /// What the app does while objects leave a tier: ``TierJournal/occasion``.
    enum Occasion: UInt8 {
        case none, memoryWarning, background, relaunch, removal
    }

    /// What became of an object's last fetch or request.
    enum Fate: UInt8 {
        case none, inProgress, arrived, cancelled, deferred, blocked, failed
    }

    /// An access to a tier, for the comparison with a policy that knows the future.
    enum TierAccess {
        /// `number` identifies the object in the tier. `request` is negative for prefetches.
        case lookup(number: Int, size: Int, request: Int)
        case removal(number: Int)
        case clear
    }

    /// What is known of the last lookup that missed in a tier.
    struct Miss {
        var entry = TierJournal.Entry()
        /// The fate of the object's last fetch at that time.
        var fate = Fate.none
        /// Nothing has asked for the cell's image before.
        var isFirst = false
        /// Something has asked for an image before whose key differs only in its query, or for another variant.
        var isSimilar = false
        /// The file was found, and was damaged.
        var isDamaged = false
    }

    let memory = TierJournal()
    let disk = TierJournal()
    private(set) var memoryMisses: [Miss?]
    private(set) var diskMisses: [Miss?]
    private(set) var memoryAccesses: [TierAccess] = []
    private(set) var diskAccesses: [TierAccess] = []
    /// By object.
    private var fates: [Fate]
    let objects: ReplayObjects
    private var cells: [Cell]
    /// By ``Cell/number``: whether something has asked for the image.
    private var seen: [Bool]
    /// By object: the first object whose key differs at most in its query.
    private let similar: [Int]
    private var seenKeys: [Bool]
    /// By ``Cell/number``: whether the file is being read.
    private var reading: [Bool]
    /// By ``Cell/number``: the journal's entry of the last read; nil if the file was found.
    private var reads: [TierJournal.Entry?]
    private var diskMissCount = 0

    private var stages: [Stage]
    private var since: [Int64]
    /// By request, ``Wait`` after ``Wait``.
    private var waits: [Int64]
    /// By fetch: when its connection is open, and when its first byte arrives.
    private var phases: [(connected: Int64, firstByte: Int64)] = []

    /// What a request waits for; a fetch divides its wait later.
    private enum Stage {
        case on(Wait)
        case fetch(Int)
        /// The wait is over, or the cell has vanished.
        case over
    }

    private let end: Int64

    private static let kinds = Wait.allCases.count

    /// - Parameters:
    ///   - requests: The number of requests.
    ///   - objects: The objects as the cache sees them.
    ///   - similar: By object: the first object whose key differs at most in its query. See ``SimilarKeys``.
    ///   - end: The time of the last event.
    init(requests: Int, objects: ReplayObjects, similar: [Int], end: Int64) {
        self.end = end
        self.objects = objects
        let keys = objects.keys
        cells = Array(repeating: Cell(object: 0, variant: 1), count: requests)
        seen = Array(repeating: false, count: keys.count * 2)
        self.similar = similar
        reading = seen
        reads = Array(repeating: nil, count: keys.count * 2)
        seenKeys = Array(repeating: false, count: keys.count)
        memoryMisses = Array(repeating: nil, count: requests)
        diskMisses = memoryMisses
        fates = Array(repeating: .none, count: keys.count)
        stages = Array(repeating: .over, count: requests)
        since = Array(repeating: 0, count: requests)
        waits = Array(repeating: 0, count: requests * Self.kinds)
    }

    // MARK: Waits

    func appeared(_ request: Int, at time: Int64) {
        stages[request] = .on(.mainLane)
        since[request] = time
    }

    /// Notes that a request waits for something else from now on. A request that waits no more is not changed.
    func wait(_ request: Int, for wait: Wait, at time: Int64) {
        guard leave(request, at: time) else { return }
        stages[request] = .on(wait)
    }

    func wait(_ request: Int, forFetch fetch: Int, at time: Int64) {
        guard leave(request, at: time) else { return }
        stages[request] = .fetch(fetch)
    }

    func started(fetch: Int, connected: Int64, firstByte: Int64) {
        while phases.count <= fetch { phases.append((0, 0)) }
        phases[fetch] = (connected, firstByte)
    }

    /// Notes that a visible cell gets its image at a time, which may be later than now.
    func delivered(_ request: Int, now: Int64, at time: Int64) {
        guard leave(request, at: now) else { return }
        add(.mainLane, from: now, until: time, to: request)
        stages[request] = .over
        since[request] = time
    }

    /// Notes that a cell vanishes. A delivery ahead is taken back.
    func vanished(_ request: Int, at time: Int64) {
        if leave(request, at: time) {
            stages[request] = .over
        } else if since[request] > time {
            add(.mainLane, from: since[request], until: time, to: request)
        }
        since[request] = time
    }

    private func leave(_ request: Int, at time: Int64) -> Bool {
        switch stages[request] {
        case .over: return false
        case .on(let wait): add(wait, from: since[request], until: time, to: request)
        case .fetch(let fetch):
            let (connected, firstByte) = phases[fetch]
            let start = since[request]
            add(.connect, from: start, until: max(start, min(time, connected)), to: request)
            let waiting = max(start, connected)
            add(.firstByte, from: waiting, until: max(waiting, min(time, firstByte)), to: request)
            let transferring = max(start, firstByte)
            add(.transfer, from: transferring, until: max(transferring, time), to: request)
        }
        since[request] = time
        return true
    }

    /// Adds a wait, or takes one back if it ends before it starts. Cells that are visible at the end of the session
    /// vanish there, although the replay ends its work.
    private func add(_ wait: Wait, from start: Int64, until stop: Int64, to request: Int) {
        waits[request * Self.kinds + wait.rawValue] += min(stop, end) - min(start, end)
    }

    func waits(of request: Int) -> [Int64] { Array(waits[request * Self.kinds..<(request + 1) * Self.kinds]) }

    /// Notes that a request has ended without a delivery.
    func ended(_ request: Int, _ outcome: RequestOutcome, at time: Int64) {
        wait(request, for: .nothing, at: time)
        let object = cells[request].object
        if fates[object] != .inProgress, outcome == .deferred { fates[object] = .deferred }
    }

    // MARK: Misses

    /// Notes a lookup in memory. A prefetch has a negative request.
    func lookedInMemory(_ request: Int, _ cell: Cell, isHit: Bool, isBeingRead: Bool = false) {
        memoryAccesses.append(
            .lookup(number: objects.memoryNumber(cell), size: objects.held(cell.object), request: request))
        defer {
            seen[cell.number] = true
            seenKeys[similar[cell.object]] = true
        }
        guard request >= 0 else { return }
        cells[request] = cell
        guard !isHit else { return }
        var miss = Miss(entry: memory.lastMiss, fate: fates[cell.object])
        if isBeingRead { miss.fate = .inProgress }
        if !seen[cell.number] { miss.isFirst = true }
        miss.isSimilar = seenKeys[similar[cell.object]]
        memoryMisses[request] = miss
    }

    /// Notes that a request joins a read that is queued or running.
    func joinsRead(_ request: Int, _ cell: Cell, at time: Int64) {
        wait(request, for: reading[cell.number] ? .diskRead : .diskQueue, at: time)
    }

    /// Notes a read that has just been done, for the requests that share it. Its end is later.
    func readFromDisk(_ requests: [Int], _ cell: Cell, at time: Int64) {
        let isMiss = disk.missCount > diskMissCount
        diskMissCount = disk.missCount
        reads[cell.number] = isMiss ? disk.lastMiss : nil
        reading[cell.number] = true
        diskAccesses.append(
            .lookup(
                number: objects.diskNumber(cell), size: objects.written(cell.object), request: requests.first ?? -1))
        for request in requests { wait(request, for: .diskRead, at: time) }
    }

    func endsRead(_ cell: Cell) { reading[cell.number] = false }

    /// Notes that a read has ended without a body. A file that was found and is damaged is no miss of the journal.
    func missedOnDisk(_ requests: [Int], _ cell: Cell) {
        for request in requests {
            var miss = Miss(entry: reads[cell.number] ?? TierJournal.Entry(), fate: fates[cell.object])
            miss.isDamaged = reads[cell.number] == nil
            if let memory = memoryMisses[request] {
                (miss.isFirst, miss.isSimilar) = (memory.isFirst, memory.isSimilar)
            }
            diskMisses[request] = miss
        }
    }

    func note(_ fate: Fate, of object: Int) { fates[object] = fate }

    /// Objects that leave from now on leave for a reason of the app's.
    func begin(_ occasion: Occasion) {
        memory.occasion = occasion.rawValue
        disk.occasion = occasion.rawValue
        switch occasion {
        case .relaunch:
            memoryAccesses.append(.clear)
            for cell in reading.indices { reading[cell] = false }
            for object in fates.indices where fates[object] == .inProgress { fates[object] = .cancelled }
        case .none, .memoryWarning, .background, .removal: break
        }
    }

    func clearedMemory() { memoryAccesses.append(.clear) }

    func endOccasion() {
        memory.occasion = Occasion.none.rawValue
        disk.occasion = Occasion.none.rawValue
    }

    func removed(_ cell: Cell) {
        memoryAccesses.append(.removal(number: objects.memoryNumber(cell)))
        diskAccesses.append(.removal(number: objects.diskNumber(cell)))
    }

    /// Notes what the tiers work for.
    func looks(_ request: Int, at time: Int64) {
        memory.accessor = Int32(truncatingIfNeeded: request)
        disk.accessor = memory.accessor
        memory.time = time
        disk.time = time
    }
}

/// The objects of a trace whose keys differ at most in their queries. The explained replays of a trace share them.
final class SimilarKeys: Sendable {
    private let keys: [String]
    private let made = Mutex<[Int]?>(nil)

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
