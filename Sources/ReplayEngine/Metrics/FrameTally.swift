/// Counts the work of the main lane, and the frames that it delays while the list moves.
///
/// A display shows a frame every sixtieth of a second, or every 120th. The frames of a stretch of scrolling
/// (``ListMotion``) begin with the stretch. The app begins a frame at each of these ticks, and the frame is due at the
/// next tick. The frame that begins while the main lane is busy, or at the moment at which it becomes busy, waits for
/// the end of the work; its image is shown at the first tick from there on. Ticks that pass meanwhile begin no frames.
/// Work from `a` to `b` thus concerns one frame. With `t` as the first tick from `a` on and a period `T`:
///
/// - the frame is due at `t + T`. If `b` is not later, it is in time;
/// - otherwise it **overruns** by `b - (t + T)`, as `frameOverrunMs` of Android's macrobenchmarks;
/// - its **hitch** is the time from `t + T` to the first tick from `b` on, as Apple defines the hitch time. It is a
///   whole number of periods.
///
/// At 60 Hz, work of 20 ms that begins 2 ms before a tick ends 18 ms after it: the frame overruns by 1.3 ms, and its
/// hitch is one period of 16.7 ms. The same work that begins 5 ms before a tick ends in time. Work that is shorter than
/// a period delays no frame.
///
/// Pieces of work that follow each other without a pause are one piece. Core Animation commits a frame when the run
/// loop is about to wait, and it waits when no work is left. Images that a library leaves to be decoded when they are
/// shown are decoded in that commit, one after the other. A run loop that draws between two pieces has shorter hitches.
///
/// Time after the end of a stretch does not count, so the hitches of a stretch are shorter than it. Work that a
/// relaunch prevents does not count either. The app's own work for a frame, such as layout and drawing, is not known:
/// each figure says what the work of the image pipeline costs alone. With the app's work, frames are later.
///
/// Times are nanoseconds. Complexity: O(1) for each piece of work and each stretch.
package struct FrameTally {
    private let motion: ListMotion
    private var slow = FrameClock(rate: 60)
    private var fast = FrameClock(rate: 120)
    /// The work without a pause that is not counted yet.
    private var start: Int64 = 0
    private var end: Int64 = 0
    /// The duration and the kind of its longest piece.
    private var longest: Int64 = 0
    private var work = ReplayEvents.Work.decode
    private var workTime: Int64 = 0
    /// The first stretch that can end after the work.
    private var next = 0
    /// The number of relaunches so far, and the time of the next one.
    private var launch = 0
    private var launchEnd: Int64

    init(_ motion: ListMotion) {
        self.motion = motion
        launchEnd = motion.relaunches.first ?? .max
    }

    /// Notes a piece of work, which begins when the work before it has ended, or later.
    mutating func worked(_ work: ReplayEvents.Work, from start: Int64, for duration: Int64) {
        let end = min(start + duration, launchEnd)
        guard start < end else { return }
        workTime += end - start
        if start > self.end {
            count()
            (self.start, longest) = (start, 0)
        }
        self.end = end
        if end - start > longest { (longest, self.work) = (end - start, work) }
    }

    /// Notes a relaunch: the app's main lane begins anew.
    mutating func relaunch() {
        count()
        (start, end, longest) = (0, 0, 0)
        launch += 1
        launchEnd = launch < motion.relaunches.count ? motion.relaunches[launch] : .max
    }

    var figures: MainLaneFigures {
        var all = self
        all.count()
        return MainLaneFigures(
            workTime: workTime, scrollTime: motion.scrollTime, at60Hz: all.slow.figures, at120Hz: all.fast.figures)
    }

    /// Counts the frames that the work since the last pause delays.
    private mutating func count() {
        guard end - start > fast.shortestPeriod else { return }
        while next < motion.stretches.count, motion.stretches[next].upperBound <= start { next += 1 }
        for stretch in motion.stretches[next...] {
            guard stretch.lowerBound < end else { break }
            slow.count(work, from: start, to: end, in: stretch)
            fast.count(work, from: start, to: end, in: stretch)
        }
    }
}

/// The frames of a display with a fixed rate, and how late they are. ``FrameTally`` defines the figures.
struct FrameClock {
    /// Frames per second.
    let rate: Int64
    private var delays = FrameDelays()
    private var overruns: [Int64] = []

    private static let second: Int64 = 1_000_000_000

    init(rate: Int64) { self.rate = rate }

    /// A period, rounded down to whole nanoseconds.
    var shortestPeriod: Int64 { Self.second / rate }

    var figures: FrameDelays {
        var figures = delays
        figures.overrunFrames = overruns.count
        if !overruns.isEmpty { figures.overrunP95 = LatencySummary.percentile(95, of: overruns.sorted()) }
        return figures
    }

    /// Counts the frame of a stretch that work without a pause delays, if there is one.
    mutating func count(
        _ work: ReplayEvents.Work, from start: Int64, to end: Int64, in stretch: Range<Int64>
    ) {
        let begin = stretch.lowerBound
        let due = begin + time(of: tick(from: start - begin) + 1)
        let end = min(end, stretch.upperBound)
        guard end > due else { return }
        let shown = min(begin + time(of: tick(from: end - begin)), stretch.upperBound)
        overruns.append(end - due)
        delays.hitchTime += shown - due
        delays.hitchTimes[work.rawValue, default: 0] += shown - due
    }

    /// Returns the time of a tick since the beginning of its stretch, rounded down to whole nanoseconds.
    func time(of tick: Int64) -> Int64 { tick / rate * Self.second + tick % rate * Self.second / rate }

    /// Returns the number of the first tick from a time on; 0 for a time before the stretch.
    func tick(from time: Int64) -> Int64 {
        guard time > 0 else { return 0 }
        // A tick n, rounded down, is before `time` if n * second / rate < time.
        let (seconds, rest) = (time - 1).quotientAndRemainder(dividingBy: Self.second)
        return seconds * rate + ((rest + 1) * rate - 1) / Self.second + 1
    }
}
