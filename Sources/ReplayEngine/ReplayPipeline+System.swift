import CacheTraces

extension ReplayPipeline {
    mutating func scroll(_ phase: ScrollPhase) throws {
        scrolling = phase != .atRest
        guard !scrolling else { return }
        let waiting = heldBack
        heldBack = []
        // Cells that vanished have had their outcome.
        for request in waiting where requests[request].state == .heldBack { try passGate(request) }
    }

    mutating func background() throws {
        if rules.sweepOnBackground, lanes.hasDisk { try enqueue(.removeExpired) }
    }

    /// The app ends: cells, fetches and whatever waited for the disk are gone; memory is lost, files stay.
    mutating func terminate() throws {
        diskJobs.removeAll()
        diskJobsRunning = 0
        queuedFetches.removeAll()
        runningFetches = 0
        heldBack = []
        scrolling = false
        for fetch in fetches.indices where fetches[fetch].state != .over {
            fetches[fetch].state = .over
            inFlight[fetches[fetch].cell.object] = -1
        }
        for request in 0..<requestCount where requests[request].isVisible || !requests[request].isDone {
            if !requests[request].isDone { settle(request, .cancelled) }
            if requests[request].isVisible { close(request, at: eventTime) }
        }
        for cell in firstOpen.indices {
            firstOpen[cell] = -1
            lastOpen[cell] = -1
        }
        try lanes.relaunch()
    }
}
