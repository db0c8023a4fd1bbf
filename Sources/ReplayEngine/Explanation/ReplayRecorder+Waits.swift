import Basics

/// What requests wait for.
extension ReplayRecorder {
    func appeared(_ request: Int, at time: Int64) {
        courses[request].stage = .on(.mainLane)
        courses[request].since = time
    }

    /// Notes that a request waits for something else from now on. A request that waits no more is not changed.
    func wait(_ request: Int, for wait: Wait, at time: Int64) {
        guard leave(request, at: time) else { return }
        courses[request].stage = .on(wait)
    }

    func wait(_ request: Int, forFetch fetch: Int, at time: Int64) {
        guard leave(request, at: time) else { return }
        courses[request].stage = .fetch(Int32(truncatingIfNeeded: fetch))
    }

    func started(fetch: Int, connected: Int64, firstByte: Int64) {
        while state.pointee.phases.count <= fetch { state.pointee.phases.append((0, 0)) }
        state.pointee.phases[fetch] = (connected, firstByte)
    }

    /// Notes that a visible cell gets its image at a time, which may be later than now.
    func delivered(_ request: Int, now: Int64, at time: Int64) {
        guard leave(request, at: now) else { return }
        add(.mainLane, from: now, until: time, to: request)
        courses[request].stage = .over
        courses[request].since = time
    }

    /// Notes that a cell vanishes. A delivery ahead is taken back, and so are waits that were noted late.
    func vanished(_ request: Int, at time: Int64) {
        if leave(request, at: max(time, courses[request].since)) { courses[request].stage = .over }
        let since = courses[request].since
        courses[request].since = time
        guard time < since else { return }
        let excess = foreground.time(from: min(time, end), to: min(since, end))
        if excess > 0 { takeBack(excess, from: request) }
    }

    private func leave(_ request: Int, at time: Int64) -> Bool {
        let start = courses[request].since
        switch courses[request].stage {
        case .over: return false
        case .on(let wait): add(wait, from: start, until: time, to: request)
        case .fetch(let fetch):
            let (connected, firstByte) = state.pointee.phases[Int(fetch)]
            add(.connect, from: start, until: max(start, min(time, connected)), to: request)
            let waiting = max(start, connected)
            add(.firstByte, from: waiting, until: max(waiting, min(time, firstByte)), to: request)
            let transferring = max(start, firstByte)
            add(.transfer, from: transferring, until: max(transferring, time), to: request)
        }
        courses[request].since = time
        return true
    }

    /// Adds a wait. Cells that are visible at the end of the session vanish there, although the replay ends its work.
    /// Nothing is on the screen in the background, so that time there is no wait.
    private func add(_ wait: Wait, from start: Int64, until stop: Int64, to request: Int) {
        guard start != stop else { return }
        state.pointee.waits[request * Self.kinds + wait.rawValue] +=
            foreground.time(from: min(start, end), to: min(stop, end))
    }

    /// Takes time back that a request did not wait: of a delivery ahead, and then of the waits that were noted late, as
    /// they are on a wall clock.
    private func takeBack(_ time: Int64, from request: Int) {
        var rest = time
        for wait in Wait.takenBackFirst {
            let place = request * Self.kinds + wait.rawValue
            let part = min(rest, state.pointee.waits[place])
            state.pointee.waits[place] -= part
            rest -= part
        }
    }

    /// Notes that a request has ended without a delivery.
    func ended(_ request: Int, _ outcome: RequestOutcome, at time: Int64) {
        wait(request, for: .nothing, at: time)
        let object = Int(courses[request].object)
        if outcomes[object] != .inProgress, outcome == .deferred { outcomes[object] = .deferred }
    }
}
