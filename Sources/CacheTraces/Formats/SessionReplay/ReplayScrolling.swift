import SessionModel

/// The movements of a list in a session replay, and the touches that tell who moves it.
struct ReplayScrolling {
    private var touches: [(time: Double, isDown: Bool?)] = []
    /// The offsets of the lists of a page, by the number of the list.
    private var lists: [Int64: [(time: Double, offset: Double)]] = [:]

    mutating func touch(isDown: Bool?, at time: Double) { touches.append((time, isDown)) }

    mutating func scroll(_ list: Int64, to offset: Double, at time: Double) {
        lists[list, default: []].append((time, offset))
    }

    /// The offsets of the list of a page that moves most; empty if none does.
    var offsets: [(time: Double, offset: Double)] {
        lists.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.value ?? []
    }

    /// Returns the events of a list: dragged while a finger is down, and at rest if it does not move for a while.
    ///
    /// - Parameters:
    ///   - offsets: In points, in order of time, in milliseconds.
    ///   - rest: Milliseconds without a movement after which the list is at rest.
    func events(_ offsets: [(time: Double, offset: Double)], rest: Double) -> [(
        time: Double, action: TraceEvent.Action
    )] {
        var events: [(time: Double, action: TraceEvent.Action)] = []
        var last: (time: Double, offset: Double)?
        var next = 0
        var isDown = false
        var lastMove = -Double.infinity
        for sample in offsets {
            if let last, sample.time - last.time > rest {
                events.append((last.time + rest, .scroll(.atRest, offset: last.offset, velocity: 0)))
            }
            while next < touches.count, touches[next].time <= sample.time {
                if let down = touches[next].isDown { isDown = down } else { lastMove = touches[next].time }
                next += 1
            }
            let isMoving = last.map { sample.time - $0.time <= rest } ?? false
            var velocity = 0.0
            if isMoving, let last, sample.time > last.time {
                velocity = ((sample.offset - last.offset) / (sample.time - last.time) * 10_000).rounded() / 10
            }
            let phase: ScrollPhase = isDown || sample.time - lastMove < 150 ? .dragged : .decelerating
            events.append((sample.time, .scroll(phase, offset: sample.offset, velocity: velocity)))
            last = sample
        }
        if let last { events.append((last.time + rest, .scroll(.atRest, offset: last.offset, velocity: 0))) }
        return events
    }
}
