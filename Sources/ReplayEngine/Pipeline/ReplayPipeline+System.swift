import SessionModel

extension ReplayPipeline {
    mutating func scroll(_ phase: ScrollPhase) throws {
        scrolling = phase != .atRest
        guard !scrolling else { return }
        let waiting = heldBack
        heldBack = []
        // Requests of cells that have disappeared already have an outcome.
        for request in waiting where requests[request].state == .heldBack { try passGate(request) }
    }

    mutating func background() throws {
        lanes.notice(.background)
        try relieve(memoryRules.onBackground, .background)
        if rules.sweepOnBackground, lanes.hasDisk { try enqueue(.removeExpired) }
    }

    /// Removes an object from memory at once, and from disk on the disk lane. Fetches in progress go on, and store what
    /// they bring.
    package mutating func remove(_ object: Int) throws {
        for variant in Variant.allCases {
            let imageKey = ImageKey(object: object, variant: variant.rawValue)
            recorder?.begin(.removal)
            for image in renditions?.all(imageKey) ?? [imageKey] {
                lanes.removeFromMemory(image)
                recorder?.removedFromMemory(image)
            }
            recorder?.removedFromDisk(imageKey)
            recorder?.endOccasion()
            if lanes.hasDisk { try enqueue(.remove(imageKey)) }
        }
    }

    /// Frees memory as a rule says.
    mutating func relieve(_ action: PressureAction, _ trigger: ReplayRecorder.Trigger) throws {
        recorder?.begin(trigger)
        defer { recorder?.endOccasion() }
        switch action {
        case .keep: break
        case .clear:
            lanes.clearMemory()
            recorder?.clearedMemory()
        case .trim(let cost): try lanes.trimMemory(to: cost)
        case .trimToShare(let share): try lanes.trimMemory(toShare: share)
        }
    }

    /// Relaunches the app: cells, fetches and disk jobs are lost, and so is memory. Files stay.
    mutating func terminate() throws {
        diskJobs.removeAll()
        diskJobsRunning = 0
        sharedReads = [:]
        decodeJobs.removeAll()
        runningDecodes = []
        queue.removeAll()
        runningFetches = 0
        runningPrefetches = 0
        imageMemory?.endAll()
        connections.reset()
        bucket = rules.fetchesPerSecond.map { TokenBucket(rate: $0, burst: rules.burst, at: eventTime) }
        bucketAlarm = nil
        heldBack = []
        blocked = []
        if validates { validation.endAll() }
        scrolling = false
        for fetch in firstFetch..<fetches.count {
            // This includes fetches that are over: a cache that keeps its waiters loses them now.
            inFlight[Int(fetches[fetch].imageKey.rendition)] = -1
            recorder?.lost(fetches[fetch].imageKey.object)
            fetches[fetch].state = .over
        }
        for request in firstRequest..<requestCount {
            if !requests[request].isDone { settle(request, .cancelled) }
            if requests[request].isVisible { close(request, at: eventTime) }
            firstOpen[requests[request].imageKey.number] = -1
            lastOpen[requests[request].imageKey.number] = -1
        }
        firstFetch = fetches.count
        firstRequest = requestCount
        recorder?.begin(.relaunch)
        defer { recorder?.endOccasion() }
        try lanes.relaunch(sweepingFirst: rules.sweepOnTerminate)
    }
}
