#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A counting semaphore that waits by ``MonotonicClock``.
///
/// `DispatchSemaphore` waits by the calendar's clock on Linux: if that is set back by an hour, a wait takes an hour
/// longer.
///
/// Unchecked Sendable: `mutex` guards `count`.
public final class MonotonicSemaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    public init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Adds 1 to the count, and wakes a waiting thread.
    public func signal() {
        pthread_mutex_lock(mutex)
        count += 1
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until the count is above 0, and subtracts 1. Returns false if it is still 0 at `deadline`, in nanoseconds
    /// of ``MonotonicClock``. Without a deadline, waits without a limit.
    public func wait(until deadline: Int64? = nil) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while count == 0 {
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            guard wait(deadline) else { break }
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }

    /// Returns false after the deadline.
    private func wait(_ deadline: Int64) -> Bool {
        #if canImport(Darwin)
        let left = max(0, deadline - MonotonicClock.now)
        var time = timespec(tv_sec: .init(left / Self.second), tv_nsec: .init(left % Self.second))
        return pthread_cond_timedwait_relative_np(condition, mutex, &time) == 0
        #else
        let deadline = max(0, deadline)
        var time = timespec(tv_sec: .init(deadline / Self.second), tv_nsec: .init(deadline % Self.second))
        return pthread_cond_timedwait(condition, mutex, &time) == 0
        #endif
    }

    private static let second: Int64 = 1_000_000_000
}
