/// Stages 3 and 4 of a request: the gate, the queue for a connection, the transfer, and its end.
extension ReplayPipeline {
    /// Passes the gate. While the list moves, a cache may hold its misses back. A request may always join a fetch that
    /// is in progress.
    mutating func passGate(_ request: Int) throws {
        let joins = rules.coalesce && inFlight[Int(requests[request].imageKey.rendition)] >= 0
        if scrolling, !rules.fetchWhileScrolling, !joins {
            guard requests[request].isVisible else { return settle(request, .deferred) }
            requests[request].state = .heldBack
            heldBack.append(request)
            recorder?.wait(request, for: .gate, at: lanes.now)
        } else {
            try fetch(request)
        }
    }

    private mutating func fetch(_ request: Int) throws {
        let imageKey = requests[request].imageKey
        guard !blocked.contains(imageKey.object) else { return settle(request, .failed) }
        if rules.coalesce, inFlight[Int(imageKey.rendition)] >= 0 {
            let fetch = inFlight[Int(imageKey.rendition)]
            log?.note(.joinedFetch, of: imageKey.object, by: request, at: lanes.now)
            fetches[fetch].waiters.append(request)
            if requests[request].isVisible { fetches[fetch].visibleWaiters += 1 }
            classify(fetch)
            requests[request].state = .waiting(fetch, own: false)
            beginValidationWait(request, for: fetch)
            noteWait(request, for: fetch)
            // The fetch may have been held back as a prefetch.
            return try startFetches()
        }
        requests[request].state = .waiting(fetches.count, own: true)
        var fetch = newFetch(for: request)
        if requests[request].isVisible { fetch.visibleWaiters = 1 }
        recorder?.wait(request, for: fetch.isConditional ? .validation : .connectionQueue, at: lanes.now)
        if fetch.isConditional { requests[request].validatedSince = requests[request].isVisible ? lanes.now : -1 }
        try begin(fetch)
    }

    mutating func fetchAhead(_ imageKey: ImageKey) throws {
        guard !blocked.contains(imageKey.object) else { return }
        if rules.coalesce && inFlight[Int(imageKey.rendition)] >= 0 { return }
        try begin(ReplayFetch(imageKey: imageKey, isPrefetch: true))
    }

    mutating func begin(_ fetch: consuming ReplayFetch) throws {
        let (object, rendition) = (fetch.imageKey.object, Int(fetch.imageKey.rendition))
        fetches.append(fetch)
        recorder?.note(.inProgress, of: object)
        inFlight[rendition] = fetches.count - 1
        let wait = recordedQueue(of: object)
        if wait > 0 {
            fetches[fetches.count - 1].state = .resting(until: lanes.now + wait)
            queue.rest(fetches.count - 1, until: lanes.now + wait)
        } else {
            enqueue(fetches.count - 1)
        }
        try startFetches()
    }

    /// Returns the nanoseconds that the next fetch of an object waited in the queue of the recording's client; 0 if the
    /// cache does not replay them.
    private mutating func recordedQueue(of object: Int) -> Int64 {
        guard rules.queue == .recorded else { return 0 }
        defer { queuedCounts[object] += 1 }
        return network.recordedQueue(object, nth: queuedCounts[object])
    }

    private mutating func startFetches() throws {
        while runningFetches < rules.connections ?? .max, let fetch = try takeQueuedFetch() {
            let imageKey = fetches[fetch].imageKey
            runningFetches += 1
            if fetches[fetch].isPrefetch { runningPrefetches += 1 }
            fetches[fetch].state = .running
            var sample = network.sample(imageKey.object, nth: fetchCounts[imageKey.object])
            fetchCounts[imageKey.object] += 1
            network.applyOutages(to: &sample, at: lanes.now)
            noteTransferStart(fetch)
            sample.connect = connections.begin(imageKey.object, sample, at: lanes.now)
            fetches[fetch].isUndecodable = sample.isUndecodable
            fetches[fetch].isAnswered = sample.status != 0
            (fetches[fetch].status, fetches[fetch].failedBytes) = (sample.status, sample.failedBytes)
            fetches[fetch].isUnavailable = sample.status == 0 || sample.status >= 500
            if fetches[fetch].isConditional { tally.asked() }
            if let recorder {
                let connected = lanes.now + sample.connect
                recorder.started(
                    fetch: fetch, connected: connected, firstByte: connected + sample.timeToFirstByte)
                noteWaits(for: fetch)
            }
            try lanes.start(fetch: fetch, imageKey, sample, conditions: conditions(of: fetch))
            if !fetches[fetch].isConditional { beginTransfer(fetch, sample) }
        }
        setAlarm()
    }

    /// Returns the next fetch that may start now, or nil.
    private mutating func takeQueuedFetch() throws -> Int? {
        bucketAlarm = nil
        guard let (fetch, kind) = nextQueuedFetch() else { return nil }
        if let wait = bucket?.take(at: lanes.now) {
            bucketAlarm = lanes.now + wait
            return nil
        }
        queue.removeFirst(in: kind)
        return fetch
    }

    /// Sets the alarm to the next time at which a fetch may start: the bucket has a token, or a failed fetch is
    /// retried.
    private mutating func setAlarm() {
        while let next = queue.firstToWake, !fetches[next.fetch].state.rests(until: next.end) {
            queue.removeFirstToWake()  // The fetch was cancelled.
        }
        let next = min(bucketAlarm ?? .max, queue.firstToWake?.end ?? .max)
        lanes.alarm = next == .max ? nil : next
    }

    private mutating func enqueue(_ fetch: Int) {
        fetches[fetch].state = .queued
        fetches[fetch].rank = queue.nextRank()
        fetches[fetch].kind = kind(of: fetch)
        push(fetch)
    }

    private mutating func push(_ fetch: Int) {
        let host = connections.host(of: fetches[fetch].imageKey.object)
        queue.push(QueuedFetches.Entry(rank: fetches[fetch].rank, fetch: fetch, host: host), in: fetches[fetch].kind)
    }

    /// Notes that the waiters of a fetch have changed.
    mutating func classify(_ fetch: Int) {
        guard fetches[fetch].state.isQueued else { return }
        let kind = kind(of: fetch)
        guard kind != fetches[fetch].kind else { return }
        fetches[fetch].kind = kind
        push(fetch)
    }

    private func kind(of fetch: Int) -> QueuedFetches.Class {
        if rules.order == .visibleFirst, fetches[fetch].visibleWaiters > 0 { return .visible }
        return (rules.prefetchLast || rules.prefetchConnections != nil) && isAhead(fetch) ? .ahead : .needed
    }

    /// Returns the next fetch that may start, and its class.
    private mutating func nextQueuedFetch() -> (fetch: Int, kind: QueuedFetches.Class)? {
        if let visible = firstThatMayStart(.visible) { return (visible.fetch, .visible) }
        let needed = firstThatMayStart(.needed)
        if rules.prefetchLast, let needed { return (needed.fetch, .needed) }
        let ahead =
            runningPrefetches < rules.prefetchConnections ?? .max ? firstThatMayStart(.ahead) : nil
        guard let ahead, needed.map({ ahead < $0 }) ?? true else { return needed.map { ($0.fetch, .needed) } }
        return (ahead.fetch, .ahead)
    }

    /// Returns the first fetch of a class whose host has a free connection.
    private mutating func firstThatMayStart(_ kind: QueuedFetches.Class) -> QueuedFetches.Entry? {
        while let entry = queue.first(in: kind) {
            let fetch = entry.fetch
            guard fetches[fetch].state.isQueued, fetches[fetch].rank == entry.rank, fetches[fetch].kind == kind else {
                // The fetch was cancelled, or is in another class now.
                queue.removeFirst(in: kind)
                queue.unpark(entry.host, in: kind)
                continue
            }
            if connections.mayBegin(fetches[fetch].imageKey.object) { return entry }
            queue.parkFirst(in: kind)
        }
        return nil
    }

    /// The alarm has rung: the bucket has a token, or the time of a retry has come.
    mutating func woke() throws {
        while let next = queue.firstToWake, next.end <= lanes.now {
            queue.removeFirstToWake()
            guard fetches[next.fetch].state.rests(until: next.end) else { continue }
            enqueue(next.fetch)
            noteWaits(for: next.fetch)
        }
        try startFetches()
    }

    private mutating func freeConnection(of fetch: Int, isReusable: Bool) {
        runningFetches -= 1
        endTransfer(fetch)
        if fetches[fetch].isPrefetch { runningPrefetches -= 1 }
        connections.end(fetches[fetch].imageKey.object, isReusable: isReusable)
        queue.unpark(connections.host(of: fetches[fetch].imageKey.object))
    }

    mutating func fetched(_ fetch: Int, _ answer: Answer<Lanes.Body>) throws {
        guard fetches[fetch].state.isRunning else { return }  // The fetch was cancelled.
        freeConnection(of: fetch, isReusable: fetches[fetch].isAnswered)
        noteTransferEnd(fetch, bytes: answer.bytes)
        if fetches[fetch].validates, try validated(fetch, answer) {
            // The stored object is delivered.
        } else if let body = answer.body {
            if fetches[fetch].isUndecodable {
                try failUndecodable(fetch, bytes: fetches[fetch].failedBytes)
            } else if brokenFiles.contains(fetches[fetch].imageKey.object) {
                try fail(fetch)
            } else if decodes, !endsOnDisk(fetch) {
                fetches[fetch].state = .decoding
                try decode(
                    DecodeJob(
                        body: body, imageKey: fetches[fetch].imageKey, client: .fetch(fetch, isWrong: answer.isWrong)))
            } else {
                end(fetch)
                try deliver(body, of: fetch, wrong: answer.isWrong)
            }
        } else if mayRetry(fetch) {
            try retry(fetch)
        } else {
            try fail(fetch)
        }
        try startFetches()
    }

    /// Whether a fetch is attempted again, if its current attempt fails.
    func mayRetry(_ fetch: Int) -> Bool {
        fetches[fetch].attempts < rules.retries && rules.retriesAfter.concerns(status: fetches[fetch].status)
    }

    /// Ends a fetch that has brought no image, although its status is a success.
    mutating func failUndecodable(_ fetch: Int, bytes: Int) throws {
        let imageKey = fetches[fetch].imageKey
        if rules.undecodable == .blocked { blocked.insert(imageKey.object) }
        try fail(fetch)
        guard rules.undecodable == .stored || rules.undecodable == .storedAndFetched else { return }
        noteAnswer(of: imageKey.object)
        if rules.undecodable == .stored, memoryRules.holds == .encoded, rules.store.storesInMemory, !endsOnDisk(fetch),
            let failure = StoredFailure(undecodable: bytes, validation.memory.storing(imageKey.object))
        {
            _ = try lanes.storeFailureInMemory(failure, imageKey)
            noteImageMemory()
        }
        if rules.store.storesOnDisk, lanes.hasDisk,
            let failure = StoredFailure(undecodable: bytes, validation.disk.storing(imageKey.object))
        {
            try enqueue(.storeFailure(imageKey, failure))
        }
    }

    private mutating func fail(_ fetch: Int) throws {
        end(fetch)
        recorder?.note(
            blocked.contains(fetches[fetch].imageKey.object) ? .blocked : .failed, of: fetches[fetch].imageKey.object)
        // Requests that the failure does not reach wait for nothing from now on.
        if let recorder {
            for request in fetches[fetch].allWaiters() { recorder.wait(request, for: .nothing, at: lanes.now) }
        }
        // The other requests wait forever.
        let audience = rules.failureReaches == .all ? fetches[fetch].waiters[...] : fetches[fetch].waiters.prefix(1)
        for request in audience where !requests[request].isDone { settle(request, .failed) }
        try keepFailure(of: fetch)
    }

    /// Stores the answer to a failed fetch on disk, or removes the file of its object, if the disk does that.
    private mutating func keepFailure(of fetch: Int) throws {
        guard lanes.hasDisk, diskFailures.concerns(status: fetches[fetch].status) else { return }
        let imageKey = fetches[fetch].imageKey
        switch diskFailures {
        case .ignored: break
        case .removed:
            recorder?.removedFromDisk(imageKey)
            try enqueue(.remove(imageKey))
        case .stored:
            guard rules.store.storesOnDisk else { break }
            try enqueue(.storeFailure(imageKey, StoredFailure(bytes: fetches[fetch].failedBytes)))
        }
    }

    private mutating func retry(_ fetch: Int) throws {
        fetches[fetch].attempts += 1
        guard rules.retryDelay > 0 else {
            enqueue(fetch)
            return noteWaits(for: fetch)
        }
        let rest = rules.rest(beforeAttempt: fetches[fetch].attempts)
        fetches[fetch].state = .resting(until: lanes.now + rest)
        queue.rest(fetch, until: lanes.now + rest)
        noteWaits(for: fetch)
        setAlarm()
    }

    /// Records the wait of a request that has joined a fetch: the state of the fetch decides.
    private func noteWait(_ request: Int, for fetch: Int) {
        guard let recorder, !requests[request].isDone else { return }
        switch fetches[fetch].state {
        case .queued where fetches[fetch].isConditional, .running where fetches[fetch].isConditional,
            .resting where fetches[fetch].isConditional && fetches[fetch].attempts == 0:
            recorder.wait(request, for: .validation, at: lanes.now)
        // Before the first attempt, the recorded wait passes.
        case .queued,
            .resting where fetches[fetch].attempts == 0:
            recorder.wait(request, for: .connectionQueue, at: lanes.now)
        case .running: recorder.wait(request, forFetch: fetch, at: lanes.now)
        case .resting: recorder.wait(request, for: .retryPause, at: lanes.now)
        case .decoding: recorder.wait(request, for: isDecodingNow(fetch) ? .decode : .decodeQueue, at: lanes.now)
        case .over: recorder.wait(request, for: .nothing, at: lanes.now)
        }
    }

    private mutating func noteWaits(for fetch: Int) {
        guard recorder != nil else { return }
        for request in fetches[fetch].allWaiters() { noteWait(request, for: fetch) }
    }

    private func isDecodingNow(_ fetch: Int) -> Bool {
        runningDecodes.contains { if case .fetch(fetch, _) = $0.job.client { true } else { false } }
    }

    mutating func deliver(_ body: Lanes.Body, of fetch: Int, wrong: Bool) throws {
        let imageKey = fetches[fetch].imageKey
        let waiters = fetches[fetch].allWaiters()
        recorder?.note(.arrived, of: imageKey.object)
        recorder?.looks(accessor(waiters.first, imageKey.object), at: lanes.now)
        noteAnswer(of: imageKey.object)
        var done = lanes.mainLaneFree
        if rules.store.storesInMemory, !endsOnDisk(fetch) {
            done = try storeInMemory(body, imageKey)
            let other = imageKey.otherVariant
            if waiters.contains(where: { requests[$0].imageKey == other }) { done = try storeInMemory(body, other) }
        }
        for request in waiters {
            guard case .waiting(_, let own) = requests[request].state else { continue }
            deliver(request, own ? .origin : .coalesced, at: done, wrong: wrong)
        }
        guard rules.store.storesOnDisk, lanes.hasDisk else { return }
        switch validation.disk.storing(imageKey.object) {
        case .untilPolicySays: try enqueue(.store(body, imageKey, expiration: nil))
        case .until(let expiration): try enqueue(.store(body, imageKey, expiration: expiration))
        case .notAtAll: break
        }
    }

    /// Stores a body in memory, if it may be stored. Returns the time at which the main lane has finished.
    mutating func storeInMemory(_ body: Lanes.Body, _ imageKey: ImageKey) throws -> Int64 {
        defer { noteImageMemory() }
        switch validation.memory.storing(imageKey.object) {
        case .untilPolicySays: return try lanes.storeInMemory(body, imageKey, expiration: nil)
        case .until(let expiration): return try lanes.storeInMemory(body, imageKey, expiration: expiration)
        case .notAtAll: return lanes.mainLaneFree
        }
    }

    /// Removes a request from a fetch. A fetch that no request waits for is cancelled, unless it is a prefetch.
    mutating func leave(_ fetch: Int, _ request: Int) throws {
        fetches[fetch].waiters.remove(request)
        classify(fetch)
        guard fetches[fetch].waiters.isEmpty, !fetches[fetch].isPrefetch, !fetches[fetch].isInBackground else { return }
        guard !fetches[fetch].state.isOver else { return }
        try cancel(fetch)
    }

    mutating func cancel(_ fetch: Int) throws {
        if fetches[fetch].state.isRunning {
            freeConnection(of: fetch, isReusable: false)
            noteTransferEnd(fetch, bytes: lanes.cancel(fetch: fetch))
        }
        recorder?.note(.cancelled, of: fetches[fetch].imageKey.object)
        log?.note(.cancelledFetch, of: fetches[fetch].imageKey.object, at: lanes.now)
        end(fetch)
        try startFetches()
    }

    mutating func end(_ fetch: Int) {
        fetches[fetch].state = .over
        if fetches[fetch].validates { validation.end(fetch, fetches[fetch]) }
        let rendition = Int(fetches[fetch].imageKey.rendition)
        // A cache that keeps its waiters still regards the fetch as in progress.
        if inFlight[rendition] == fetch, !rules.keepsWaiters { inFlight[rendition] = -1 }
    }
}
