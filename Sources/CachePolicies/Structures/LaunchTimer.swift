/// A timer that starts when the app starts. It is due once `first` after the start, and at each multiple of `every`
/// after the start.
///
/// With `interval`, `first` is skipped at a start that comes less than `interval` after the timer was last due for it,
/// in this or an earlier launch.
///
/// The first start is at time 0, where traces begin.
struct LaunchTimer {
    let first: Int64?
    let every: Int64?
    let interval: Int64?
    private var launch: Int64 = 0
    /// When the timer is due `first` after the start; `Int64.max` if it has been, or will not be.
    private var firstTick = Int64.max
    private var lastFirst: Int64?
    /// `Int64.max` for never.
    private(set) var next = Int64.max

    /// Creates a timer from durations in microseconds, more than 0, or nil for never.
    init(first: Int64?, every: Int64?, interval: Int64? = nil) {
        self.first = first
        self.every = every
        self.interval = interval
        restart(at: 0)
    }

    /// Lets time pass, and returns whether the timer was due meanwhile, once or more often.
    @inline(__always) mutating func isDue(by time: Int64) -> Bool {
        guard time >= next else { return false }
        tick(at: time)
        return true
    }

    /// Starts the timer anew: the app starts at `time`.
    mutating func restart(at time: Int64) {
        launch = time
        firstTick = .max
        if let first {
            let isRecent = if let interval, let lastFirst { time &- lastFirst < interval } else { false }
            if !isRecent { firstTick = time &+ first }
        }
        next = min(firstTick, nextMultiple(after: time))
    }

    @inline(never) private mutating func tick(at time: Int64) {
        if firstTick <= time {
            lastFirst = firstTick
            firstTick = .max
        }
        next = min(firstTick, nextMultiple(after: time))
    }

    private func nextMultiple(after time: Int64) -> Int64 {
        guard let every else { return .max }
        return launch &+ ((time &- launch) / every &+ 1) &* every
    }
}
