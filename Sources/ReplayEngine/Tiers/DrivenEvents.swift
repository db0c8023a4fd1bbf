/// What the system has told a driven memory, and the images that were lost around it.
///
/// A replay knows what a cache answers, not what it holds. An image that was found before an event, and not after it,
/// left because of the event, or to make room for others. The event is the cause if
/// - it can have removed images: the cache holds fewer bytes after it or, if the cache does not say what it holds,
///   nothing that it held before the event was ever found after it; a background counts only if an image was lost
///   that no other event can have removed; and if
/// - room was not the cause: the images that were stored since the image was found last, and the image, fit into the
///   cache together. Its size is the most bytes that it is known to have held. If it never loses an image but around
///   events, it has room for all.
struct DrivenEvents {
    private struct Event {
        var kind: SystemEvent
        var call: Int
        /// The bytes of all stores until then.
        var inserted: Int
        /// The bytes that the cache held before and after it; nil if it does not say.
        package var held: (before: Int, after: Int)?
    }

    private struct Loss {
        /// The events since the image was found last.
        var events: Range<Int>
        var inserted: Int
        package var bytes: Int
    }

    private var events: [Event] = []
    /// The images that were found before and after an event.
    private var survivors = RangeCounts()
    /// The images that were found before an event, and are lost since.
    private var missing = RangeCounts()
    private var losses: [Loss] = []
    private var misses: [(request: Int, loss: Int)] = []
    /// Whether an image was lost without an event.
    private var evicts = false

    /// - Parameters:
    ///   - before: The bytes that the cache held before the event; nil if it does not say.
    ///   - after: Those after it.
    mutating func note(_ kind: SystemEvent, call: Int, inserted: Int, before: Int?, after: Int?) {
        var event = Event(kind: kind, call: call, inserted: inserted)
        if let before, let after { event.held = (before, after) }
        events.append(event)
    }

    /// Notes that an image was found which was held since a call.
    mutating func survived(since call: Int) {
        survivors.add(firstEvent(after: call)..<events.count)
    }

    /// Notes that an image is no longer held.
    ///
    /// - Parameters:
    ///   - call: The call that found it last.
    ///   - inserted: The bytes of all stores until then.
    /// - Returns: The number of the loss.
    mutating func lost(since call: Int, inserted: Int, bytes: Int) -> Int32 {
        let first = firstEvent(after: call)
        guard first < events.count else {
            evicts = true
            return -1
        }
        missing.add(first..<events.count)
        losses.append(Loss(events: first..<events.count, inserted: inserted, bytes: bytes))
        return Int32(truncatingIfNeeded: losses.count - 1)
    }

    /// Notes a request that a loss has made a miss. A prefetch has a negative request.
    mutating func missed(_ request: Int, loss: Int32) {
        if loss >= 0, request >= 0 { misses.append((request, Int(loss))) }
    }

    /// Complexity: O(log n) in the number of events.
    private func firstEvent(after call: Int) -> Int {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].call > call { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the requests that an event has made misses, and the numbers of all memory warnings and of those at which
    /// nothing was freed.
    ///
    /// - Parameters:
    ///   - capacity: The most bytes that the cache is known to have held.
    ///   - isExact: Whether the cache says what it holds.
    func attributed(
        capacity: Int, isExact: Bool
    ) -> (requests: [(Int, ReplayRecorder.Occasion)], warnings: (all: Int, unheeded: Int)) {
        let (survivors, missing) = (survivors.counts(events.count), missing.counts(events.count))
        // Few caches free memory in the background, which often precedes a relaunch.
        let only = Set(losses.filter { $0.events.count == 1 }.map(\.events.lowerBound))
        func frees(_ event: Int) -> Bool {
            if events[event].kind == .relaunch { return true }
            if let held = events[event].held { return held.after < held.before }
            return survivors[event] == 0 && (events[event].kind == .memoryWarning || only.contains(event))
        }
        // The first event from each one on that frees memory.
        var next = [Int](repeating: events.count, count: events.count + 1)
        for event in events.indices.reversed() { next[event] = frees(event) ? event : next[event + 1] }
        func occasion(_ loss: Loss) -> ReplayRecorder.Occasion? {
            let event = next[loss.events.lowerBound]
            guard event < loss.events.upperBound else { return nil }
            let fits = events[event].inserted - loss.inserted + loss.bytes <= capacity
            guard fits || !isExact && !evicts else { return nil }
            return switch events[event].kind {
            case .memoryWarning: .memoryWarning
            case .background: .background
            case .relaunch: .relaunch
            }
        }
        let occasions = losses.map(occasion)
        let warnings = events.indices.filter { events[$0].kind == .memoryWarning }
        let unheeded = warnings.count { event in
            events[event].held.map { $0.before > 0 && $0.after >= $0.before }
                ?? (survivors[event] > 0 && missing[event] == 0)
        }
        return (
            misses.compactMap { miss in occasions[miss.loss].map { (miss.request, $0) } }, (warnings.count, unheeded)
        )
    }
}

/// Counts for ranges of numbers.
private struct RangeCounts {
    /// By number: the change of the count from the number before it.
    private var changes: [Int] = []

    /// Adds one to each number of a range.
    mutating func add(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        while changes.count <= range.upperBound { changes.append(0) }
        changes[range.lowerBound] += 1
        changes[range.upperBound] -= 1
    }

    /// Returns the counts of the numbers below a limit.
    func counts(_ limit: Int) -> [Int] {
        var count = 0
        return (0..<limit).map { number in
            if number < changes.count { count += changes[number] }
            return count
        }
    }
}
