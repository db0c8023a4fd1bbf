import Basics
import CachePolicies
import CacheTiers
import Dispatch
import ReplayEngine
import SessionModel
import Synchronization

/// Lanes in real time, as an open loop: events happen when the trace says, whether or not earlier work is done. Disk
/// jobs and decoding run on threads, and transfers on libcurl's connections. The loopback origin injects the recorded
/// latency.
///
/// At `speed` 2, a second of trace takes half a second. Events and injected latencies come twice as fast. Disk and
/// memory keep their speed, so they count double in trace time.
struct WallLanes: ReplayLanes {
    typealias Body = MeasuredBody

    private let tiers: RealTiers
    private let speed: Double
    private let mailbox = WallMailbox()
    private let origin: WallOrigin
    private let workers = DispatchQueue(label: "disk and decode lanes", attributes: .concurrent)
    private var start: Int64 = 0
    private var resident = ResidentMemory()
    /// Counts relaunches. Work of an earlier launch belongs to an app that has ended.
    private var launch = 0
    private var underWay = 0
    private(set) var now: Int64 = 0
    var alarm: Int64?
    /// The time at which the main lane has finished the cache's own work.
    private var mainLane: Int64 = 0
    private var lags: [Int64] = []
    private let mostLags: Int

    /// - Parameters:
    ///   - origin: The address under which the loopback origin serves objects by number.
    ///   - longestFetch: The duration of the longest recorded fetch, in microseconds.
    ///   - events: The number of events of the trace.
    init(
        _ tiers: RealTiers, origin: String, connections: Int, longestFetch: Int64, events: Int, speed: Double
    ) {
        self.tiers = tiers
        // For each event up to a disk job, a fetch and a decoding end.
        mostLags = events * 4
        self.speed = speed
        var options = OriginOptions()
        options.connections = connections
        // A fetch that took long in the recording is not a stall.
        let longest = Duration.microseconds(Int64(Double(longestFetch) / speed))
        options.timeout += longest
        options.stallTimeout += longest
        self.origin = WallOrigin(tiers, address: origin, options, mailbox: mailbox)
    }

    var hasDisk: Bool { tiers.disk != nil }
    var hasEncodedMemory: Bool { tiers.hasEncodedMemory }
    var memoryOccupancy: Occupancy { tiers.memoryOccupancy }
    var diskOccupancy: Occupancy { tiers.disk?.occupancy ?? Occupancy() }
    var mainLaneFree: Int64 { traceTime }
    var machine: MachineFigures? {
        MachineFigures(residentPeakBytes: resident.peak, wallTime: 0, lag: ClockLag(lags))
    }

    func figures() -> TierFigures {
        var figures = tiers.figures()
        figures.originBytes = origin.receivedBytes
        return figures
    }

    mutating func begin() throws {
        try tiers.warmUp()
        try origin.begin()
        // Allocated before the first event, so that it does not count as the cache's memory.
        lags.reserveCapacity(mostLags)
        resident.reset()
        start = MonotonicClock.now
    }

    func end() { origin.end() }

    mutating func lookUpInMemory(_ imageKey: ImageKey) -> (answer: Answer<MeasuredBody>, done: Int64) {
        let time = traceTime
        let answer = tiers.lookUpInMemory(imageKey, at: time)
        // The time of checking the bytes is not the cache's.
        return (answer, charge(answer.duration, from: time))
    }

    mutating func lookUpEncoded(_ imageKey: ImageKey) -> (answer: Answer<MeasuredBody>, done: Int64) {
        let time = traceTime
        let answer = tiers.lookUpEncoded(imageKey, at: time)
        return (answer, charge(answer.duration, from: time))
    }

    func show(_ imageKey: ImageKey) { tiers.show(imageKey) }

    func hide(_ imageKey: ImageKey) { tiers.hide(imageKey, at: traceTime) }

    mutating func storeInMemory(_ body: MeasuredBody, _ imageKey: ImageKey, expiration: Int64?) -> Int64 {
        let time = traceTime
        _ = charge(tiers.storeInMemory(body, imageKey, at: time, expiration: expiration), from: time)
        return traceTime
    }

    mutating func readFromDiskOnMainLane(_ imageKey: ImageKey) throws -> (answer: Answer<MeasuredBody>, done: Int64) {
        let time = traceTime
        let answer = try tiers.readFromDisk(imageKey, at: time)
        return (answer, charge(answer.duration, from: time))
    }

    mutating func start(decode number: Int, _ body: MeasuredBody, _ imageKey: ImageKey) {
        underWay += 1
        workers.async { [tiers, mailbox, launch] in
            mailbox.post(launch) { .decoded(number, tiers.decode(body, imageKey)) }
        }
    }

    mutating func decodeOnMainLane(_ body: MeasuredBody, _ imageKey: ImageKey) -> Answer<MeasuredBody> {
        let time = traceTime
        let answer = tiers.decode(body, imageKey)
        _ = charge(answer.duration, from: time)
        return answer
    }

    mutating func start(_ job: DiskJob<MeasuredBody>) {
        underWay += 1
        workers.async { [tiers, mailbox, launch, time = traceTime] in
            mailbox.post(launch) {
                switch job {
                case .read(let imageKey, _):
                    return .diskEnded(job, try tiers.readFromDisk(imageKey, at: time))
                case .store(let body, let imageKey, let expiration):
                    _ = try tiers.storeOnDisk(body, imageKey, at: time, expiration: expiration)
                case .storeFailure(let imageKey, let bytes):
                    _ = try tiers.storeFailureOnDisk(imageKey, bytes: bytes, at: time)
                case .touch(let imageKey): _ = try tiers.touchOnDisk(imageKey, at: time)
                case .remove(let imageKey): _ = try tiers.removeFromDisk(imageKey, at: time)
                case .removeExpired: _ = try tiers.removeExpiredFromDisk(at: time)
                }
                return .diskEnded(job, nil)
            }
        }
    }

    mutating func start(fetch: Int, _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]) {
        underWay += 1
        origin.start(fetch, imageKey, sample.faster(by: speed), conditions: conditions, launch)
    }

    mutating func cancel(fetch: Int) {
        if origin.cancel(fetch) { underWay -= 1 }
    }

    mutating func nextStep(until time: Int64?) throws -> ReplayStep<MeasuredBody>? {
        while time != nil || underWay > 0 || alarm != nil {
            let limit = min(time ?? .max, alarm ?? .max)
            let deadline = limit == .max ? nil : start + Int64(Double(limit) / speed)
            guard let (launch, posted, step) = try mailbox.take(until: deadline) else {
                // At other speeds than 1, a rounded deadline can be just before the limit.
                guard traceTime >= limit else { continue }
                guard let alarm, alarm == limit else { break }
                self.alarm = nil
                noteLag(since: alarm)
                try advance()
                return .woke
            }
            noteLag(since: Int64(Double(posted - start) * speed))
            try advance()
            underWay -= 1
            if launch == self.launch { return step }
        }
        if let time { noteLag(since: time) }
        try advance()
        return nil
    }

    func removeFromMemory(_ imageKey: ImageKey) { tiers.removeFromMemory(imageKey, at: traceTime) }

    func clearMemory() { tiers.clearMemory() }

    func trimMemory(to cost: Int) throws { try tiers.trimMemory(to: cost) }

    func trimMemory(toShare share: Double) throws { try tiers.trimMemory(toShare: share) }

    mutating func relaunch(sweepingFirst sweeping: Bool) throws {
        launch += 1
        alarm = nil
        underWay -= origin.cancelAll()
        // Waits for writes in progress: a file is complete, or it does not exist.
        workers.sync(flags: .barrier) {}
        if sweeping { _ = try tiers.removeExpiredFromDisk(at: traceTime) }
        try tiers.relaunch(at: traceTime)
    }

    /// Charges the main lane with an operation of the cache. Returns the time at which it has finished.
    private mutating func charge(_ duration: Int64, from time: Int64) -> Int64 {
        let took = Int64(Double(duration) * speed)
        mainLane = max(mainLane, time) + took
        return time + took
    }

    /// Notes how late something is handled that was due at `time`.
    private mutating func noteLag(since time: Int64) {
        lags.append(max(0, traceTime - max(time, mainLane)))
    }

    private mutating func advance() throws {
        now = max(now, traceTime)
        try tiers.advance(to: now)
    }

    private var traceTime: Int64 { Int64(Double(MonotonicClock.now - start) * speed) }
}

/// The queue in which threads leave finished steps for the pipeline, with the times at which they finished.
final class WallMailbox: Sendable {
    typealias Mail = (launch: Int, posted: Int64, result: Result<ReplayStep<MeasuredBody>, any Error>)

    private let mail = Mutex<[Mail]>([])
    private let arrived = MonotonicSemaphore()

    func post(_ launch: Int, _ body: () throws -> ReplayStep<MeasuredBody>) {
        let result = Result { try body() }
        let posted = MonotonicClock.now
        mail.withLock { $0.append((launch, posted, result)) }
        arrived.signal()
    }

    /// Returns the oldest step. Waits for one until `deadline` of the monotonic clock, or without a limit if it is nil.
    /// Returns nil if none arrives.
    func take(until deadline: Int64?) throws -> (launch: Int, posted: Int64, step: ReplayStep<MeasuredBody>)? {
        guard arrived.wait(until: deadline) else { return nil }
        let first = mail.withLock { $0.removeFirst() }
        return (first.launch, first.posted, try first.result.get())
    }
}

extension NetworkModel.Sample {
    /// Returns the sample at another speed. The origin injects the time to connect as a part of the time to the first
    /// byte.
    fileprivate func faster(by speed: Double) -> NetworkModel.Sample {
        var sample = self
        sample.connect = 0
        sample.timeToFirstByte = Int64(Double(connect + timeToFirstByte) / speed)
        sample.transferTime = Int64(Double(transferTime) / speed)
        return sample
    }
}
