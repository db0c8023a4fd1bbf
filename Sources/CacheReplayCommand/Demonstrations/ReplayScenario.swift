import CachePolicies
import ImageLibraries
import ReplayEngine
import SessionModel

/// A session of a few events, replayed through a cache.
///
/// With instant timing every fetch takes no time, so each outcome has one cause.
struct ReplayScenario {
    private var builder = TraceBuilder()
    private let cache: CacheConfiguration
    private let costs: CostModel
    private var damaged: [ObjectID: Int64] = [:]

    /// - Parameters:
    ///   - cache: A specification, as for `--cache`.
    ///   - costs: The cost model. Concurrent operations need a model in which time passes.
    init(_ cache: String, costs: CostModel = .instant) throws {
        self.cache = try CacheConfiguration(specification: cache)
        self.costs = costs
    }

    /// A time in seconds since the start.
    typealias Time = Double

    mutating func image(_ key: String, bytes: Int = 1_000, pixels: Int = 100, headers: [HTTPField] = []) {
        let number = builder.object(key)
        builder.update(number) { object in
            object.bytes = bytes
            object.headers = headers
            (object.pixelWidth, object.pixelHeight) = (pixels, pixels)
        }
    }

    /// Adds a cell that shows the image from the given time.
    mutating func appear(_ key: String, at time: Time) {
        let object = builder.object(key)
        builder.append(TraceEvent(time: Self.microseconds(time), .appear(object, .full)))
    }

    /// Removes the cell that has shown the image longest.
    mutating func disappear(_ key: String, at time: Time) {
        let object = builder.object(key)
        builder.append(TraceEvent(time: Self.microseconds(time), .disappear(object, .full)))
    }

    /// Sets the response to the next fetch of the image: the nth call sets the response to the nth fetch.
    mutating func answer(_ key: String, status: Int = 200, isUndecodable: Bool = false) {
        let object = builder.object(key)
        var fetch = Fetch(status: status, timeToFirstByte: 1_000, transferTime: 0)
        fetch.isUndecodable = isUndecodable
        builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
    }

    /// Truncates the image's file.
    mutating func damageFile(_ key: String, at time: Time) {
        damaged[builder.object(key)] = Self.microseconds(time) * 1_000
    }

    mutating func event(_ action: TraceEvent.Action, at time: Time) {
        builder.append(TraceEvent(time: Self.microseconds(time), action))
    }

    struct Outcome {
        /// The outcome of each request in order of appearance, such as `fetched`, `disk hit, stale` or `never`.
        var requests: [String]
        var result: RunResult
    }

    func run() throws -> Outcome {
        var job = ReplayJob(trace: "scenario", cache: cache)
        job.timing = .modelled(costs)
        let (result, requests) = try job.runRecordingRequests(builder.finish(keepingTimes: true), damaged: damaged)
        return Outcome(requests: requests.map(Self.words), result: result)
    }

    private static func words(_ request: ReplayRequest) -> String {
        let outcome =
            switch request.outcome {
            case .memoryHit: "memory hit"
            case .diskHit: "disk hit"
            case .origin: "fetched"
            case .coalesced: "joined a fetch"
            case .cancelled: "cancelled"
            case .failed: request.isForgotten ? "never" : "failed"
            case .deferred, nil: "never"
            }
        return outcome + (request.isStale ? ", stale" : "") + (request.isWrong ? ", wrong image" : "")
    }

    private static func microseconds(_ time: Time) -> Int64 { Int64((time * 1e6).rounded()) }
}

extension DemonstrationReport {
    /// Replays a scenario and adds a step for each request.
    @discardableResult
    mutating func replay(_ scenario: ReplayScenario, _ requests: [(what: String, expected: String)]) throws -> RunResult
    {
        let outcome = try scenario.run()
        for (index, request) in requests.enumerated() {
            step(
                request.what, expected: request.expected,
                index < outcome.requests.count ? outcome.requests[index] : "no such request")
        }
        return outcome.result
    }
}
