import Basics
import Dispatch
import Foundation
import Synchronization

/// The signals that ask the command to end: SIGINT, SIGTERM and SIGHUP.
enum EndSignals {
    static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// The signal that came first; 0 if there was none.
    private static let received = Atomic<Int32>(0)

    private static let removing = Atomic(false)

    /// Does not return if a signal is about to end the process, once temporary files are removed.
    static func waitIfRemoving() {
        while removing.load(ordering: .relaxed) { sleep(1) }
    }

    /// The exit code after an interruption: 128 and the number of the signal.
    static var status: Int32 {
        let number = received.load(ordering: .relaxed)
        return ExitStatus.interrupted.rawValue - SIGINT + (number == 0 ? SIGINT : number)
    }

    /// Makes each signal end the process with its exit code, from now on and at once. A program that is started by
    /// `nohup` goes on to ignore SIGHUP.
    ///
    /// Failed writes are errors instead of signals: to a closed pipe, and beyond the limit of the size of files.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        for number in numbers { endProcess(at: number) }
        // A parent can start a program with signals blocked.
        var mask = sigset_t()
        sigemptyset(&mask)
        for number in numbers { sigaddset(&mask, number) }
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Hands the signals to a thread, which calls the newest ``InterruptWatch``. Without one, it removes temporary
    /// files and ends the process. A second call has no effect.
    ///
    /// If the system refuses a pipe or a thread, the signals go on to end the process at once.
    static func listen() { _ = listening }

    private static let listening: Void = {
        // The standard streams are open by now, so the pipe gets other numbers.
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        do {
            try DetachedThread.start { [input = ends[0]] in
                while let number = next(from: input) { handle(number) }
            }
        } catch {
            for end in ends { close(end) }
            return
        }
        output.store(ends[1], ordering: .relaxed)
        for number in numbers where number != SIGHUP || !isIgnored(number) {
            signal(number) { number in
                // Only calls that a signal's handler may make.
                let code = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(EndSignals.output.load(ordering: .relaxed), &byte, 1)
                errno = code
            }
        }
    }()

    /// The end of the pipe to the thread.
    private static let output = Atomic<Int32>(-1)

    private static func next(from input: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            let count = read(input, &byte, 1)
            if count == 1 { return Int32(byte) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    private static func handle(_ number: Int32) {
        _ = received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
        guard let handler = SignalHandlers.newest else { end() }
        handler()
    }

    /// Removes temporary files, and ends the process with ``status``. It does not wait for other threads.
    static func end() -> Never {
        removing.store(true, ordering: .relaxed)
        TemporaryPaths.exit(status)
    }

    private static func endProcess(at number: Int32) {
        guard number != SIGHUP || !isIgnored(number) else { return }
        signal(number) { _exit(128 + $0) }
    }

    /// Whether the process ignores a signal, as `nohup` arranges for SIGHUP.
    private static func isIgnored(_ number: Int32) -> Bool {
        var current = sigaction()
        return sigaction(number, nil, &current) == 0 && isIgnored(current)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }
}

/// Calls a handler at the first of the ``EndSignals``, instead of ending the process.
///
/// A later signal ends the process if a second or more has passed: the handler's work cannot end if, for example, the
/// function of a plugin does not return. An earlier one is ignored: some programs send a signal to a process and to its
/// group.
final class InterruptWatch {
    private let number: Int

    init(_ handler: @escaping @Sendable () -> Void) {
        let first = Mutex<ContinuousClock.Instant?>(nil)
        number = SignalHandlers.add {
            let (isFirst, hasWaited) = first.withLock { first in
                guard let begin = first else {
                    first = .now
                    return (true, false)
                }
                return (false, .now - begin >= .seconds(1))
            }
            if isFirst { handler() }
            if hasWaited { EndSignals.end() }
        }
    }

    /// The handler holds what it removes, so it must not stay.
    deinit { cancel() }

    /// From now on, the signals end the process again, or go to a watch that is older. A second call has no effect.
    func cancel() { SignalHandlers.remove(number) }
}

/// Waits for the end of a service: one of the ``EndSignals``, or the end of standard input.
final class EndOfService {
    private let ended = DispatchSemaphore(value: 0)

    init(untilInputEnds: Bool) {
        _ = SignalHandlers.add { [ended] in ended.signal() }
        guard untilInputEnds else { return }
        Thread.detachNewThread { [ended] in
            ParentInput.waitForEnd()
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    /// Waits at most `seconds`, and returns whether the end came within this time.
    func wait(seconds: Double) -> Bool { ended.wait(timeout: .now() + seconds) == .success }
}

/// The standard input of a process that ends with its parent.
enum ParentInput {
    /// Reads standard input, and returns at its end.
    ///
    /// - Parameter read: Reads once. Returns the number of bytes, or the negative of an error number.
    static func waitForEnd(_ read: () -> Int = readOnce) {
        while true {
            let count = read()
            // A signal interrupts a read, also one that is about to end the process: the runtime's handler of crashes
            // stops all other threads by a signal.
            guard count > 0 || count == -Int(EINTR) else { return }
        }
    }

    private static func readOnce() -> Int {
        var byte: UInt8 = 0
        let count = read(STDIN_FILENO, &byte, 1)
        return count < 0 ? -Int(errno) : count
    }
}

/// The handlers of the ``EndSignals``, once something other than the process's end is wanted.
private enum SignalHandlers {
    private struct State {
        var next = 0
        /// The newest handler is the last one.
        var handlers: [(number: Int, call: @Sendable () -> Void)] = []
    }

    private static let state = Mutex(State())

    /// Adds a handler, which is called instead of older ones. Returns its number. The signals of another process are
    /// not the command's.
    static func add(_ call: @escaping @Sendable () -> Void) -> Int {
        guard Invocation.current == nil else { return 0 }
        EndSignals.listen()
        return state.withLock { state in
            state.next += 1
            state.handlers.append((state.next, call))
            return state.next
        }
    }

    static func remove(_ number: Int) { state.withLock { $0.handlers.removeAll { $0.number == number } } }

    static var newest: (@Sendable () -> Void)? { state.withLock { $0.handlers.last?.call } }
}
