import Foundation

/// A clock that no one sets and that goes on while the device sleeps, so that a session's gaps keep their length.
enum UptimeClock {
    // ContinuousClock is the same clock, but only from iOS 16 on.
    #if canImport(Darwin)
    private static let clock = CLOCK_MONOTONIC
    #else
    private static let clock = CLOCK_BOOTTIME
    #endif

    static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

extension Int64 {
    /// Whole microseconds; nil for what is no time span, and for more than a trace may hold.
    init?(microsecondsIn seconds: TimeInterval) {
        let microseconds = (seconds * 1_000_000).rounded()
        guard microseconds >= 0, microseconds < Double(TraceBounds.time) else { return nil }
        self = Int64(microseconds)
    }
}

/// The largest values that a trace's readers accept; what is larger is left out, as unknown.
enum TraceBounds {
    /// Microseconds.
    static let time: Int64 = 1 << 53
    /// Of one body.
    static let bytes = 0...(1 << 40 as Int)
    /// Of one side of an image.
    static let pixels = 0...(1 << 20 as Int)
    static let status = 0...999
}

extension Optional<Int> {
    func within(_ range: ClosedRange<Int>) -> Int? { flatMap { range.contains($0) ? $0 : nil } }
}
