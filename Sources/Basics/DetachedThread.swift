import Dispatch
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread that nothing waits for. Unlike Foundation's and Dispatch's, a thread that cannot be created is an error,
/// and not a wait without an end.
public enum DetachedThread {
    /// The memory of a thread's stack, in bytes, on every system.
    private static let stackSize = 8 << 20

    /// Calls `work` on this thread and on up to `threads - 1` others, and returns when all calls have returned. The
    /// calls take their parts from a common supply. If the system refuses threads, those that it has granted do all of
    /// the work.
    public static func share(threads: Int, _ work: @escaping @Sendable () -> Void) {
        share(threads: threads, stackSize: stackSize, work)
    }

    /// - Parameter stackSize: The memory of the stack of each other thread, in bytes.
    static func share(threads: Int, stackSize: Int, _ work: @escaping @Sendable () -> Void) {
        let others = DispatchGroup()
        for _ in 1..<max(1, threads) {
            others.enter()
            do {
                try start(stackSize: stackSize) {
                    work()
                    others.leave()
                }
            } catch {
                others.leave()
                break
            }
        }
        work()
        others.wait()
    }

    /// Calls `body` with each number from 0 up to `count`, on up to `threads` threads, and returns when all calls have
    /// returned. Numbers are taken in order.
    public static func forEach(_ count: Int, threads: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
        let next = Mutex(0)
        @Sendable func takeNext() -> Int? {
            next.withLock { next in
                guard next < count else { return nil }
                defer { next += 1 }
                return next
            }
        }
        share(threads: min(threads, count)) { while let index = takeNext() { body(index) } }
    }

    /// Starts a thread, which belongs to the same ``Invocation`` as this one.
    ///
    /// - Throws: ``SystemError`` if there is no memory, or if the user has too many threads.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        try start(stackSize: stackSize, body)
    }

    /// Makes sure that the process can have `count` more threads, for libraries that end the process if it cannot.
    ///
    /// The threads exist at the same time, and each one allocates memory, as the later ones do. They have ended when
    /// the function returns, and the system's library keeps their stacks for the next threads.
    ///
    /// - Throws: ``SystemError`` if there is no memory, or if the user has too many threads.
    package static func require(_ count: Int) throws(SystemError) { try require(count, stackSize: stackSize) }

    /// - Parameter stackSize: The memory of the stack of each thread, in bytes.
    static func require(_ count: Int, stackSize: Int) throws(SystemError) {
        let gate = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        var failure: Int32 = 0
        while threads.count < count, failure == 0 {
            let work = Unmanaged.passRetained(
                Work {
                    _ = [UInt8](repeating: 1, count: 64)
                    gate.wait()
                    gate.signal()
                })
            failure = create(work.toOpaque(), stackSize, PTHREAD_CREATE_JOINABLE) { threads.append($0) }
            if failure != 0 { work.release() }
        }
        gate.signal()
        for thread in threads { pthread_join(thread, nil) }
        // The semaphore has its first value again when it is released.
        gate.wait()
        guard failure == 0 else { throw SystemError(failure) }
    }

    private static func start(stackSize: Int, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let invocation = Invocation.current
        let work = Unmanaged.passRetained(Work { Invocation.$current.withValue(invocation) { body() } })
        let code = create(work.toOpaque(), stackSize, PTHREAD_CREATE_DETACHED) { _ in }
        guard code != 0 else { return }
        work.release()
        throw SystemError(code)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ work: UnsafeMutableRawPointer) { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
    }

    /// Returns an error number, 0 for success.
    ///
    /// - Parameter started: Gets the thread after its start.
    private static func create(
        _ work: UnsafeMutableRawPointer, _ stackSize: Int, _ state: some BinaryInteger, _ started: (pthread_t) -> Void
    ) -> Int32 {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(state))
        let refused = pthread_attr_setstacksize(&attributes, stackSize)
        guard refused == 0 else { return refused }
        #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(
            &thread, &attributes,
            { work in
                Work.run(work)
                return nil
            }, work)
        if code == 0, let thread { started(thread) }
        #else
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { work in
                if let work { Work.run(work) }
                return nil
            }, work)
        if code == 0 { started(thread) }
        #endif
        return code
    }
}

/// A value that several threads share, one at a time. It needs no newer system than an app's test target has, as
/// `Mutex` of the Synchronization module does.
///
/// Unchecked Sendable: the lock guards every access to the value.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Calls `body` with the value, and returns its result.
    package func withLock<Result, Failure>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

public struct SystemError: Error, Equatable, CustomStringConvertible {
    public var code: Int32

    public init(_ code: Int32) { self.code = code }

    /// The reason and, where there is one, the remedy.
    public var description: String {
        let reason = String(cString: strerror(code))
        return switch code {
        case EMFILE: "\(reason); raise the limit with `ulimit -n`"
        case EAGAIN: "\(reason); raise the limits with `ulimit -u` and `ulimit -v`"
        case EFBIG: "\(reason); raise the limit with `ulimit -f`"
        default: reason
        }
    }
}
