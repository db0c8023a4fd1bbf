/// Events that wait for the writer: at most so many, of at most so many bytes, those in the writer's hands included.
///
/// What finds no room is dropped and counted: the app must not wait for a disk, nor fill its memory because of one.
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
    /// Dropped since the last event that found room.
    private var droppedLately = 0
    /// Dropped in all.
    private(set) var dropped = 0

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = max(1, countLimit)
        self.byteLimit = max(1, byteLimit)
    }

    /// Nothing waits, and nothing is in the writer's hands.
    var isEmpty: Bool { heldCount == 0 }

    /// Half of the room is taken: time to write.
    var isFilling: Bool { heldCount * 2 >= countLimit || heldBytes * 2 >= byteLimit }

    mutating func append(_ event: RecordedEvent) {
        let bytes = event.byteCount
        guard heldCount < countLimit, heldBytes + bytes <= byteLimit else {
            dropped += 1
            droppedLately += 1
            return
        }
        heldCount += 1
        heldBytes += bytes
        waitingBytes += bytes
        waiting.append(event)
        waiting[waiting.count - 1].droppedBefore = droppedLately
        droppedLately = 0
    }

    /// Hands out all that wait. They go on taking room until ``release(_:)``.
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

    /// The number dropped that no event will tell of, as none followed.
    mutating func takeDroppedLately() -> Int {
        defer { droppedLately = 0 }
        return droppedLately
    }
}
