import Basics
import Synchronization

/// A question of the page, from its arrival to its answer. It has exactly one answer.
final class PlayTask: Sendable {
    /// A window of a browser, and what it asks for. A newer question of a place ends the older one.
    struct Place: Hashable, Sendable {
        /// The random name that the page has chosen.
        var window: String
        /// The path, such as `figures`.
        var path: String
    }

    /// nil for a question that ends no other one, such as the first question of a window.
    let place: Place?
    /// The number of the question among the questions of its window. Newer ones are larger.
    let turn: Int64
    /// The time at which the question ends without an answer, in nanoseconds of `MonotonicClock`.
    let deadline: Int64
    private let work: @Sendable (_ isOvertaken: @escaping @Sendable () -> Bool) -> PlayResponse
    private let send: @Sendable (PlayResponse) -> Void
    private let ended = Atomic(false)

    /// - Parameters:
    ///   - limit: The time from now to the end of the question.
    ///   - work: Finds the answer. It ends soon after `isOvertaken` returns true; its answer is then not sent.
    ///   - send: Receives the answer, in any thread.
    init(
        _ place: Place?, turn: Int64, limit: Duration,
        work: @escaping @Sendable (_ isOvertaken: @escaping @Sendable () -> Bool) -> PlayResponse,
        send: @escaping @Sendable (PlayResponse) -> Void
    ) {
        self.place = place
        self.turn = turn
        self.work = work
        self.send = send
        deadline = MonotonicClock.now + limit.nanoseconds
    }

    /// Whether a person waits for the answer after each move of a control.
    var isUrgent: Bool { place == nil || place?.path == PlayRequest.figures.rawValue }

    /// Whether the question has its answer, or has been canceled.
    var isEnded: Bool { ended.load(ordering: .relaxed) }

    /// Sends an answer, if none was sent before. `isOvertaken` of the work then returns true.
    func end(_ response: PlayResponse) {
        let wasEnded = ended.exchange(true, ordering: .relaxed)
        if !wasEnded { send(response) }
    }

    /// Does the work in this thread, and sends its answer.
    func run() {
        if isEnded { return }
        end(work { self.isEnded })
    }
}
