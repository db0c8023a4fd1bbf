import Basics
import Synchronization

/// The questions of all windows, and the threads that answer them.
///
/// - Two questions are answered at a time, in the order of their arrival. Urgent ones come first, and have one thread
///   more, so that figures do not wait for a curve.
/// - A question ends the one that the same window asked before at the same path, which is answered with status 409.
/// - A question that takes longer than ``Limits/patience`` is not counted among the two: another thread answers the
///   next one. Up to ``Limits/mostThreads`` threads exist. A question ends at its deadline.
/// - At most ``Limits/windows`` windows are known. A new one replaces the window that asked longest ago and waits for
///   no answer. If all wait, the new one is refused.
///
/// Memory is bounded by one waiting question for each window and path.
final class PlayWork: Sendable {
    struct Limits: Sendable {
        /// The number of questions that are answered at a time.
        var threads = 2
        var mostThreads = 6
        /// The time after which the thread of a question is replaced.
        var patience: Duration = .seconds(5)
        var windows = 16
        /// The number of questions that belong to no window.
        var withoutWindow = 16
    }

    private struct Window {
        /// The number of the last question, in the order of all windows.
        var used: UInt64 = 0
        /// The newest turn of each path.
        var turns: [String: Int64] = [:]
    }

    private struct Running {
        var question: PlayTask
        /// In nanoseconds of `MonotonicClock`.
        var since: Int64
    }

    /// The effect of a new question.
    private struct Added {
        var refusal: PlayResponse?
        var overtaken: [PlayTask] = []
    }

    private struct State {
        var windows: [String: Window] = [:]
        var uses: UInt64 = 0
        /// In the order of arrival.
        var waiting: [PlayTask] = []
        var running: [Running] = []
        var threads = 0
        var isClosed = false

        var unanswered: [PlayTask] { waiting + running.map(\.question).filter { !$0.isEnded } }

        /// Returns the place in ``waiting`` of the question that can begin; nil if there is none.
        func next(_ young: Int, _ limits: Limits) -> Int? {
            guard young <= limits.threads else { return nil }
            let urgent = waiting.firstIndex { $0.isUrgent }
            return urgent ?? (young < limits.threads && !waiting.isEmpty ? 0 : nil)
        }

        /// Returns the number of questions that are answered and have not taken long yet.
        func young(_ limits: Limits) -> Int {
            let now = MonotonicClock.now
            let patience = limits.patience.nanoseconds
            return running.count(where: { now - $0.since < patience })
        }

        mutating func add(_ question: PlayTask, _ limits: Limits) -> Added {
            if isClosed { return Added(refusal: .closing) }
            guard let place = question.place else {
                let others = unanswered.count(where: { $0.place == nil })
                guard others < limits.withoutWindow else { return Added(refusal: .busy) }
                waiting.append(question)
                return Added()
            }
            if windows[place.window] == nil, windows.count >= limits.windows, !forgetWindow() {
                return Added(refusal: .tooManyWindows)
            }
            var window = windows[place.window] ?? Window()
            guard question.turn >= window.turns[place.path] ?? 0 else { return Added(refusal: .overtaken) }
            uses += 1
            window.used = uses
            window.turns[place.path] = question.turn
            windows[place.window] = window
            let older = unanswered.filter { $0.place == place }
            waiting.removeAll { $0.place == place }
            waiting.append(question)
            return Added(overtaken: older)
        }

        /// Forgets the window that asked longest ago, of those that wait for no answer. Returns false if all wait.
        private mutating func forgetWindow() -> Bool {
            let busy = Set(unanswered.compactMap { $0.place?.window })
            let idle = windows.filter { !busy.contains($0.key) }
            guard let oldest = idle.min(by: { $0.value.used < $1.value.used }) else { return false }
            windows[oldest.key] = nil
            return true
        }
    }

    private let limits: Limits
    private let state = Mutex(State())
    /// Counts the questions for which no thread has been started.
    private let wake = MonotonicSemaphore()
    /// Counts the end of the last work after ``close(within:)``.
    private let finished = MonotonicSemaphore()

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of questions that threads work on, including those that have been ended.
    var runningCount: Int { state.withLock { $0.running.count } }

    /// The number of questions that have no answer yet.
    var unansweredCount: Int { state.withLock { $0.unanswered.count } }

    /// Adds a question, which is answered when a thread is free, or refused.
    func ask(_ question: PlayTask) {
        let added = state.withLock { $0.add(question, limits) }
        for older in added.overtaken { older.end(.overtaken) }
        if let refusal = added.refusal { return question.end(refusal) }
        startThread()
    }

    /// Ends a question whose connection is closed.
    func cancel(_ question: PlayTask) {
        state.withLock { state in state.waiting.removeAll { $0 === question } }
        question.end(.overtaken)
    }

    /// Ends the questions that are late, and starts threads in place of those whose questions take long. The server
    /// calls this several times a second.
    func tick() {
        let now = MonotonicClock.now
        let late = state.withLock { state -> [PlayTask] in
            let late = state.unanswered.filter { $0.deadline <= now }
            state.waiting.removeAll { $0.deadline <= now }
            return late
        }
        for question in late { question.end(.late) }
        if state.withLock({ !$0.waiting.isEmpty }) { startThread() }
    }

    /// Ends all questions and threads, and waits until the work has ended, but not longer than `limit`.
    func close(within limit: Duration) {
        let (unanswered, isRunning) = state.withLock { state -> ([PlayTask], Bool) in
            let unanswered = state.unanswered
            state.isClosed = true
            state.waiting = []
            return (unanswered, !state.running.isEmpty)
        }
        for question in unanswered { question.end(.closing) }
        for _ in 0..<limits.mostThreads { wake.signal() }
        if isRunning { _ = finished.wait(until: MonotonicClock.now + limit.nanoseconds) }
    }

    /// Wakes a thread for a waiting question, or starts one if all are busy.
    private func startThread() {
        let isNeeded = state.withLock { state -> Bool in
            let young = state.young(limits)
            let most = min(limits.mostThreads, limits.threads + 1 + state.running.count - young)
            let idle = state.threads - state.running.count
            guard idle < state.waiting.count, state.threads < most, state.next(young, limits) != nil else {
                return false
            }
            state.threads += 1
            return true
        }
        guard isNeeded else { return wake.signal() }
        do { try DetachedThread.start { self.answerQuestions() } } catch { giveUp(error) }
    }

    /// Answers the waiting questions with the reason why there is no thread, if there is none at all.
    private func giveUp(_ error: SystemError) {
        let unanswered = state.withLock { state -> [PlayTask] in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for question in unanswered {
            question.end(.error(.serviceUnavailable, "No thread can be started for the answer: \(error)."))
        }
    }

    private func answerQuestions() {
        while true {
            guard let question = take() else {
                if state.withLock({ $0.isClosed }) { return }
                _ = wake.wait()
                continue
            }
            question.run()
            let isLast = state.withLock { state -> Bool in
                state.running.removeAll { $0.question === question }
                return state.isClosed && state.running.isEmpty
            }
            if isLast { finished.signal() }
        }
    }

    private func take() -> PlayTask? {
        state.withLock { state -> PlayTask? in
            guard let place = state.next(state.young(limits), limits) else { return nil }
            let question = state.waiting.remove(at: place)
            state.running.append(Running(question: question, since: MonotonicClock.now))
            return question
        }
    }
}
