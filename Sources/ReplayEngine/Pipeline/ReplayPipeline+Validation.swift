import HTTPCaching
import SessionModel

/// The validation of stored objects: an object in a tier is shown, shown and validated, or validated first. A
/// validation is a fetch with conditions, which the origin answers with 304 if the object is current.
///
/// <doc:Revalidation> describes the rules. Nothing here runs for a cache whose tiers validate nothing.
extension ReplayPipeline {
    /// Returns whether a request may show what it found. If not, it waits for the answer of the origin.
    ///
    /// The answer becomes a stale hit if the object is past its lifetime.
    mutating func mayShow(
        _ answer: inout Answer<Lanes.Body>, for request: Int, from tier: StoredObject<Lanes.Body>.Tier
    ) throws -> Bool {
        let imageKey = requests[request].imageKey
        guard let found = StoredObject(answer, imageKey, tier) else { return true }
        switch validation.use(found, at: lanes.now) {
        case .show: return true
        case .showAndValidate(let isStale):
            if isStale { answer.found = .staleHit }
            try fetchMeanwhile(found.imageKey, validating: found)
            return true
        case .validateFirst:
            try wait(request, forValidationOf: found)
            return false
        }
    }

    /// Returns whether the requests that wait for a read from disk may be shown its object. If not, they wait for the
    /// validation.
    mutating func mayShow(
        _ answer: inout Answer<Lanes.Body>, readFor imageKey: ImageKey, _ readers: DiskReaders
    ) throws -> Bool {
        guard let found = StoredObject(answer, imageKey, .disk) else { return true }
        switch validation.use(found, at: lanes.now) {
        case .show: return true
        case .showAndValidate(let isStale):
            if isStale { answer.found = .staleHit }
            if isNeeded(readers, of: imageKey) { try fetchMeanwhile(found.imageKey, validating: found) }
            return true
        case .validateFirst:
            let all = all(readers, of: imageKey)
            forget(readersOf: imageKey)
            for request in all where !requests[request].isDone { try wait(request, forValidationOf: found) }
            if all.includesPrefetch { try validateAhead(found) }
            return false
        }
    }

    /// Validates what a prefetch found in memory, as a request would.
    mutating func validateAhead(_ answer: Answer<Lanes.Body>, _ imageKey: ImageKey) throws {
        guard let found = StoredObject(answer, imageKey, .memory) else { return }
        switch validation.use(found, at: lanes.now) {
        case .show: break
        case .showAndValidate: try fetchMeanwhile(found.imageKey, validating: found)
        case .validateFirst: try validateAhead(found)
        }
    }

    /// Returns the use of the answer to a failed fetch that a tier has: it is used, which fails the request, or
    /// fetched again. A response whose body is no image has a lifetime like any other. The image that takes its place
    /// meets none of its conditions, so a fetch that replaces it has none.
    func use(_ failure: StoredFailure, of object: Int, onDisk: Bool) -> ResponseRules.Use {
        guard failure.isUndecodable else { return .show }
        if rules.undecodable == .storedAndFetched { return .validateFirst }
        guard onDisk ? validatesDisk : validatesMemory else { return .show }
        return (onDisk ? validation.disk : validation.memory).use(object, at: lanes.now / 1_000)
    }

    /// Fetches an object that no request waits for, unless that is in progress. If it is stored, this is a validation.
    mutating func fetchMeanwhile(_ imageKey: ImageKey, validating found: StoredObject<Lanes.Body>? = nil) throws {
        guard !(rules.coalesce && inFlight[Int(imageKey.rendition)] >= 0),
            validation.inBackground.insert(imageKey.object).inserted
        else { return }
        var fetch = ReplayFetch(imageKey: imageKey)
        if let found { fetch = validation.fetch(found, number: fetches.count) }
        (fetch.validates, fetch.isInBackground) = (true, true)
        try begin(fetch)
    }

    private mutating func wait(_ request: Int, forValidationOf found: StoredObject<Lanes.Body>) throws {
        validation.waiting[request] = found
        if found.tier == .disk { log?.missedOnDisk(request, at: lanes.now) }
        recorder?.validates(
            request, inMemory: found.tier != .disk, isConditional: validation.isConditional(found.imageKey.object))
        try passGate(request)
    }

    private mutating func validateAhead(_ found: StoredObject<Lanes.Body>) throws {
        guard !(rules.coalesce && inFlight[Int(found.imageKey.rendition)] >= 0) else { return }
        var fetch = validation.fetch(found, number: fetches.count)
        fetch.isPrefetch = true
        try begin(fetch)
    }

    /// Returns the fetch that a request begins: a validation if the request has found a stored object.
    mutating func newFetch(for request: Int) -> ReplayFetch {
        guard validates, !validation.waiting.isEmpty, let found = validation.waiting[request] else {
            return ReplayFetch(imageKey: requests[request].imageKey, waiters: FetchWaiters(request))
        }
        var fetch = validation.fetch(found, number: fetches.count)
        fetch.waiters = FetchWaiters(request)
        return fetch
    }

    /// Notes that a request waits for a validation from now on, if the fetch is one.
    mutating func beginValidationWait(_ request: Int, for fetch: Int) {
        guard fetches[fetch].isConditional, !fetches[fetch].state.isOver, requests[request].isVisible else { return }
        requests[request].validatedSince = lanes.now
    }

    mutating func endValidationWait(_ request: Int, at time: Int64) {
        guard requests[request].validatedSince >= 0 else { return }
        tally.waited(from: requests[request].validatedSince, to: time)
        requests[request].validatedSince = -1
    }

    func conditions(of fetch: Int) -> [HTTPField] {
        fetches[fetch].isConditional ? validation.validators[fetches[fetch].imageKey.object].conditions : []
    }

    /// Handles the answer to a fetch for an object that is stored. Returns whether the stored object is delivered:
    /// it is current, or may be shown after an error. Otherwise the answer is treated as the answer to any fetch.
    mutating func validated(_ fetch: Int, _ answer: Answer<Lanes.Body>) throws -> Bool {
        let object = fetches[fetch].imageKey.object
        guard let found = validation.stored[fetch] else { return false }
        let isFinal = answer.isNotModified || answer.body != nil || !mayRetry(fetch)
        guard isFinal else { return false }
        for request in fetches[fetch].waiters { endValidationWait(request, at: lanes.now) }
        if answer.isNotModified {
            tally.confirmed(object)
            noteAnswer(of: object)
        } else if answer.body != nil || !fetches[fetch].isUnavailable
            || !validation.mayShowAfterError(found, at: lanes.now)
        {
            return false
        } else {
            fetches[fetch].showsStale = true
        }
        fetches[fetch].usesStored = true
        let isAwaited = fetches[fetch].waiters.contains { !requests[$0].isDone }
        let promotes = found.tier == .disk && fetches[fetch].isPrefetch && rules.prefetchInto == .memory
        // Some caches deliver a file that is shown already again.
        let decodesAgain =
            fetches[fetch].isInBackground && found.tier == .disk && validation.disk.rule == .staleThenNetwork
        guard isAwaited || promotes || decodesAgain else {
            try deliverStored(found.answer.body, of: fetch, wrong: false)
            return true
        }
        let isDecoded = found.tier == .memory && memoryRules.holds == .decoded
        if decodes, !isDecoded, let body = found.answer.body {
            fetches[fetch].state = .decoding
            try decode(DecodeJob(body: body, imageKey: found.imageKey, client: .fetch(fetch, isWrong: false)))
        } else {
            try deliverStored(found.answer.body, of: fetch, wrong: false)
        }
        return true
    }

    /// Delivers the stored object to all that wait for a fetch, as a hit of the tier in which each has found it.
    mutating func deliverStored(_ body: Lanes.Body?, of fetch: Int, wrong: Bool) throws {
        let found = validation.stored[fetch]
        let waiters = fetches[fetch].waiters
        end(fetch)
        recorder?.note(.arrived, of: fetches[fetch].imageKey.object)
        recorder?.looks(accessor(waiters.first, fetches[fetch].imageKey.object), at: lanes.now)
        let isAwaited = waiters.contains { !requests[$0].isDone }
        var done = lanes.mainLaneFree
        if let body, let found {
            switch found.tier {
            case .memory: break
            case .encodedMemory: if isAwaited { done = try storeInMemory(body, found.imageKey) }
            case .disk:
                if isAwaited || fetches[fetch].isPrefetch && rules.prefetchInto == .memory {
                    done = try promote(body, found.imageKey)
                }
            }
        }
        if let body, let found { done = max(done, try storeForOthers(body, found, waiters)) }
        for request in waiters {
            guard case .waiting = requests[request].state else { continue }
            let outcome: RequestOutcome =
                switch validation.waiting[request]?.tier {
                case .memory, .encodedMemory: .memoryHit
                case .disk: .diskHit
                case nil: .coalesced
                }
            deliver(request, outcome, at: done, stale: fetches[fetch].showsStale, wrong: wrong)
        }
    }

    /// Stores a confirmed object in its other variant, for requests of that variant which have found nothing. Returns
    /// the time at which the main lane has finished.
    private mutating func storeForOthers(
        _ body: Lanes.Body, _ found: StoredObject<Lanes.Body>, _ waiters: FetchWaiters
    ) throws -> Int64 {
        // Two variants have different bitmaps.
        guard rules.store.storesInMemory, !(decodes && found.tier == .memory) else { return lanes.mainLaneFree }
        let other = found.imageKey.otherVariant
        for request in waiters
        where !requests[request].isDone && requests[request].imageKey == other && validation.waiting[request] == nil {
            return try storeInMemory(body, other)
        }
        return lanes.mainLaneFree
    }

    /// Notes a response: the lifetime of what it brings, or confirms, begins now.
    mutating func noteAnswer(of object: Int) {
        validation.answered(object, at: lanes.now / 1_000)
    }

    /// Notes the time for which an object is past its lifetime when it is delivered.
    mutating func noteStaleness(_ request: Int, _ outcome: RequestOutcome, at time: Int64) {
        guard validates else { return }
        let object = requests[request].imageKey.object
        requests[request].staleness = validation.staleness(object, onDisk: outcome == .diskHit, at: time)
    }

    var assumedLifetimes: Int { max(validation.memory.assumedCount, validation.disk.assumedCount) }
}

/// An object that a request has found in a tier, while the origin is asked whether it is current. It is delivered then,
/// whether or not the tier still holds it.
struct StoredObject<Body> {
    enum Tier { case memory, encodedMemory, disk }

    var answer: Answer<Body>
    var imageKey: ImageKey
    var tier: Tier

    /// Returns nil for a miss, and for what cannot be validated: a damaged file, and the picture of another key.
    init?(_ answer: Answer<Body>, _ imageKey: ImageKey, _ tier: Tier) {
        guard answer.found == .hit, answer.body != nil, !answer.isWrong else { return nil }
        self.answer = answer
        self.imageKey = imageKey
        self.tier = tier
    }
}

/// The rules of HTTP headers for stored objects, and the validations that are in progress.
struct ValidationState<Body> {
    var memory: StoredResponses
    var disk: StoredResponses
    /// By object; empty if nothing is validated.
    let validators: [HTTPValidators]
    /// By fetch: what it validates.
    var stored: [Int: StoredObject<Body>] = [:]
    /// By request: the object that it has found, and whose validation it waits for.
    var waiting: [Int: StoredObject<Body>] = [:]
    /// The objects with a validation in progress that no request has asked for.
    var inBackground: Set<Int> = []

    init(_ trace: PreparedTrace, _ cache: CacheConfiguration) {
        memory = StoredResponses(trace, lifetime: cache.memoryRules.lifetime, rule: cache.memoryRules.revalidate)
        let (lifetime, rule) = (cache.diskRules.lifetime, cache.disk == nil ? .never : cache.diskRules.revalidate)
        let isOneRule = lifetime == memory.lifetime && rule == memory.rule
        disk = isOneRule ? memory : StoredResponses(trace, lifetime: lifetime, rule: rule)
        let sendsDates = lifetime != .maxAge && memory.lifetime != .maxAge
        validators = cache.revalidates ? trace.columns.validators(trace.trace, sendsDates: sendsDates) : []
    }

    func use(_ found: StoredObject<Body>, at time: Int64) -> ResponseRules.Use {
        (found.tier == .disk ? disk : memory).use(found.imageKey.object, at: time / 1_000)
    }

    func isConditional(_ object: Int) -> Bool { !validators[object].isEmpty }

    func mayShowAfterError(_ found: StoredObject<Body>, at time: Int64) -> Bool {
        (found.tier == .disk ? disk : memory).mayShowAfterError(found.imageKey.object, at: time / 1_000)
    }

    mutating func answered(_ object: Int, at time: Int64) {
        memory.answered(object, at: time)
        disk.answered(object, at: time)
    }

    /// The time for which an object is past its lifetime, in nanoseconds.
    func staleness(_ object: Int, onDisk: Bool, at time: Int64) -> Int64 {
        let tier = onDisk && disk.rule != .never || memory.rule == .never ? disk : memory
        return tier.staleness(object, at: time / 1_000) * 1_000
    }

    /// Returns the fetch that validates an object. `number`: the number that the fetch will have.
    mutating func fetch(_ found: StoredObject<Body>, number: Int) -> ReplayFetch {
        stored[number] = found
        var fetch = ReplayFetch(imageKey: found.imageKey)
        fetch.validates = true
        fetch.isConditional = isConditional(found.imageKey.object)
        return fetch
    }

    mutating func end(_ number: Int, _ fetch: ReplayFetch) {
        stored[number] = nil
        if fetch.isInBackground { inBackground.remove(fetch.imageKey.object) }
    }

    /// Forgets all that is in progress: the app has ended.
    mutating func endAll() {
        stored = [:]
        waiting = [:]
        inBackground = []
    }
}
