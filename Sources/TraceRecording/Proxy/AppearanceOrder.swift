/// The requests that are not recorded yet, in the order of their arrival. Whether a request is for an image can be
/// known only when its response comes.
///
/// The `appear` events of a trace are in order of time. A request whose response has come therefore waits for the
/// earlier ones, but not longer than ``patience``: after that, an undecided request is skipped, and its event is
/// written late if it is for an image.
struct AppearanceOrder {
    struct Appearance: Equatable {
        var ticket: Int
        /// Microseconds since the start of the trace.
        var time: Int64
        var isDecided: Bool
    }

    /// In microseconds: longer than the time to the first byte of nearly all images, and short enough that little is
    /// lost if the recorder is killed.
    static let patience: Int64 = 1_000_000

    private var waiting: [Appearance] = []
    private var next = 0

    /// Adds a request, and returns its ticket for ``decide(_:isWanted:)``.
    mutating func arrive(at time: Int64, isDecided: Bool) -> Int {
        waiting.append(Appearance(ticket: next, time: time, isDecided: isDecided))
        defer { next += 1 }
        return next
    }

    /// Decides whether a request is recorded. Returns false if it was skipped already, so that its event is written
    /// now.
    mutating func decide(_ ticket: Int, isWanted: Bool) -> Bool {
        // Binary search: tickets rise.
        var low = 0
        var high = waiting.count
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        guard low < waiting.count, waiting[low].ticket == ticket else { return false }
        if isWanted { waiting[low].isDecided = true } else { waiting.remove(at: low) }
        return true
    }

    /// Removes and returns the requests that can be written.
    mutating func release(at now: Int64) -> [Appearance] {
        let end = waiting.firstIndex { !$0.isDecided && $0.time + Self.patience > now } ?? waiting.count
        guard end > 0 else { return [] }
        defer { waiting.removeFirst(end) }
        return waiting[..<end].filter(\.isDecided)
    }
}
