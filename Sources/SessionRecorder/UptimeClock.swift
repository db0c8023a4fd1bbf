import Foundation

/// A monotonic clock that also runs while the device sleeps, so that pauses in a session keep their length.
enum UptimeClock {
    // ContinuousClock is the same clock, but needs iOS 16.
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
    /// Converts seconds to whole microseconds. Returns nil for negative and invalid times, and for times that are too
    /// long for a trace.
    init?(microsecondsIn seconds: TimeInterval) {
        let microseconds = (seconds * 1_000_000).rounded()
        guard microseconds >= 0, microseconds < Double(TraceBounds.time) else { return nil }
        self = Int64(microseconds)
    }
}

/// The largest values that a trace can contain. Larger values are omitted as unknown.
enum TraceBounds {
    /// Microseconds.
    static let time: Int64 = 1 << 53
    /// Of one body.
    static let bytes = 0...(1 << 40 as Int)
    /// Of one side of an image.
    static let pixels = 0...(1 << 20 as Int)
    static let status = 0...999
    /// Of a list.
    static let lastPosition = Int(Int32.max) - 1
}

extension Optional<Int> {
    func within(_ range: ClosedRange<Int>) -> Int? { flatMap { range.contains($0) ? $0 : nil } }
}
