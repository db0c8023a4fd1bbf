#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A clock for timing short operations. It never goes back.
///
/// `ContinuousClock` has 128-bit arithmetic, which takes as long as a hit in the memory tier.
public enum MonotonicClock {
    /// Nanoseconds since an arbitrary fixed moment.
    public static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Runs `body`, and returns its result and its duration in nanoseconds.
    @inlinable public static func timing<Value>(_ body: () throws -> Value) rethrows -> (value: Value, duration: Int64)
    {
        let start = now
        let value = try body()
        return (value, now - start)
    }
}

@available(iOS 16, *)
extension Duration {
    /// Whole milliseconds, rounded up, so that a wait is never shorter than its limit. At most `Int32.max`, which is
    /// what system calls accept.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return Int(Int32.max) }
        return min(Int(Int32.max), whole + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// Whole microseconds, rounded towards zero.
    public var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    /// Whole nanoseconds, rounded towards zero.
    public var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
