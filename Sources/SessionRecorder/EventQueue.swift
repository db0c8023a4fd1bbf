/// The events that wait for the writer, up to a number of events and a number of bytes. Both limits include the events
/// that the writer has taken.
///
/// Events beyond a limit are dropped and counted: the app neither waits for the disk nor fills its memory.
struct EventQueue {
    struct Batch {
        var events: [RecordedEvent]
        fileprivate(set) var bytes: Int
    }

    let countLimit: Int
    let byteLimit: Int
    private var waiting: [RecordedEvent] = []
    private var waitingBytes = 0
    private var heldCount = 0
    private var heldBytes = 0
    /// The number of events dropped since the last event that was queued.
    private var droppedLately = 0
    /// The number of all events dropped.
    private(set) var dropped = 0

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = max(1, countLimit)
        self.byteLimit = max(1, byteLimit)
    }

    /// Whether no event waits, and the writer has none.
    var isEmpty: Bool { heldCount == 0 }

    /// Whether half of a limit is reached, which is the time to write.
    var isFilling: Bool { heldCount * 2 >= countLimit || heldBytes * 2 >= byteLimit }

    mutating func append(_ event: RecordedEvent) {
        let bytes = event.byteCount
        guard heldCount < countLimit, heldBytes + bytes <= byteLimit else {
            let lost = max(1, event.eventCount)
            dropped += lost
            droppedLately += lost
            return
        }
        heldCount += 1
        heldBytes += bytes
        waitingBytes += bytes
        waiting.append(event)
        waiting[waiting.count - 1].droppedBefore = droppedLately
        droppedLately = 0
    }

    /// Takes all waiting events. They count towards the limits until ``release(_:)``.
    mutating func take() -> Batch {
        defer {
            waiting = []
            waitingBytes = 0
        }
        return Batch(events: waiting, bytes: waitingBytes)
    }

    mutating func release(_ batch: Batch) {
        heldCount -= batch.events.count
        heldBytes -= batch.bytes
    }

    /// Returns the number of events dropped since the last queued event, and resets it.
    mutating func takeDroppedLately() -> Int {
        defer { droppedLately = 0 }
        return droppedLately
    }
}
