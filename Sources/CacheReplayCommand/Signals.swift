import Basics
import Dispatch
import Foundation
import Synchronization

/// The signals that ask the command to end: SIGINT, SIGTERM and SIGHUP.
enum EndSignals {
    static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// The signal that an ``InterruptWatch`` has received first; 0 if there was none.
    fileprivate static let received = Atomic<Int32>(0)

    fileprivate static let removing = Atomic(false)

    /// Whether a signal's handler is removing files, after which it ends the process.
    static var isRemoving: Bool { removing.load(ordering: .relaxed) }

    /// The exit code after an interruption: 128 and the number of the signal.
    static var status: Int32 {
        let number = received.load(ordering: .relaxed)
        return ExitStatus.interrupted.rawValue - SIGINT + (number == 0 ? SIGINT : number)
    }

    /// Makes each signal end the process with its exit code, from now on. A program that is started by `nohup` goes on
    /// to ignore SIGHUP.
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

    private static func endProcess(at number: Int32) {
        guard number != SIGHUP || !isIgnored(number) else { return }
        signal(number) { _exit(128 + $0) }
    }

    /// Whether the process ignores a signal, as `nohup` arranges for SIGHUP.
    fileprivate static func isIgnored(_ number: Int32) -> Bool {
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

    /// Removes a scratch folder, and then ends the process.
    convenience init(removing scratch: ScratchFolder) {
        self.init {
            EndSignals.removing.store(true, ordering: .relaxed)
            // Other threads write into the folder until its subfolders are gone.
            for _ in 0..<100 where access(scratch.path, F_OK) == 0 { scratch.remove() }
            _exit(EndSignals.status)
        }
    }

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
            if hasWaited { _exit(EndSignals.status) }
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
            while !FileHandle.standardInput.availableData.isEmpty {}
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    /// Waits at most `seconds`, and returns whether the end came within this time.
    func wait(seconds: Double) -> Bool { ended.wait(timeout: .now() + seconds) == .success }
}

/// What the process does at the ``EndSignals``, once something other than its end is wanted.
private enum SignalHandlers {
    private struct State {
        var next = 0
        /// The newest handler is the last one.
        var handlers: [(number: Int, call: @Sendable () -> Void)] = []
    }

    private static let state = Mutex(State())

    /// Adds a handler, which is called instead of older ones. Returns its number.
    static func add(_ call: @escaping @Sendable () -> Void) -> Int {
        defer { _ = sources }
        return state.withLock { state in
            state.next += 1
            state.handlers.append((state.next, call))
            return state.next
        }
    }

    static func remove(_ number: Int) { state.withLock { $0.handlers.removeAll { $0.number == number } } }

    /// The sources stay until the process ends: a source that is cancelled can take the signals of a new one with it.
    ///
    /// Unsafe only because sources are not Sendable: nothing uses them after their creation.
    nonisolated(unsafe) private static let sources: [any DispatchSourceSignal] = {
        let queue = DispatchQueue(label: "signals")
        return EndSignals.numbers.filter { $0 != SIGHUP || !EndSignals.isIgnored($0) }.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                _ = EndSignals.received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
                guard let newest = state.withLock({ $0.handlers.last }) else { _exit(EndSignals.status) }
                newest.call()
            }
            source.resume()
            return source
        }
    }()
}
