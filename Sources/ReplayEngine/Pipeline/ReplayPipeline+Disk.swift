import HTTPCaching

/// Stage 2 of a request: the disk lane. Jobs start in the order in which they arrive, `diskLanes` at a time, and run
/// when they start.
extension ReplayPipeline {
    mutating func enqueue(_ job: DiskJob<Lanes.Body>) throws {
        diskJobs.append(job)
        try startDiskJobs()
    }

    /// Looks for the request's image on disk, or joins a read of it that is queued or running.
    mutating func lookOnDisk(_ request: Int) throws {
        let imageKey = requests[request].imageKey
        if rules.diskOnMainLane {
            recorder?.looks(request, at: lanes.now)
            var (answer, done) = try lanes.readFromDiskOnMainLane(imageKey)
            if let recorder {
                recorder.readFromDisk(all(DiskReaders(request), of: imageKey), imageKey, at: lanes.now)
                recorder.endsRead(imageKey)
            }
            if validatesDisk, try !mayShow(&answer, readFor: imageKey, DiskReaders(request)) { return }
            if decodes, let body = answer.body {
                return try decode(
                    DecodeJob(body: body, imageKey: imageKey, client: .read(DiskReaders(request), answer)))
            }
            return try readAnswered(imageKey, DiskReaders(request), answer, at: done)
        }
        if rules.coalesceDisk {
            if sharedReads[imageKey.number] != nil {
                sharedReads[imageKey.number]?.requests.append(request)
                recorder?.joinsRead(request, imageKey, at: lanes.now)
                log?.note(.joinedRead, of: imageKey.object, by: request, at: lanes.now)
                return
            }
            sharedReads[imageKey.number] = JoinedReaders()
        }
        recorder?.wait(request, for: .diskQueue, at: lanes.now)
        try enqueue(.read(imageKey, DiskReaders(request)))
    }

    /// Reads ahead of need, or joins a read that is queued or running.
    mutating func readAhead(_ imageKey: ImageKey) throws {
        if rules.coalesceDisk {
            if sharedReads[imageKey.number] != nil {
                sharedReads[imageKey.number]?.includesPrefetch = true
                return
            }
            sharedReads[imageKey.number] = JoinedReaders()
        }
        try enqueue(.read(imageKey, .prefetch))
    }

    mutating func diskEnded(_ job: DiskJob<Lanes.Body>, _ answer: Answer<Lanes.Body>?) throws {
        diskJobsRunning -= 1
        try startDiskJobs()
        guard case .read(let imageKey, let readers) = job, var answer else { return }
        recorder?.endsRead(imageKey)
        if validatesDisk, try !mayShow(&answer, readFor: imageKey, readers) { return }
        let needsImage = rules.prefetchInto == .memory || !all(readers, of: imageKey).isEmpty
        if decodes, needsImage, let body = answer.body {
            try decode(DecodeJob(body: body, imageKey: imageKey, client: .read(readers, answer)))
        } else {
            try readAnswered(imageKey, readers, answer, at: nil)
        }
    }

    /// Ends a read for everything that waits for it. The readers share one promotion.
    ///
    /// - Parameter done: The time at which the main lane has finished the read, if it ran there.
    mutating func readAnswered(
        _ imageKey: ImageKey, _ readers: DiskReaders, _ answer: Answer<Lanes.Body>, at done: Int64?
    ) throws {
        let readers = all(readers, of: imageKey)
        forget(readersOf: imageKey)
        recorder?.looks(accessor(readers.first, imageKey.object), at: lanes.now)
        noteBrokenFile(imageKey.object, answer.failure)
        guard let body = answer.body else { return try missedOnDisk(readers, imageKey, answer) }
        let isWanted = hasOpenRequest(readers)
        // Some caches check again, after the read, whether a request still waits for the image.
        let isFinished = isWanted || !readers.isEmpty && rules.cancelledReads != .dropped
        guard isFinished || readers.includesPrefetch && rules.prefetchInto == .memory else { return }
        let promoted = max(done ?? 0, try promote(body, imageKey))
        for request in readers where !requests[request].isDone {
            deliver(request, .diskHit, at: promoted, stale: answer.found == .staleHit, wrong: answer.isWrong)
        }
    }

    /// Continues for everything that waited for a read that has brought no body.
    private mutating func missedOnDisk(
        _ readers: AllReaders, _ imageKey: ImageKey, _ answer: Answer<Lanes.Body>
    ) throws {
        recorder?.missedOnDisk(readers, imageKey, isKept: answer.found.isHit, isFailure: answer.failure != nil)
        if let log { for request in readers { log.missedOnDisk(request, at: lanes.now) } }
        // A damaged file that the tier keeps is a hit without a body, and so is a stored failure.
        var rule: ResponseRules.Use = answer.found.isHit ? .show : .validateFirst
        if let failure = answer.failure { rule = use(failure, of: imageKey.object, onDisk: true) }
        let isNeeded = readers.includesPrefetch || hasOpenRequest(readers)
        for request in readers where !requests[request].isDone {
            if rule == .validateFirst { try passGate(request) } else { settle(request, .failed) }
        }
        switch rule {
        case .show: break
        case .showAndValidate: if isNeeded { try fetchMeanwhile(imageKey) }
        case .validateFirst: if readers.includesPrefetch { try fetchAhead(imageKey) }
        }
    }

    /// Notes whether a file that was read is one that a fetch does not replace.
    private mutating func noteBrokenFile(_ object: Int, _ failure: StoredFailure?) {
        guard keepsBrokenFiles else { return }
        if failure?.isUndecodable == true { brokenFiles.insert(object) } else { brokenFiles.remove(object) }
    }

    /// Stores an object that was read from disk in memory, if the cache promotes; returns the time at which the main
    /// lane has finished.
    mutating func promote(_ body: Lanes.Body, _ imageKey: ImageKey) throws -> Int64 {
        guard rules.promote else { return lanes.mainLaneFree }
        guard memoryRules.promotedForever else { return try storeInMemory(body, imageKey) }
        defer { noteImageMemory() }
        return try lanes.storeInMemory(body, imageKey, expiration: .max / 4)
    }

    /// Whether a read is still needed before it begins, or before its image is decoded.
    func isNeeded(_ readers: DiskReaders, of imageKey: ImageKey) -> Bool {
        let readers = all(readers, of: imageKey)
        return readers.includesPrefetch || hasOpenRequest(readers)
    }

    /// The reader that a job began with, and those that have joined it.
    func all(_ readers: DiskReaders, of imageKey: ImageKey) -> AllReaders {
        AllReaders(begun: readers, joined: rules.coalesceDisk ? sharedReads[imageKey.number] : nil)
    }

    /// Notes that nothing can join a read any more.
    mutating func forget(readersOf imageKey: ImageKey) {
        if rules.coalesceDisk { sharedReads[imageKey.number] = nil }
    }

    private func hasOpenRequest(_ readers: AllReaders) -> Bool {
        for request in readers where !requests[request].isDone { return true }
        return false
    }

    private mutating func startDiskJobs() throws {
        while diskJobsRunning < rules.diskLanes, let job = diskJobs.popFirst() {
            if case .read(let imageKey, let readers) = job, rules.cancelledReads != .finished,
                !isNeeded(readers, of: imageKey)
            {
                forget(readersOf: imageKey)
                log?.note(.cancelledRead, of: imageKey.object, at: lanes.now)
                continue
            }
            diskJobsRunning += 1
            guard let recorder else {
                try lanes.start(job)
                continue
            }
            // Virtual lanes do the work now, and only its end is later.
            if case .read(let imageKey, let readers) = job {
                let readers = all(readers, of: imageKey)
                recorder.looks(readers.first ?? -1, at: lanes.now)
                try lanes.start(job)
                recorder.readFromDisk(readers, imageKey, at: lanes.now)
            } else {
                try lanes.start(job)
            }
        }
    }
}

/// The reason for a read from disk: a request, or a read ahead of need. It has no array, so that jobs and steps of
/// modelled replays are copied without reference counts.
package struct DiskReaders: Sendable {
    /// Negative for a read ahead of need.
    private(set) var request: Int

    static let prefetch = DiskReaders(-1)

    init(_ request: Int) { self.request = request }

    var includesPrefetch: Bool { request < 0 }
}

/// The requests and reads that have joined a read from disk since it was enqueued.
struct JoinedReaders {
    var requests: [Int] = []
    var includesPrefetch = false
}

/// The requests that wait for one read from disk, in the order in which they came.
struct AllReaders: RandomAccessCollection {
    private let request: Int
    private let joined: [Int]
    let includesPrefetch: Bool

    init(begun: DiskReaders, joined: JoinedReaders?) {
        request = begun.request
        self.joined = joined?.requests ?? []
        includesPrefetch = begun.includesPrefetch || joined?.includesPrefetch ?? false
    }

    var startIndex: Int { request < 0 ? 1 : 0 }
    var endIndex: Int { joined.count + 1 }
    subscript(position: Int) -> Int { position == 0 ? request : joined[position - 1] }
}
