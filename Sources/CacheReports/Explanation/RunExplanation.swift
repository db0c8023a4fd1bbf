import Basics
import ReplayEngine
import Runs

/// Why the requests of one run were no hits, and what its cells waited for: the sums over its requests.
public struct RunExplanation: Sendable, Encodable {
    public let trace: String
    public let cache: String
    /// The text of the events that were injected into the trace; nil for none.
    public let injected: String?
    public let requests: Int
    public let memoryHits: Int
    public let diskHits: Int
    /// The requests that memory, and then the disk, did not answer, by cause.
    public let causes: [Cause]
    /// The blank time by what was waited for.
    public let waits: [WaitShare]
    /// The time that visible cells had no image, in milliseconds.
    public let blankMilliseconds: Double
    /// How much the main lane delays frames while the list moves, at 60 and at 120 Hz; nil if the list never moves, or
    /// if nothing takes time.
    public let hitches: [Hitches]?
    /// The keys with the most blank time, the worst first.
    public let worstKeys: [WorstKey]
    /// The seconds of the session with the most blank time, the worst first.
    public let worstMoments: [WorstMoment]
    /// The requests of objects that a memory warning had removed at most two seconds before.
    public let soonAfterWarnings: Int
    /// The effects of changes, each found by another replay.
    public var changes: [Change] = []
    /// The fewest misses of memory that any policy could have if fetches took no time; nil if they are not known.
    public var leastMisses: LeastMisses?
    /// The least blank time of all caches; nil if nothing takes time, if no cell disappears, and for stored results.
    public var leastBlank: LeastBlank?
    /// The smallest difference that counts: changes within it are said to have no effect.
    public var relevanceThreshold = Tolerance.standard
    /// The time that cells were visible, in milliseconds.
    let visibleMilliseconds: Double
    let originBytes: Int64
    let memoryPeakBytes: Int64

    enum CodingKeys: String, CodingKey {
        case trace, cache, injected, requests, causes, waits, hitches, changes
        case leastMisses = "least_misses"
        case leastBlank = "least_blank"
        case memoryHits = "memory_hits"
        case diskHits = "disk_hits"
        case blankMilliseconds = "blank_ms"
        case worstKeys = "worst_keys"
        case worstMoments = "worst_moments"
        case soonAfterWarnings = "soon_after_warnings"
    }

    public typealias Tier = CauseSums.Tier

    /// The changes whose effect is above ``relevanceThreshold``, the largest gain first: of blank time, or of memory
    /// hits if nothing takes time.
    var relevantChanges: [Change] {
        func gain(_ change: Change) -> Double {
            hasBlankTime ? -change.addedBlank / visibleMilliseconds : Double(change.gainedHits) / Double(requests)
        }
        return changes.filter { !relevanceThreshold.ties(gain($0), 0, .ratio) }
            .stableSorted { gain($0) > gain($1) }
    }

    /// Whether any change, or none, has blank time.
    var hasBlankTime: Bool {
        visibleMilliseconds > 0 && (blankMilliseconds > 0 || changes.contains { $0.blankMilliseconds > 0 })
    }

    /// - Parameters:
    ///   - result: The run.
    ///   - rows: Its requests with their explanations, in order of appearance.
    ///   - top: The number of worst keys and moments.
    public init(_ result: RunResult, _ rows: [RequestRow], top: Int = 5) {
        let explanations = rows.compactMap(\.explanation)
        self.init(
            result, CauseTotals(rows), Self.worstKeys(rows, explanations, top),
            Self.worstMoments(rows, explanations, top))
    }

    /// Explains a run of stored results, without its worst keys and moments; nil for a run without causes.
    init?(_ result: RunResult) {
        guard let causes = result.causes else { return nil }
        self.init(result, causes, [], [])
    }

    /// Reads what charts show of a run of `explanation.json`. The file has not all that sentences are made of: other
    /// members are empty.
    init(charted values: KeyedDecodingContainer<CodingKeys>) throws {
        trace = try values.decode(String.self, forKey: .trace)
        cache = try values.decode(String.self, forKey: .cache)
        injected = try values.decodeIfPresent(String.self, forKey: .injected)
        requests = try values.decode(upTo: Self.mostRequests, forKey: .requests)
        memoryHits = try values.decode(upTo: Self.mostRequests, forKey: .memoryHits)
        diskHits = try values.decode(upTo: Self.mostRequests, forKey: .diskHits)
        causes = try values.decode([Cause].self, forKey: .causes)
        waits = try values.decode([WaitShare].self, forKey: .waits)
        blankMilliseconds = try values.decode(upTo: Self.mostMilliseconds, forKey: .blankMilliseconds)
        (hitches, worstKeys, worstMoments, soonAfterWarnings) = (nil, [], [], 0)
        (visibleMilliseconds, originBytes, memoryPeakBytes) = (0, 0, 0)
    }

    private init(_ result: RunResult, _ totals: CauseTotals, _ keys: [WorstKey], _ moments: [WorstMoment]) {
        trace = result.identity.trace
        cache = result.identity.cache
        injected = result.identity.injected
        requests = result.counts.requests
        memoryHits = result.counts.memoryHits
        diskHits = result.counts.diskHits
        visibleMilliseconds = result.blank.visibleTime / 1e6
        originBytes = result.tiers.originBytes
        memoryPeakBytes = result.tiers.memoryPeakBytes
        causes = Self.causes(.memory, totals.memory) + Self.causes(.disk, totals.disk)
        let blank = Wait.allCases.compactMap { wait in totals.waits[wait.name].map { (wait, Double($0) / 1e6) } }
        let whole = blank.reduce(0) { $0 + $1.1 }
        blankMilliseconds = whole
        waits = blank.map { WaitShare(wait: $0.0, milliseconds: $0.1, share: $0.1 / whole) }
        hitches = result.mainLane.flatMap { lane in
            let rates = [(60, lane.at60Hz), (120, lane.at120Hz)]
            return lane.scrollTime > 0
                ? rates.map { Hitches(rate: $0, $1, perSecond: lane.hitchRate($1) ?? 0) } : nil
        }
        worstKeys = keys
        worstMoments = moments
        soonAfterWarnings = totals.soonAfterWarnings
    }

    private static func causes(_ tier: Tier, _ counts: [String: Int]) -> [Cause] {
        let all = counts.values.reduce(0, +)
        return MissCause.allCases.compactMap { cause in
            counts[cause.name].map {
                Cause(tier: tier, cause: cause, requests: $0, share: Double($0) / Double(all))
            }
        }
    }

    /// The misses of memory that its limit caused.
    public var limitedMisses: Int { memoryMisses(.capacity, .policy, .evictedAtOnce, .wrongPrefetch) }

    /// The number of misses of memory with one of these causes.
    public func memoryMisses(_ wanted: MissCause...) -> Int { memoryMisses(of: wanted) }

    func memoryMisses(of wanted: [MissCause]) -> Int {
        causes.filter { $0.tier == .memory && wanted.contains($0.cause) }.reduce(0) { $0 + $1.requests }
    }
}
