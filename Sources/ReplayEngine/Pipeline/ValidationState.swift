import HTTPCaching
import SessionModel

/// An object that a request has found in a tier, while the origin is asked whether it is current. It is delivered then,
/// whether or not the tier still holds it.
struct StoredObject<Body> {
    enum Tier { case memory, encodedMemory, disk }

    var answer: Answer<Body>
    var cell: Cell
    var tier: Tier

    /// Returns nil for a miss, and for what cannot be validated: a damaged file, and the picture of another key.
    init?(_ answer: Answer<Body>, _ cell: Cell, _ tier: Tier) {
        guard answer.found == .hit, answer.body != nil, !answer.isWrong else { return nil }
        self.answer = answer
        self.cell = cell
        self.tier = tier
    }
}

/// What HTTP headers say of stored objects, and the validations that are in progress.
struct ValidationState<Body> {
    var memory: StoredResponses
    var disk: StoredResponses
    /// By object; empty if nothing is validated.
    let validators: [HTTPValidators]
    /// By fetch: what it validates.
    var stored: [Int: StoredObject<Body>] = [:]
    /// By request: what it has found, and waits for the validation of.
    var waiting: [Int: StoredObject<Body>] = [:]
    /// The objects with a validation in progress that no request has asked for.
    var inBackground: Set<Int> = []

    init(_ trace: Trace, _ cache: CacheConfiguration) {
        memory = StoredResponses(trace, lifetime: cache.memoryRules.lifetime, rule: cache.memoryRules.revalidate)
        let (lifetime, rule) = (cache.diskRules.lifetime, cache.disk == nil ? .never : cache.diskRules.revalidate)
        let isOneRule = lifetime == memory.lifetime && rule == memory.rule
        disk = isOneRule ? memory : StoredResponses(trace, lifetime: lifetime, rule: rule)
        validators = cache.revalidates ? trace.objects.map { HTTPValidators($0.headers) } : []
    }

    func use(_ found: StoredObject<Body>, at time: Int64) -> ResponseRules.Use {
        (found.tier == .disk ? disk : memory).use(found.cell.object, at: time / 1_000)
    }

    func isConditional(_ object: Int) -> Bool { !validators[object].isEmpty }

    func mayShowAfterError(_ found: StoredObject<Body>, at time: Int64) -> Bool {
        (found.tier == .disk ? disk : memory).mayShowAfterError(found.cell.object, at: time / 1_000)
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
        var fetch = ReplayFetch(cell: found.cell)
        fetch.validates = true
        fetch.isConditional = isConditional(found.cell.object)
        return fetch
    }

    /// Forgets a fetch that is over.
    mutating func end(_ number: Int, _ fetch: ReplayFetch) {
        stored[number] = nil
        if fetch.isInBackground { inBackground.remove(fetch.cell.object) }
    }

    /// Forgets all that is in progress: the app has ended.
    mutating func endAll() {
        stored = [:]
        waiting = [:]
        inBackground = []
    }
}
