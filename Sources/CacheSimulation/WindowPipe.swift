import Basics
import CacheTraces
import Synchronization

/// Hands the windows of a trace to a thread that simulates them, while the caller reads the next one.
///
/// One window is simulated at a time, in the order in which they come.
final class WindowPipe: Sendable {
    /// A window, the number of objects for which policies need room, and the numbers of requests at which counts are
    /// kept in it.
    struct Step: Sendable {
        var window: DenseTrace
        var room: Int
        var marks: [Int] = []
    }

    /// The step that is handed over; nil for the end.
    private let next = Mutex<Step?>(nil)
    private let isFinished = Mutex(false)
    /// Counts the steps that the thread can take, and the end.
    private let filled = MonotonicSemaphore()
    /// Counts 1 while the thread waits and has no step.
    private let idle = MonotonicSemaphore()

    private init() { idle.signal() }

    /// Starts a thread that calls `work` with each step; nil if the system refuses one.
    static func started(_ work: @escaping @Sendable (Step) -> Void) -> WindowPipe? {
        let pipe = WindowPipe()
        do {
            try DetachedThread.start {
                while pipe.filled.wait(), let step = pipe.takeNext() {
                    work(step)
                    pipe.idle.signal()
                }
            }
        } catch { return nil }
        return pipe
    }

    /// Waits until the steps before are done, and hands over the next one.
    ///
    /// - Parameter make: Makes the step while no window is in use.
    func send(_ make: () -> Step) {
        _ = idle.wait()
        let step = make()
        next.withLock { $0 = step }
        filled.signal()
    }

    /// Waits until all steps are done, and ends the thread. A second call has no effect.
    func finish() {
        let isFirst = isFinished.withLock { isFinished in
            defer { isFinished = true }
            return !isFinished
        }
        guard isFirst else { return }
        _ = idle.wait()
        filled.signal()
    }

    private func takeNext() -> Step? {
        next.withLock { next in
            defer { next = nil }
            return next
        }
    }
}
