extension ReplayPipeline {
    /// Stage 1 of a request: memory, on the main lane.
    mutating func appear(_ imageKey: ImageKey) throws {
        let request = open(imageKey)
        recorder?.looks(request, at: lanes.now)
        var (answer, answered) = lanes.lookUpInMemory(imageKey)
        recorder?.lookedInMemory(
            request, imageKey, isHit: answer.found.isHit,
            isBeingRead: !answer.found.isHit && rules.coalesceDisk && sharedReads[imageKey.number] != nil,
            isTooSmall: answer.isTooSmall
        )
        if keepsShown, requests[request].nextOpen < 0, Int(firstOpen[imageKey.number]) == request {
            lanes.show(imageKey)
        }
        guard answer.found.isHit else { return try lookFurther(request) }
        try renewFile(imageKey)
        if validatesMemory, try !mayShow(&answer, for: request, from: .memory) { return }
        if decodes, memoryRules.holds == .encoded, let body = answer.body {
            return try decode(DecodeJob(body: body, imageKey: imageKey, client: .memoryHit(request: request, answer)))
        }
        deliver(request, .memoryHit, at: answered, stale: answer.found == .staleHit, wrong: answer.isWrong)
    }

    private mutating func lookFurther(_ request: Int) throws {
        if lanes.hasEncodedMemory, try lookUpEncoded(request) { return }
        if lanes.hasDisk { try lookOnDisk(request) } else { try passGate(request) }
    }

    /// Looks in the memory of encoded bytes; returns whether the object was found. A hit is decoded, and promoted.
    private mutating func lookUpEncoded(_ request: Int) throws -> Bool {
        let imageKey = requests[request].imageKey
        var (answer, _) = lanes.lookUpEncoded(imageKey)
        guard let body = answer.body else { return false }
        if validatesMemory, try !mayShow(&answer, for: request, from: .encodedMemory) { return true }
        if decodes {
            try decode(DecodeJob(body: body, imageKey: imageKey, client: .encodedHit(request: request, answer)))
        } else {
            deliver(
                request, .memoryHit, at: try storeInMemory(body, imageKey), stale: answer.found == .staleHit,
                wrong: answer.isWrong)
        }
        return true
    }

    /// Renews the file of an object that was found in memory, if the cache does.
    mutating func renewFile(_ imageKey: ImageKey) throws {
        if rules.memoryHitsRenewFiles, lanes.hasDisk { try enqueue(.touch(imageKey)) }
    }

    /// Ends the wait of the cell that has shown the object for the longest time.
    mutating func disappear(_ imageKey: ImageKey) throws {
        let request = Int(firstOpen[imageKey.number])
        guard request >= 0 else { return }  // It appeared before the recording began.
        firstOpen[imageKey.number] = requests[request].nextOpen
        if requests[request].nextOpen < 0 {
            lastOpen[imageKey.number] = -1
            if keepsShown { lanes.hide(imageKey) }
        }
        close(request, at: eventTime)
        switch requests[request].state {
        case .done: break
        case .heldBack: settle(request, .deferred)
        case .looking: if rules.cancelOnDisappear { settle(request, .cancelled) }
        case .waiting(let fetch, _):
            fetches[fetch].visibleWaiters -= 1
            guard rules.cancelOnDisappear else { return classify(fetch) }
            settle(request, .cancelled)
            try leave(fetch, request)
        }
    }

    private mutating func open(_ imageKey: ImageKey) -> Int {
        let request = requestCount
        requestCount += 1
        requests[request].imageKey = imageKey
        requests[request].appeared = eventTime
        let last = Int(lastOpen[imageKey.number])
        if last >= 0 { requests[last].nextOpen = Int32(request) } else { firstOpen[imageKey.number] = Int32(request) }
        lastOpen[imageKey.number] = Int32(request)
        tally.appeared(imageKey, at: eventTime)
        imageMemory?.appeared()
        recorder?.appeared(request, at: eventTime)
        return request
    }

    /// Closes a cell that leaves the screen, with or without its image. What the cell has shown is counted now: a busy
    /// main lane delivers ahead, at the time at which it will be free, and the cell may be gone by then.
    mutating func close(_ request: Int, at time: Int64) {
        if requests[request].validatedSince >= 0 { endValidationWait(request, at: time) }
        requests[request].vanished = time
        recorder?.vanished(request, at: time)
        endDisplay(request)
        let delivered = requests[request].delivered
        tally.closed(appeared: requests[request].appeared, delivered: delivered, at: time)
        guard delivered >= 0 else { return }
        // Work that is in progress at the end of the trace is finished, for the cells that are still visible.
        guard delivered <= time || isEnding else {
            requests[request].delivered = -1
            return tally.late()
        }
        tally.shown(latency: delivered - requests[request].appeared)
        if requests[request].staleness > 0 { tally.stale(by: requests[request].staleness) }
    }

    /// Delivers an image at a time, which may be later than now. A cell that has disappeared by then gets no image and
    /// adds no latency, but its request still ends. The picture of another key leaves the cell without its image.
    mutating func deliver(
        _ request: Int, _ outcome: RequestOutcome, at time: Int64, stale: Bool = false, wrong: Bool = false
    ) {
        settle(request, outcome, wrong: wrong)
        requests[request].isStale = stale
        requests[request].isWrong = wrong
        guard !wrong else { return }
        if stale { tally.stale() }
        guard requests[request].isVisible else { return tally.late() }
        requests[request].delivered = time
        display(request)
        recorder?.delivered(request, now: lanes.now, at: time)
        if stale { noteStaleness(request, outcome, at: time) }
        tally.delivered(at: time)
    }

    /// Gives the request its one outcome.
    mutating func settle(_ request: Int, _ outcome: RequestOutcome, wrong: Bool = false) {
        requests[request].state = .done
        requests[request].outcome = outcome
        if validates {
            if !validation.waiting.isEmpty { validation.waiting[request] = nil }
            endValidationWait(request, at: lanes.now)
        }
        if wrong || outcome.latencyGroup == nil { recorder?.ended(request, outcome, at: lanes.now) }
        tally.settled(requests[request].imageKey, outcome, appeared: requests[request].appeared, isWrong: wrong)
        if let log, outcome == .cancelled {
            log.note(.cancelledRequest, of: requests[request].imageKey.object, by: request, at: lanes.now)
        }
        if ahead != nil, outcome.usesPrefetch, !wrong { noteUse(of: requests[request].imageKey.object) }
    }
}
