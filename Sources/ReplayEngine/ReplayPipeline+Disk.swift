/// Stage 2 of a request: the disk lane. Jobs start in the order in which they came, `diskLanes` at a time, and really
/// run when they start.
extension ReplayPipeline {
    mutating func enqueue(_ job: DiskJob<Lanes.Body>) throws {
        diskJobs.append(job)
        try startDiskJobs()
    }

    /// Looks for the request's image on disk, or joins a read of it that is under way.
    mutating func lookOnDisk(_ request: Int) throws {
        let cell = requests[request].cell
        if rules.diskOnMainLane {
            let (answer, done) = try lanes.readFromDiskOnMainLane(cell)
            if decodes, let body = answer.body {
                return try decode(DecodeJob(body: body, cell: cell, client: .read(request: request, answer)))
            }
            return try diskAnswered(request, answer, at: done)
        }
        if rules.coalesceDisk {
            if joinedReads[cell.number] != nil { return joinedReads[cell.number, default: []].append(request) }
            joinedReads[cell.number] = []
        }
        try enqueue(.read(request: request, cell))
    }

    mutating func diskEnded(_ job: DiskJob<Lanes.Body>, _ answer: Answer<Lanes.Body>?) throws {
        diskJobsRunning -= 1
        try startDiskJobs()
        guard let answer else { return }
        switch job {
        case .read(let request, let cell):
            if decodes, let body = answer.body {
                try decode(DecodeJob(body: body, cell: cell, client: .read(request: request, answer)))
            } else {
                try readAnswered(request, cell, answer)
            }
        case .readAhead(let cell):
            guard let body = answer.body else {
                // A damaged file that is kept counts as there.
                if !answer.found.isHit { try fetchAhead(cell) }
                return
            }
            guard rules.prefetchPromotes else { return }
            if decodes {
                try decode(DecodeJob(body: body, cell: cell, client: .readAhead))
            } else {
                _ = try promote(body, cell)
            }
        case .store, .removeExpired: break
        }
    }

    /// Answers who has asked, and who has joined.
    mutating func readAnswered(_ request: Int, _ cell: Cell, _ answer: Answer<Lanes.Body>) throws {
        try diskAnswered(request, answer, at: nil)
        for joined in joinedReads.removeValue(forKey: cell.number) ?? [] { try diskAnswered(joined, answer, at: nil) }
    }

    /// `done`: when the main lane has read it, where it did.
    private mutating func diskAnswered(_ request: Int, _ answer: Answer<Lanes.Body>, at done: Int64?) throws {
        let cell = requests[request].cell
        guard let body = answer.body else {
            guard !requests[request].isDone else { return }
            return answer.found.isHit ? settle(request, .failed) : try passGate(request)
        }
        // A cache that looks once more whether anybody still wants the image.
        if requests[request].isDone, rules.cancelledReads == .dropped { return }
        let promoted = max(done ?? 0, try promote(body, cell))
        guard !requests[request].isDone else { return }
        deliver(request, .diskHit, at: promoted, stale: answer.found == .staleHit, wrong: answer.isWrong)
    }

    /// Stores what came from disk into memory where the cache does so; returns when the main lane is done with it.
    mutating func promote(_ body: Lanes.Body, _ cell: Cell) throws -> Int64 {
        guard rules.promote else { return lanes.mainLaneFree }
        return memoryRules.promotedForever
            ? try lanes.storeInMemory(body, cell, expiration: .max / 4) : try storeInMemory(body, cell)
    }

    private mutating func startDiskJobs() throws {
        while diskJobsRunning < rules.diskLanes, let job = diskJobs.popFirst() {
            // Cancelled while it queued; who has joined it still wants the answer.
            if case .read(let request, let cell) = job, rules.cancelledReads != .finished, requests[request].isDone,
                joinedReads[cell.number]?.isEmpty ?? true
            {
                joinedReads[cell.number] = nil
                continue
            }
            diskJobsRunning += 1
            try lanes.start(job)
        }
    }
}
