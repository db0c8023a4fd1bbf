/// Stage 2 of a request: the disk lane. Jobs start in the order in which they came, `diskLanes` at a time, and really run when
/// they start.
extension ReplayPipeline {
    mutating func enqueue(_ job: DiskJob<Lanes.Body>) throws {
        diskJobs.append(job)
        try startDiskJobs()
    }

    mutating func diskEnded(_ job: DiskJob<Lanes.Body>, _ answer: Answer<Lanes.Body>?) throws {
        diskJobsRunning -= 1
        try startDiskJobs()
        guard let answer else { return }
        switch job {
        case .read(let request, _): try diskAnswered(request, answer)
        case .readAhead(let cell):
            if let body = answer.body { _ = try promote(body, cell) } else { try fetchAhead(cell) }
        case .store, .removeExpired: break
        }
    }

    private mutating func diskAnswered(_ request: Int, _ answer: Answer<Lanes.Body>) throws {
        let cell = requests[request].cell
        guard let body = answer.body else {
            if !requests[request].isDone { try passGate(request) }
            return
        }
        let promoted = try promote(body, cell)
        guard !requests[request].isDone else { return }
        deliver(request, .diskHit, at: promoted, stale: answer.found == .staleHit, wrong: answer.isWrong)
    }

    /// Stores what came from disk into memory where the cache does so; returns when the main lane is done with it.
    private mutating func promote(_ body: Lanes.Body, _ cell: Cell) throws -> Int64 {
        rules.promote ? try lanes.storeInMemory(body, cell) : lanes.mainLaneFree
    }

    private mutating func startDiskJobs() throws {
        while diskJobsRunning < rules.diskLanes, let job = diskJobs.popFirst() {
            if case .read(let request, _) = job, requests[request].isDone { continue }  // Cancelled while it queued.
            diskJobsRunning += 1
            try lanes.start(job)
        }
    }
}
