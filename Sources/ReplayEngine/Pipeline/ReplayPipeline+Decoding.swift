/// The stage between the arrival of a body and its delivery, if images are decoded: `decodeLanes` at a time, or on the
/// main lane. A cache that holds encoded bytes in memory decodes them for each delivery.
extension ReplayPipeline {
    struct DecodeJob {
        var body: Lanes.Body
        var imageKey: ImageKey
        var client: Client
        /// What it adds to the memory of images now.
        package var bytes = 0

        /// What continues when the image is decoded.
        enum Client {
            case memoryHit(request: Int, Answer<Lanes.Body>)
            /// The bytes were in the memory of encoded bytes; the image is promoted.
            case encodedHit(request: Int, Answer<Lanes.Body>)
            case read(DiskReaders, Answer<Lanes.Body>)
            case fetch(Int, isWrong: Bool)
        }
    }

    mutating func decode(_ job: DecodeJob) throws {
        var job = job
        if rules.decodeOnMainLane {
            guard isWanted(job) else { return }
            beginQueue(&job)
            beginDecoding(&job)
            let answer = try lanes.decodeOnMainLane(job.body, job.imageKey)
            endDecoding(job)
            return try decoded(job, answer)
        }
        beginQueue(&job)
        // With a free lane, the job starts at once.
        if runningDecodes.count >= rules.decodeLanes { wait(job, for: .decodeQueue) }
        decodeJobs.append(job)
        try startDecodeJobs()
    }

    mutating func decodeEnded(_ number: Int, _ answer: Answer<Lanes.Body>) throws {
        guard let index = runningDecodes.firstIndex(where: { $0.number == number }) else { return }
        let job = runningDecodes.remove(at: index).job
        endDecoding(job)
        try startDecodeJobs()
        try decoded(job, answer)
    }

    private mutating func startDecodeJobs() throws {
        while runningDecodes.count < rules.decodeLanes, var job = decodeJobs.popFirst() {
            guard isWanted(job) else {
                endDecoding(job)
                continue
            }
            decodeCount += 1
            wait(job, for: .decode)
            beginDecoding(&job)
            runningDecodes.append((decodeCount, job))
            try lanes.start(decode: decodeCount, job.body, job.imageKey)
        }
    }

    /// Records what the requests of a job wait for.
    private mutating func wait(_ job: DecodeJob, for wait: Wait) {
        guard let recorder else { return }
        let now = lanes.now
        switch job.client {
        case .memoryHit(let request, _), .encodedHit(let request, _):
            if !requests[request].isDone { recorder.wait(request, for: wait, at: now) }
        case .read(let readers, _):
            for request in all(readers, of: job.imageKey) where !requests[request].isDone {
                recorder.wait(request, for: wait, at: now)
            }
        case .fetch(let fetch, _):
            for request in fetches[fetch].allWaiters() where !requests[request].isDone {
                recorder.wait(request, for: wait, at: now)
            }
        }
    }

    /// Whether a request still waits for the image, or the cache does not check that.
    private mutating func isWanted(_ job: DecodeJob) -> Bool {
        switch job.client {
        case .memoryHit(let request, _), .encodedHit(let request, _): return !requests[request].isDone
        case .read(let readers, _):
            // The read has ended. Most caches then finish what they have begun.
            guard rules.cancelledReads == .dropped, !isNeeded(readers, of: job.imageKey) else { return true }
            forget(readersOf: job.imageKey)
            return false
        case .fetch(let fetch, _): return fetches[fetch].state.isDecoding
        }
    }

    private mutating func decoded(_ job: DecodeJob, _ answer: Answer<Lanes.Body>) throws {
        switch job.client {
        case .memoryHit(let request, let found):
            guard !requests[request].isDone else { return }
            guard answer.body != nil else { return settle(request, .failed) }
            deliver(request, .memoryHit, at: lanes.mainLaneFree, stale: found.found == .staleHit, wrong: found.isWrong)
        case .encodedHit(let request, let found):
            guard !requests[request].isDone else { return }
            guard let body = answer.body else { return settle(request, .failed) }
            deliver(
                request, .memoryHit, at: try storeInMemory(body, job.imageKey), stale: found.found == .staleHit,
                wrong: found.isWrong)
        case .read(let readers, var found):
            found.body = answer.body
            try readAnswered(job.imageKey, readers, found, at: rules.decodeOnMainLane ? lanes.mainLaneFree : nil)
        case .fetch(let fetch, let isWrong):
            guard fetches[fetch].state.isDecoding else { return }  // No request waits for it.
            guard let body = answer.body else { return try failUndecodable(fetch) }
            if fetches[fetch].usesStored { return try deliverStored(body, of: fetch, wrong: isWrong) }
            end(fetch)
            try deliver(body, of: fetch, wrong: isWrong)
        }
    }
}
