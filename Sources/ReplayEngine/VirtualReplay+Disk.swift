/// Stage 2 of a request: the disk lane. Jobs start in the order in which they came, `diskLanes` at a time, and really run when
/// they start.
extension VirtualReplay {
    mutating func enqueue(_ job: DiskJob) throws {
        diskJobs.append(job)
        try startDiskJobs()
    }

    mutating func diskJobEnded() throws {
        diskJobsRunning -= 1
        try startDiskJobs()
    }

    mutating func diskAnswered(_ job: DiskJob, _ answer: Answer<Tiers.Body>) throws {
        try diskJobEnded()
        switch job {
        case .read(let request): try diskAnswered(request, answer)
        case .readAhead(let cell):
            if let body = answer.body { _ = try promote(body, cell) } else { try fetchAhead(cell) }
        case .store, .removeExpired: break
        }
    }

    private mutating func diskAnswered(_ request: Int, _ answer: Answer<Tiers.Body>) throws {
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
    private mutating func promote(_ body: Tiers.Body, _ cell: Cell) throws -> Int64 {
        guard rules.promote else { return onMainLane(0) }
        return onMainLane(try tiers.storeInMemory(body, cell, at: now))
    }

    private mutating func startDiskJobs() throws {
        while diskJobsRunning < rules.diskLanes, let job = diskJobs.popFirst() {
            if case .read(let request) = job, requests[request].isDone { continue }  // Cancelled while it queued.
            diskJobsRunning += 1
            try start(job)
        }
    }

    private mutating func start(_ job: DiskJob) throws {
        switch job {
        case .read(let request):
            let answer = try tiers.readFromDisk(requests[request].cell, at: now)
            agenda.plan(.diskAnswered(job, answer), at: now + answer.duration)
        case .readAhead(let cell):
            let answer = try tiers.readFromDisk(cell, at: now)
            agenda.plan(.diskAnswered(job, answer), at: now + answer.duration)
        case .store(let body, let cell):
            agenda.plan(.diskWritten, at: now + (try tiers.storeOnDisk(body, cell, at: now)))
        case .removeExpired:
            agenda.plan(.diskWritten, at: now + (try tiers.removeExpiredFromDisk(at: now)))
        }
    }
}
