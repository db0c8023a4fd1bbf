import Dispatch
import Foundation

/// SIGINT, SIGTERM, or the end of standard input.
final class EndOfService {
    private let ended = DispatchSemaphore(value: 0)
    private var signals: [any DispatchSourceSignal] = []

    init(untilInputEnds: Bool) {
        let queue = DispatchQueue(label: "end of service")
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [ended] in ended.signal() }
            source.resume()
            signals.append(source)
        }
        guard untilInputEnds else { return }
        Thread.detachNewThread { [ended] in
            while !FileHandle.standardInput.availableData.isEmpty {}
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    /// Whether the end came within this time.
    func wait(seconds: Double) -> Bool { ended.wait(timeout: .now() + seconds) == .success }
}
