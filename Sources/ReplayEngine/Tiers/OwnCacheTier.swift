import Basics
import CachePolicies
import CacheTiers

/// One driven tier: calls it, checks its answers, and collects its figures.
final class OwnCacheTier {
    private let store: any OwnCacheStore
    private let objects: ReplayObjects
    /// Whether a relaunch of the app empties it.
    private let isVolatile: Bool
    private let journal: TierJournal?
    /// By ``number(_:)``.
    private var states: [State]
    private var found: [CacheFault.Kind: CacheFault] = [:]
    private(set) var calls = 0
    private(set) var callTime: Int64 = 0
    private(set) var reportsBytes = false
    private(set) var occupancy = Occupancy()
    private(set) var peakBytes = 0
    var readBytes: Int64 = 0
    var writtenBytes: Int64 = 0
    /// When objects are known to have been held: from a call to a later one, and the bytes.
    private var proven: [(from: Int, to: Int, bytes: Int)] = []
    /// The images that it can hold: those that were stored, and neither removed nor lost in a relaunch.
    private var possible = Occupancy()
    /// The bytes that it said to hold right after the last relaunch: a fault that is named once.
    private var keptBytes = 0
    /// The bytes of all stores, without the bytes of replaced images.
    private var insertedBytes = 0
    private var events = OwnCacheEvents()
    /// The call that told of the last relaunch; -1 before it.
    private var relaunched = -1

    private struct State {
        enum Known: UInt8 { case never, stored, removed, gone }
        var known = Known.never
        /// The object whose image was stored.
        package var object: Int32 = -1
        /// The loss that ended the last time for which it was stored; -1 for none.
        var loss: Int32 = -1
        package var bytes = 0
        /// Its bytes or its cost, whichever is more.
        var weight = 0
        /// The call that stored it, and the last one that found it.
        var stored = 0
        var seen = 0
        /// ``insertedBytes`` at the call that found it last.
        var insertedWhenSeen = 0
    }

    init(_ store: any OwnCacheStore, _ objects: ReplayObjects, isVolatile: Bool, _ journal: TierJournal?) {
        self.store = store
        self.objects = objects
        self.isVolatile = isVolatile
        self.journal = journal
        states = Array(repeating: State(), count: objects.keys.count * 2)
        noteBytes(nil, "asking what it holds before anything is stored")
    }

    var faults: [CacheFault] { CacheFault.Kind.allCases.compactMap { found[$0] } }

    /// The most bytes that were held at once, as far as answers prove it: an object that is found was held since it
    /// was stored.
    var provenBytes: Int {
        var changes: [(call: Int, bytes: Int)] = []
        func add(_ from: Int, _ to: Int, _ bytes: Int) {
            changes.append((from, bytes))
            changes.append((to + 1, -bytes))
        }
        for interval in proven { add(interval.from, interval.to, interval.bytes) }
        for state in states where state.known == .stored && state.seen > state.stored {
            add(state.stored, state.seen, state.bytes)
        }
        // At one call, what leaves goes first.
        changes.sort { ($0.call, $0.bytes) < ($1.call, $1.bytes) }
        var (level, peak) = (0, 0)
        for change in changes {
            level += change.bytes
            peak = max(peak, level)
        }
        return peak
    }

    /// Returns the requests whose images left because of an event, and the numbers of all memory warnings and of those
    /// at which nothing was freed.
    func attributedLosses(
        provenBytes: Int
    ) -> (requests: [(Int, ReplayRecorder.Trigger)], warnings: (all: Int, unheeded: Int)) {
        events.attributed(capacity: reportsBytes ? peakBytes : provenBytes, isExact: reportsBytes)
    }

    /// - Parameter modelled: The duration of the cost model; nil if the call is timed.
    package func find(_ imageKey: ImageKey, _ modelled: Int64?) -> Answer<Int> {
        calls += 1
        let key = OwnCacheKey(imageKey)
        let answer: OwnCacheAnswer
        var duration = modelled ?? 0
        do {
            if modelled == nil {
                let begun = MonotonicClock.now
                answer = try store.find(key)
                duration = MonotonicClock.now - begun
                callTime += duration
            } else {
                answer = try store.find(key)
            }
        } catch {
            report(error, imageKey, "looking it up")
            return miss(imageKey, duration)
        }
        if let fault = store.takeFault() { report(fault, imageKey, "looking it up") }
        switch answer {
        case .nothing: return miss(imageKey, duration)
        case .unknown:
            report(.unknownImage, imageKey, "returned something else")
            return Answer(found: .hit, body: imageKey.object, duration: duration, isWrong: true)
        case .image(let image):
            let number = number(imageKey)
            let state = states[number]
            switch state.known {
            // A cache may look like it has lost an image, and find it again: on its disk, for example.
            case .stored where state.object == Int32(truncatingIfNeeded: image.object),
                .gone where state.object == Int32(truncatingIfNeeded: image.object):
                guard isVolatile, state.stored < relaunched else {
                    saw(number)
                    return Answer(
                        found: .hit, body: image.object, duration: duration, isWrong: image.object != imageKey.object)
                }
                report(.survivedRelaunch, imageKey, "returned although the app was relaunched after it was stored")
            case .removed where image == key:
                report(.removed, imageKey, "returned after its removal")
            case .never where image == key:
                report(.neverStored, imageKey, "returned although nothing was stored under it")
            default:
                report(.wrongImage, imageKey, "returned the image of \(objects.keys[image.object].prefix(120))")
            }
            return Answer(found: .hit, body: image.object, duration: duration, isWrong: true)
        }
    }

    /// Notes that an image was found that was stored before.
    private func saw(_ number: Int) {
        if states[number].known == .gone {
            states[number].known = .stored
            states[number].stored = calls
        } else {
            events.survived(since: states[number].seen)
        }
        states[number].seen = calls
        states[number].insertedWhenSeen = insertedBytes
    }

    func store(_ body: Int, _ imageKey: ImageKey, bytes: Int, cost: Int) -> Int64 {
        calls += 1
        let number = number(imageKey)
        close(number)
        forget(number)
        // What replaces an image needs no more room than it.
        insertedBytes += states[number].known == .stored ? max(0, bytes - states[number].bytes) : bytes
        states[number] = State(
            known: .stored, object: Int32(truncatingIfNeeded: body), bytes: bytes, weight: max(bytes, cost),
            stored: calls, seen: calls, insertedWhenSeen: insertedBytes)
        possible = Occupancy(objects: possible.objects + 1, bytes: possible.bytes + states[number].weight)
        let duration = timed(imageKey, "storing it") {
            try store.store(
                OwnCacheKey(object: body, isThumbnail: imageKey.variant == 0), under: OwnCacheKey(imageKey), cost: cost)
        }
        noteBytes(imageKey, "storing it")
        return duration
    }

    package func remove(_ imageKey: ImageKey) -> Int64 {
        calls += 1
        let number = number(imageKey)
        let duration = timed(imageKey, "removing it") { try store.remove(OwnCacheKey(imageKey)) }
        if states[number].known == .stored {
            close(number)
            journal?.purged(number)
        }
        forget(number)
        if states[number].known != .never { states[number].known = .removed }
        noteBytes(imageKey, "removing it")
        return duration
    }

    func notice(_ event: SystemEvent) {
        calls += 1
        let before = reportsBytes ? occupancy.bytes : nil
        _ = timed(nil, event.phrase) { try store.notice(event) }
        if event == .relaunch, isVolatile {
            relaunched = calls
            // What is left is a fault of its own.
            let left = ((try? store.heldBytes) ?? nil) ?? 0
            let most = OwnCacheFigures.mostBytes(holding: possible) + keptBytes
            if left > 0 { report(.survivedRelaunch, nil, "\(event.phrase): it says that it holds \(left) bytes") }
            keptBytes = min(max(0, left), most)
            possible = Occupancy()
        }
        noteBytes(nil, event.phrase)
        guard isVolatile else { return }
        let now = reportsBytes ? occupancy.bytes : nil
        events.note(event, call: calls, inserted: insertedBytes, before: before, after: now)
    }

    private func miss(_ imageKey: ImageKey, _ duration: Int64) -> Answer<Int> {
        let number = number(imageKey)
        let state = states[number]
        if state.known == .stored {
            close(number)
            states[number].known = .gone
            states[number].loss = -1
            if let journal {
                // It left at some time since it was seen last. For which other image is not known.
                let accessor = journal.accessor
                journal.accessor = -1
                journal.left(number, .capacity, admitting: -1)
                journal.accessor = accessor
                states[number].loss = events.lost(
                    since: state.seen, inserted: state.insertedWhenSeen, bytes: state.bytes)
            }
        }
        if let journal, states[number].known == .gone {
            events.missed(Int(journal.accessor), loss: states[number].loss)
        }
        journal?.missed(number)
        return Answer(found: .miss, body: nil, duration: duration)
    }

    /// A number that cells with the same key share.
    private func number(_ imageKey: ImageKey) -> Int { objects.memoryNumber(imageKey) }

    /// Notes the time for which an object was held for certain.
    private func close(_ number: Int) {
        let state = states[number]
        if state.known == .stored, state.seen > state.stored {
            proven.append((state.stored, state.seen, state.bytes))
        }
    }

    /// Notes that the image that was stored under a number can no longer be held.
    private func forget(_ number: Int) {
        let state = states[number]
        guard state.known == .stored || state.known == .gone else { return }
        // A relaunch has forgotten what was stored before it.
        guard !isVolatile || state.stored > relaunched else { return }
        possible = Occupancy(objects: possible.objects - 1, bytes: possible.bytes - state.weight)
    }

    private func timed(_ imageKey: ImageKey?, _ call: String, _ body: () throws -> Void) -> Int64 {
        let begun = MonotonicClock.now
        do {
            try body()
            if let fault = store.takeFault() { report(fault, imageKey, call) }
        } catch { report(error, imageKey, call) }
        let duration = MonotonicClock.now - begun
        callTime += duration
        return duration
    }

    /// Notes the bytes that the cache says it holds. A figure that cannot be true is a fault, and is not used.
    private func noteBytes(_ imageKey: ImageKey?, _ call: String) {
        guard let bytes = (try? store.heldBytes) ?? nil else { return }
        let most = OwnCacheFigures.mostBytes(holding: possible) + keptBytes
        guard (0...most).contains(bytes) else {
            report(
                .impossibleBytes, imageKey,
                "\(call): it says that it holds \(bytes) bytes; at most \(most) are possible")
            return
        }
        reportsBytes = true
        occupancy = Occupancy(objects: 0, bytes: bytes)
        peakBytes = max(peakBytes, bytes)
    }

    private func report(_ error: any Error, _ imageKey: ImageKey?, _ call: String) {
        if let fault = error as? OwnCacheFault { return report(fault.kind, imageKey, "\(call): \(fault.text)") }
        report(.threw, imageKey, "\(call): \(error)")
    }

    private func report(_ kind: CacheFault.Kind, _ imageKey: ImageKey?, _ what: String) {
        let key =
            imageKey.map { "\(objects.keys[$0.object].prefix(120))\($0.variant == 0 ? " (thumbnail)" : ""): " } ?? ""
        found[kind, default: CacheFault(kind: kind, count: 0, first: key + what)].count += 1
    }
}

extension SystemEvent {
    fileprivate var phrase: String {
        switch self {
        case .memoryWarning: "telling it of a memory warning"
        case .background: "telling it of the background"
        case .relaunch: "telling it of a relaunch"
        }
    }
}
