import Dispatch
import Foundation
import Synchronization

/// The signals that ask the command to end: SIGINT, SIGTERM and SIGHUP.
enum EndSignals {
    static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// The signal that an ``InterruptWatch`` has received first; 0 if there was none.
    fileprivate static let received = Atomic<Int32>(0)

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

    fileprivate static func endProcess(at number: Int32) {
        var current = sigaction()
        if number == SIGHUP, sigaction(number, nil, &current) == 0, isIgnored(current), !isWatching { return }
        signal(number) { _exit(128 + $0) }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }

    /// Whether this process itself ignores the signals, because sources handle them.
    private static var isWatching: Bool { watches.load(ordering: .relaxed) > 0 }
    fileprivate static let watches = Atomic(0)
}

/// Calls a handler at the first of the ``EndSignals``, instead of ending the process.
///
/// A later signal ends the process if a second or more has passed: the handler's work cannot end if, for example, the
/// function of a plugin does not return. An earlier one is ignored: some programs send a signal to a process and to its
/// group.
final class InterruptWatch {
    private let sources: [any DispatchSourceSignal]

    init(_ handler: @escaping @Sendable () -> Void) {
        let first = Mutex<ContinuousClock.Instant?>(nil)
        sources = signalSources("interrupts") {
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

    /// From now on, the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in EndSignals.numbers { EndSignals.endProcess(at: number) }
        EndSignals.watches.wrappingSubtract(1, ordering: .relaxed)
    }
}

/// Waits for the end of a service: one of the ``EndSignals``, or the end of standard input.
final class EndOfService {
    private let ended = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    init(untilInputEnds: Bool) {
        sources = signalSources("end of service") { [ended] in ended.signal() }
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

/// Returns sources that call a handler at the ``EndSignals``.
private func signalSources(_ label: String, _ handler: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: label)
    EndSignals.watches.wrappingAdd(1, ordering: .relaxed)
    return EndSignals.numbers.map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler {
            _ = EndSignals.received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
            handler()
        }
        source.resume()
        return source
    }
}
