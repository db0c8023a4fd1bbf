#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Times short operations. ContinuousClock would do, but its 128-bit arithmetic costs as much as a memory hit.
enum MonotonicClock {
    /// Nanoseconds since some fixed moment.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// What `body` returns, and how many nanoseconds it took.
    static func timing<Value>(_ body: () throws -> Value) rethrows -> (value: Value, duration: Int64) {
        let start = now
        let value = try body()
        return (value, now - start)
    }
}
