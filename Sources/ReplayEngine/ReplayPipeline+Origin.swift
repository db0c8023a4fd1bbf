/// Stages 3 and 4 of a request: the gate, the queue for a connection, the transfer, and what comes of it.
extension ReplayPipeline {
    /// While the list moves, a cache may hold its misses back. Joining a fetch that is under way costs nothing and is allowed.
    mutating func passGate(_ request: Int) throws {
        let joins = rules.coalesce && inFlight[requests[request].cell.object] >= 0
        if scrolling, !rules.fetchWhileScrolling, !joins {
            guard requests[request].isVisible else { return settle(request, .deferred) }
            requests[request].state = .heldBack
            heldBack.append(request)
        } else {
            try fetch(request)
        }
    }

    private mutating func fetch(_ request: Int) throws {
        let cell = requests[request].cell
        if rules.coalesce, inFlight[cell.object] >= 0 {
            let fetch = inFlight[cell.object]
            fetches[fetch].waiters.append(request)
            requests[request].state = .waiting(fetch, own: false)
            return
        }
        requests[request].state = .waiting(fetches.count, own: true)
        try begin(ReplayFetch(cell: cell, waiters: [request]))
    }

    mutating func fetchAhead(_ cell: Cell) throws {
        if rules.coalesce, inFlight[cell.object] >= 0 { return }
        try begin(ReplayFetch(cell: cell, isPrefetch: true))
    }

    private mutating func begin(_ fetch: ReplayFetch) throws {
        fetches.append(fetch)
        inFlight[fetch.cell.object] = fetches.count - 1
        queuedFetches.append(fetches.count - 1)
        try startFetches()
    }

    private mutating func startFetches() throws {
        while runningFetches < rules.connections, let fetch = takeQueuedFetch() {
            runningFetches += 1
            fetches[fetch].state = .running
            let cell = fetches[fetch].cell
            let sample = weather.sample(cell.object, nth: fetchCounts[cell.object])
            fetchCounts[cell.object] += 1
            try lanes.start(fetch: fetch, cell, sample)
        }
    }

    private mutating func takeQueuedFetch() -> Int? {
        switch rules.order {
        case .fifo: return queuedFetches.popFirst()
        case .lifo: return queuedFetches.popLast()
        case .visibleFirst:
            let seen = queuedFetches.firstIndex { fetches[$0].waiters.contains { requests[$0].isVisible } }
            return seen.map { queuedFetches.remove(at: $0) } ?? queuedFetches.popFirst()
        }
    }

    mutating func fetched(_ fetch: Int, _ answer: Answer<Lanes.Body>) throws {
        guard fetches[fetch].state == .running else { return }  // Cancelled under way.
        runningFetches -= 1
        if let body = answer.body {
            end(fetch)
            try deliver(body, of: fetch, wrong: answer.isWrong)
        } else if fetches[fetch].attempts < rules.retries {
            fetches[fetch].attempts += 1
            fetches[fetch].state = .queued
            queuedFetches.append(fetch)
        } else {
            end(fetch)
            for request in fetches[fetch].waiters { settle(request, .failed) }
        }
        try startFetches()
    }

    private mutating func deliver(_ body: Lanes.Body, of fetch: Int, wrong: Bool) throws {
        let cell = fetches[fetch].cell
        let waiters = fetches[fetch].waiters
        var done = lanes.mainLaneFree
        if rules.store.storesInMemory {
            done = try lanes.storeInMemory(body, cell)
            let other = Cell(object: cell.object, variant: 1 - cell.variant)
            if waiters.contains(where: { requests[$0].cell == other }) {
                done = try lanes.storeInMemory(body, other)
            }
        }
        for request in waiters {
            guard case .waiting(_, let own) = requests[request].state else { continue }
            deliver(request, own ? .origin : .coalesced, at: done, wrong: wrong)
        }
        if rules.store.storesOnDisk, lanes.hasDisk { try enqueue(.store(body, cell)) }
    }

    /// One waiter less; a fetch that nobody waits for is given up, unless it was made ahead of need.
    mutating func leave(_ fetch: Int, _ request: Int) throws {
        fetches[fetch].waiters.removeAll { $0 == request }
        guard fetches[fetch].waiters.isEmpty, !fetches[fetch].isPrefetch else { return }
        if fetches[fetch].state == .running {
            runningFetches -= 1
            lanes.cancel(fetch: fetch)
        }
        queuedFetches.removeAll { $0 == fetch }
        end(fetch)
        try startFetches()
    }

    private mutating func end(_ fetch: Int) {
        fetches[fetch].state = .over
        let object = fetches[fetch].cell.object
        if inFlight[object] == fetch { inFlight[object] = -1 }
    }
}
