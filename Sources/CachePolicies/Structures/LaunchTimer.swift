/// A timer that an app starts when it is launched: it is due once `first` after the launch, and at each multiple of
/// `every` after it.
///
/// The first launch is at time 0, where traces begin. After ``restart()`` the app is launched again, at the time of
/// whatever happens next.
struct LaunchTimer {
    private enum Phase { case new, restarted, running }

    let first: Int64?
    let every: Int64?
    private var phase = Phase.new
    private var launch: Int64 = 0
    /// `Int64.max` for never; before every time while the launch is not known.
    private var next: Int64

    /// Microseconds, more than 0; nil for never.
    init(first: Int64?, every: Int64?) {
        self.first = first
        self.every = every
        next = first == nil && every == nil ? .max : .min
    }

    /// Something happens at `time`, and be it the first since the launch.
    @inline(__always) mutating func begin(at time: Int64) {
        if next == .min { start(at: time) }
    }

    /// Lets time pass; whether the timer has been due meanwhile, once or more often.
    @inline(__always) mutating func isDue(by time: Int64) -> Bool {
        guard time >= next else { return false }
        return passes(time)
    }

    /// The app ends. A timer under which nothing has happened yet stays as it is.
    mutating func restart() {
        guard phase == .running else { return }
        phase = .restarted
        next = .min
    }

    private mutating func start(at time: Int64) {
        launch = phase == .new ? 0 : time
        phase = .running
        next = tick(after: launch)
    }

    @inline(never) private mutating func passes(_ time: Int64) -> Bool {
        begin(at: time)
        guard time >= next else { return false }
        next = tick(after: time)
        return true
    }

    private func tick(after time: Int64) -> Int64 {
        var tick = Int64.max
        if let first, launch &+ first > time { tick = launch &+ first }
        if let every { tick = min(tick, launch &+ ((time &- launch) / every &+ 1) &* every) }
        return tick
    }
}
