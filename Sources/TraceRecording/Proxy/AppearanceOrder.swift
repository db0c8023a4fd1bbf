/// Requests in the order in which they came, though whether one is to be written down may be known only later.
///
/// An `appear` may not stand before an earlier one in the file. So one that is decided waits for those before it, but
/// not for long: what is undecided after ``patience`` is passed over, and written late if it turns out to be an image
/// after all.
struct AppearanceOrder {
    struct Appearance: Equatable {
        var ticket: Int
        /// Microseconds since the start of the trace.
        var time: Int64
        var isDecided: Bool
    }

    /// Microseconds: above the time to first byte of nearly every image, below what is a loss when the recorder is
    /// killed.
    static let patience: Int64 = 1_000_000

    private var waiting: [Appearance] = []
    private var next = 0

    /// Returns the ticket by which the rest is told.
    mutating func arrive(at time: Int64, isDecided: Bool) -> Int {
        waiting.append(Appearance(ticket: next, time: time, isDecided: isDecided))
        defer { next += 1 }
        return next
    }

    /// Returns false where the request was passed over already, so that its appearance is to be written now.
    mutating func decide(_ ticket: Int, isWanted: Bool) -> Bool {
        // In order of their tickets.
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

    /// Takes out what may be written by now.
    mutating func release(at now: Int64) -> [Appearance] {
        let end = waiting.firstIndex { !$0.isDecided && $0.time + Self.patience > now } ?? waiting.count
        guard end > 0 else { return [] }
        defer { waiting.removeFirst(end) }
        return waiting[..<end].filter(\.isDecided)
    }
}
