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

    public func memoryMisses(_ wanted: MissCause...) -> Int { memoryMisses(of: wanted) }

    func memoryMisses(of wanted: [MissCause]) -> Int {
        causes.filter { $0.tier == .memory && wanted.contains($0.cause) }.reduce(0) { $0 + $1.requests }
    }
}

extension RunExplanation {
    /// The time by which a display with one rate shows frames late. `FrameTally` of ReplayEngine defines it.
    public struct Hitches: Sendable, Encodable, Equatable {
        /// The frames of the display per second.
        public var rate: Int
        public var milliseconds: Double
        /// For each second in which the list moves.
        public var millisecondsPerSecond: Double
        /// The work that takes longest among the work that a frame waits for: most hitches first. Work without hitches
        /// is left out.
        public var works: [WorkShare]

        enum CodingKeys: String, CodingKey {
            case works
            case rate = "hz"
            case milliseconds = "ms"
            case millisecondsPerSecond = "ms_per_s"
        }

        init(rate: Int, _ delays: FrameDelays, perSecond: Double) {
            self.rate = rate
            milliseconds = Double(delays.hitchTime) / 1e6
            millisecondsPerSecond = perSecond
            works = delays.hitchTimes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { work, time in
                WorkShare(
                    work: work, milliseconds: Double(time) / 1e6, share: Double(time) / Double(delays.hitchTime))
            }
        }

        /// The hitches of one kind of work.
        public struct WorkShare: Sendable, Encodable, Equatable {
            /// The raw value of the `ReplayEvents.Work`.
            public var work: String
            public var milliseconds: Double
            public var share: Double

            enum CodingKeys: String, CodingKey {
                case work, share
                case milliseconds = "ms"
            }
        }
    }
}

/// The effect of a change, and the fewest misses that are possible.
extension RunExplanation {
    /// The fewest misses that any policy with the same memory could have if fetches took no time.
    public struct LeastMisses: Sendable, Encodable, Equatable {
        /// No policy has fewer.
        public var least: Int
        /// The best known schedule of what to keep has as many.
        public var known: Int

        public init(least: Int, known: Int) {
            self.least = least
            self.known = known
        }
    }

    /// The effect of a change of the app, the cache or the session.
    public struct Change: Sendable, Encodable, Equatable {
        /// The change, such as `no memory limit`.
        public var name: String
        /// The lever that makes the change; nil for a change of the session.
        public var lever: Lever?
        /// The misses in memory whose causes the change removes; nil for a change that removes no cause.
        public var attributed: Int?
        /// The memory hits with the change, and the difference.
        public var memoryHits: Int
        public var gainedHits: Int
        /// The blank time with the change, and the difference, in milliseconds.
        public var blankMilliseconds: Double
        public var addedBlank: Double
        /// The differences of the bytes fetched and of the most bytes in memory.
        public var addedBytes: Int64
        public var addedPeak: Int64

        /// - Parameters:
        ///   - name: The change.
        ///   - lever: The lever that makes it; nil for a change of the session.
        ///   - removed: The causes of misses in memory that it removes; none for a change that removes none.
        ///   - result: The run with the change.
        ///   - run: The run without it.
        public init(
            _ name: String, by lever: Lever?, removing removed: [MissCause], _ result: RunResult, _ run: RunExplanation
        ) {
            self.name = name
            self.lever = lever
            let misses = run.memoryMisses(of: removed)
            attributed = misses > 0 ? misses : nil
            memoryHits = result.counts.memoryHits
            gainedHits = result.counts.memoryHits - run.memoryHits
            blankMilliseconds = result.blank.blankTime / 1e6
            addedBlank = blankMilliseconds - run.blankMilliseconds
            addedBytes = result.tiers.originBytes - run.originBytes
            addedPeak = result.tiers.memoryPeakBytes - run.memoryPeakBytes
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: ChangeKey.self)
            try values.encode(name, forKey: .name)
            try values.encode(maker, forKey: .maker)
            try values.encodeIfPresent(lever?.kind.rawValue, forKey: .lever)
            try values.encodeIfPresent(lever?.setting.text, forKey: .setting)
            try values.encodeIfPresent(attributed, forKey: .attributed)
            try values.encode(memoryHits, forKey: .memoryHits)
            try values.encode(gainedHits, forKey: .gainedHits)
            try values.encode(blankMilliseconds, forKey: .blankMilliseconds)
            try values.encode(addedBytes, forKey: .addedBytes)
            try values.encode(addedPeak, forKey: .addedPeak)
        }

        /// Who makes the change.
        var maker: String { lever?.maker ?? "session" }

        private enum ChangeKey: String, CodingKey {
            case name, lever, setting
            case maker = "by"
            case attributed = "attributed_misses"
            case memoryHits = "memory_hits"
            case gainedHits = "gained_memory_hits"
            case blankMilliseconds = "blank_ms"
            case addedBytes = "added_origin_bytes"
            case addedPeak = "added_memory_peak_bytes"
        }
    }
}

extension RunExplanation {
    /// The misses of a tier with one cause.
    public struct Cause: Sendable, Codable, Equatable {
        public var tier: Tier
        public var cause: MissCause
        public var requests: Int
        /// The share of the tier's misses.
        public var share: Double

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            try values.encode(tier, forKey: .tier)
            try values.encode(cause.name, forKey: .cause)
            try values.encode(requests, forKey: .requests)
            try values.encode(share, forKey: .share)
        }

        init(tier: Tier, cause: MissCause, requests: Int, share: Double) {
            (self.tier, self.cause, self.requests, self.share) = (tier, cause, requests, share)
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            tier = try values.decode(Tier.self, forKey: .tier)
            cause = try values.decode(MissCause.allCases, by: \.name, forKey: .cause)
            requests = try values.decode(upTo: RunExplanation.mostRequests, forKey: .requests)
            share = try values.decode(Double.self, forKey: .share)
        }
    }

    /// The blank time that cells waited for one thing.
    public struct WaitShare: Sendable, Codable, Equatable {
        public var wait: Wait
        public var milliseconds: Double
        public var share: Double

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            try values.encode(wait.name, forKey: .wait)
            try values.encode(milliseconds, forKey: .milliseconds)
            try values.encode(share, forKey: .share)
        }

        init(wait: Wait, milliseconds: Double, share: Double) {
            (self.wait, self.milliseconds, self.share) = (wait, milliseconds, share)
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            wait = try values.decode(Wait.allCases, by: \.name, forKey: .wait)
            milliseconds = try values.decode(upTo: RunExplanation.mostMilliseconds, forKey: .milliseconds)
            share = try values.decode(Double.self, forKey: .share)
        }
    }

    /// The largest values of a file: sums of so many values do not overflow, and axes end.
    static let (mostRequests, mostMilliseconds) = (1 << 53, 1e15)

    private enum Key: String, CodingKey {
        case tier, cause, requests, share, wait
        case milliseconds = "blank_ms"
    }
}

extension KeyedDecodingContainer {
    /// Returns the element with the name that a member has.
    fileprivate func decode<Value>(_ all: [Value], by name: (Value) -> String, forKey key: Key) throws -> Value {
        let text = try decode(String.self, forKey: key)
        guard let value = all.first(where: { name($0) == text }) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no such name: \(text)")
        }
        return value
    }

    /// Returns a number from 0 to `most`.
    func decode<Number: Numeric & Comparable & Decodable>(
        upTo most: Number, forKey key: Key
    ) throws -> Number {
        let number = try decode(Number.self, forKey: key)
        guard 0 <= number, number <= most else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not from 0 to \(most)")
        }
        return number
    }
}

/// The keys and the seconds with the most blank time.
extension RunExplanation {
    /// A key whose cells were blank for long.
    public struct WorstKey: Sendable, Encodable, Equatable {
        public var key: String
        public var requests: Int
        public var misses: Int
        public var blankMilliseconds: Double
        /// The most frequent cause of its misses in memory.
        public var cause: String

        enum CodingKeys: String, CodingKey {
            case key, requests, misses, cause
            case blankMilliseconds = "blank_ms"
        }
    }

    /// A second of the session.
    public struct WorstMoment: Sendable, Encodable, Equatable {
        public var second: Int
        /// The blank time of the requests that appeared in it.
        public var blankMilliseconds: Double
        public var requests: Int
        /// The most frequent wait of these requests.
        public var wait: String
        /// The most frequent cause of their misses in memory.
        public var cause: String

        enum CodingKeys: String, CodingKey {
            case second, requests, wait, cause
            case blankMilliseconds = "blank_ms"
        }
    }

    private struct Group {
        var first = 0
        var requests = 0
        var misses = 0
        var blank = 0.0
        var waits = [Int64](repeating: 0, count: Wait.allCases.count)
        var causes = [Int](repeating: 0, count: MissCause.allCases.count)

        mutating func add(_ explanation: RequestExplanation) {
            requests += 1
            blank += Double(explanation.blank) / 1e6
            for (index, wait) in explanation.waits.enumerated() { waits[index] += wait }
            guard let cause = explanation.memoryCause else { return }
            misses += 1
            causes[cause.rawValue] += 1
        }

        var cause: String {
            guard misses > 0, let most = causes.max(), let index = causes.firstIndex(of: most) else { return "" }
            return MissCause.allCases[index].name
        }

        var wait: String {
            guard let most = waits.max(), most > 0, let index = waits.firstIndex(of: most) else { return "" }
            return Wait.allCases[index].name
        }
    }

    static func worstKeys(
        _ rows: [RequestRow], _ explanations: [RequestExplanation], _ top: Int
    ) -> [WorstKey] {
        var groups: [String: Group] = [:]
        for (row, explanation) in zip(rows, explanations) {
            groups[row.key, default: Group(first: row.index)].add(explanation)
        }
        // Equal ones in order of appearance: an order of the texts would change if a trace is anonymized.
        return groups.filter { $0.value.blank > 0 }
            .sorted { ($1.value.blank, $0.value.first) < ($0.value.blank, $1.value.first) }
            .prefix(top).map { key, group in
                WorstKey(
                    key: key, requests: group.requests, misses: group.misses, blankMilliseconds: group.blank,
                    cause: group.cause)
            }
    }

    static func worstMoments(
        _ rows: [RequestRow], _ explanations: [RequestExplanation], _ top: Int
    ) -> [WorstMoment] {
        var groups: [Int: Group] = [:]
        for (row, explanation) in zip(rows, explanations) {
            groups[Int(row.time / 1_000_000_000), default: Group()].add(explanation)
        }
        return groups.filter { $0.value.blank > 0 }
            .sorted { ($1.value.blank, $0.key) < ($0.value.blank, $1.key) }.prefix(top).map { second, group in
                WorstMoment(
                    second: second, blankMilliseconds: group.blank, requests: group.requests, wait: group.wait,
                    cause: group.cause)
            }
    }
}
