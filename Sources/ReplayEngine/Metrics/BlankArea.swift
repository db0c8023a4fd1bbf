/// How much of the screen is blank in the course of a session: the share of the visible cells that have no image.
///
/// Cells count as equally large. A trace records which cells are visible and, with `list` events, in which rows, but
/// not their heights. Without a visible cell, nothing is blank.
///
/// Times are nanoseconds. Complexity: O(n log n) for n requests.
struct BlankArea {
    /// The share that is blank, summed over time: the time for which a whole screen would be blank.
    private(set) var time = 0.0
    /// The largest share that is blank, as the mean over one second of the time in the foreground.
    private(set) var worstSecond = 0.0
    /// The second that is not complete, and its part of ``time``.
    private var second: Int64 = 0
    private var timeOfSecond = 0.0

    /// The length of a second.
    private static let length: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - requests: What became of each request, in order of appearance.
    ///   - foreground: The time in the foreground, in which seconds are counted.
    init(_ requests: some RandomAccessCollection<ReplayRequest>, _ foreground: ForegroundClock = ForegroundClock()) {
        func passed(_ time: Int64) -> Int64 { time == .max ? .max : foreground.time(at: time) }
        let ends = requests.map { passed($0.vanished < 0 ? .max : $0.vanished) }.sorted()
        let images = requests.map {
            passed(max($0.appeared, min($0.blankEnd, $0.vanished < 0 ? .max : $0.vanished)))
        }.sorted()
        var next = requests.startIndex
        var (shown, ended, appeared, now) = (0, 0, 0, Int64(0))
        while true {
            let appearance = next < requests.endIndex ? passed(requests[next].appeared) : .max
            let change = min(appearance, shown < images.count ? images[shown] : .max)
            let time = min(change, ended < ends.count ? ends[ended] : .max)
            guard time < .max else { break }
            add(blank: appeared - shown, of: appeared - ended, from: now, to: time)
            now = time
            while next < requests.endIndex, passed(requests[next].appeared) == time {
                appeared += 1
                requests.formIndex(after: &next)
            }
            while shown < images.count, images[shown] == time { shown += 1 }
            while ended < ends.count, ends[ended] == time { ended += 1 }
        }
        closeSecond()
    }

    /// Adds a time in which nothing changes.
    private mutating func add(blank: Int, of visible: Int, from start: Int64, to end: Int64) {
        guard blank > 0, start < end else { return }
        let share = Double(blank) / Double(visible)
        time += share * Double(end - start)
        let (first, last) = (start / Self.length, end / Self.length)
        if first > second {
            closeSecond()
            second = first
        }
        guard last > first else {
            timeOfSecond += share * Double(end - start)
            return
        }
        timeOfSecond += share * Double((first + 1) * Self.length - start)
        closeSecond()
        if last > first + 1 { worstSecond = max(worstSecond, share) }
        second = last
        timeOfSecond = share * Double(end - last * Self.length)
    }

    private mutating func closeSecond() {
        worstSecond = max(worstSecond, timeOfSecond / Double(Self.length))
        timeOfSecond = 0
    }
}
