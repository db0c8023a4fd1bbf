import Foundation
import Synchronization

/// The progress of long work, with its rate and the time left: one line on a terminal's standard error, rewritten in
/// place. If standard error is not a terminal, and with `--quiet`, it prints nothing.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0.0
        var shown = ContinuousClock.now - .seconds(1)
    }

    private let total: Double
    private let unit: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(total: Int, unit: String, quiet: Bool) {
        self.total = Double(total)
        self.unit = unit
        isShown = !quiet && total > 0 && CommandOutput.isTerminal(STDERR_FILENO)
    }

    /// Adds `amount` to the finished work. The line is drawn at most ten times a second.
    func advance(by amount: Double) {
        guard isShown else { return }
        state.withLock { state in
            state.done += amount
            let now = ContinuousClock.now
            guard now - state.shown > .milliseconds(100) else { return }
            state.shown = now
            write(
                "\r" + Self.line(done: state.done, total: total, unit: unit, elapsed: start.duration(to: now))
                    + "\u{1B}[K")
        }
    }

    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    static func line(done: Double, total: Double, unit: String, elapsed: Duration) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let share = min(done / total, 1)
        let width = 30
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
        let rate = seconds > 0 ? done / seconds : 0
        let left = rate > 0 ? max(0, total - done) / rate : 0
        return String(
            format: "%@ %3.0f %%  %.1f of %.0f %@, %.1f/s, %.0f s left", bar, share * 100, done, total, unit, rate, left
        )
    }

    private func write(_ text: String) { CommandOutput.drawOnTerminal(text) }
}
