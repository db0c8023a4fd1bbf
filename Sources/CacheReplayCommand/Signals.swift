import Dispatch
import Foundation

/// Calls a handler at SIGINT and SIGTERM, instead of ending the process.
final class InterruptWatch {
    private let sources: [any DispatchSourceSignal]

    init(_ handler: @escaping @Sendable () -> Void) { sources = signalSources("interrupts", handler) }

    /// Restores the default handling of the signals.
    func cancel() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}

/// Waits for the end of a service: SIGINT, SIGTERM, or the end of standard input.
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

/// Returns sources that call a handler at SIGINT and SIGTERM.
private func signalSources(_ label: String, _ handler: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: label)
    return [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handler)
        source.resume()
        return source
    }
}
