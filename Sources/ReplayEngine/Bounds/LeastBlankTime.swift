/// The least blank time that a cache can have on a session, with the prefetches of an app or without any.
///
/// **Statement.** Every replay of the session over the network through a cache that obeys ``Rules``, and has no
/// ``Exemption``, has at least ``bound`` of blank time. It may know the future, store and evict what it likes, start
/// fetches as late as it likes, and have any disk. It may ignore prefetches.
///
/// **Proof.** ``bound`` is the value of a certificate of prices, whose statement and proof are at `BlankCertificate`,
/// rounded down. Only this value counts, however the prices were found. Three assumptions hold for replays:
/// - A fetch takes the least time of all that fetches of the object can meet, with the whole link, and with an open
///   connection as soon as there can be one. Failures, retries, gates and queues only add.
/// - An image enters memory when a load of it ends, and what ends at a time serves what appears at that time.
/// - A load ends only after a request, or a prefetch, that found the image neither in memory nor in flight. This is
///   where loads that requests do not share, and validations that no request waits for, differ.
///
/// **Prefetches.** The calls of an app follow from the session: they are recorded, or a rule plans them from the cells
/// that have appeared. No cache is asked for an image before its call, and it may load the image later, or not at all.
/// So a call is a visit of its image that takes no time. A load that a call asks for, and that never ends, costs
/// nothing. With the calls of several rules, the bound holds for the caches of each: a cache may ignore the others.
///
/// Bodies in flight and bitmaps that cells show take no room in memory, as in replays. Blank time counts in the
/// foreground only.
///
/// **Parts.** ``firstBytes``, ``transfers`` and ``processing`` are the blank time that no cache can avoid for the first
/// load of each image, and for the first one after each relaunch, however large its memory is. ``memory`` is the
/// addition by the limit of memory. ``link`` and ``connections`` are the further additions by fetches at the same time.
/// The parts sum to the bound.
///
/// The bound is a number for all caches. A better cache need not reach it.
///
/// - Complexity: some 150 times O(v b) in the number of visits v and of the buckets in which cells are visible; usually
///   O(v + b). Sessions have up to 20,000 buckets of at least 40 ms. More than 10,000 visits have fewer rounds.
public struct LeastBlankTime: Sendable, Equatable {
    /// Nanoseconds of blank time, summed over cells. No cache has less.
    public var bound: Int64 { firstBytes + transfers + processing + memory + link + connections }
    /// Waiting for the first bytes of first loads. All parts are nanoseconds.
    public let firstBytes: Int64
    /// Waiting for the transfers of first loads over a link without other transfers.
    public let transfers: Int64
    /// Waiting for the decoding of first loads, and for the first reads from disk after relaunches.
    public let processing: Int64
    /// Loading again what memory had no room for.
    public let memory: Int64
    /// Waiting because transfers share the link.
    public let link: Int64
    /// Waiting because connections are limited. 0 if the link says more.
    public let connections: Int64
    /// The nanoseconds that cells are visible, summed over cells.
    public let visibleTime: Double
    /// Whether the app asks for anything ahead of need, so that the bound holds with these prefetches.
    public let hasPrefetches: Bool

    /// The bound as a share of the visible time; 0 if no cell is visible.
    public var ratio: Double { visibleTime > 0 ? Double(bound) / visibleTime : 0 }

    /// - Parameters:
    ///   - trace: The session.
    ///   - rules: What the caches have in common.
    ///   - network: The network, with its recorded, estimated or measured rates.
    public init(_ trace: PreparedTrace, _ rules: Rules, network: ReplayJob.Network = .recorded) {
        self.init(trace, rules, network, rounds: Self.mostRounds)
    }

    /// The largest number of rounds for each of the prices of memory, of the link, and of connections.
    static let mostRounds = 40
    /// The visits of a session, times the rounds of a search.
    private static let mostWork = 400_000

    init(_ trace: PreparedTrace, _ rules: Rules, _ network: ReplayJob.Network, rounds: Int) {
        guard rules.costs?.countsNetwork ?? true else {
            (firstBytes, transfers, processing, memory, link, connections) = (0, 0, 0, 0, 0, 0)
            let visits = BlankVisits(trace.trace, trace.foreground, .init(), rules.prefetches)
            (visibleTime, hasPrefetches) = (visits.visibleTime, visits.hasPrefetches)
            return
        }
        let session = BlankSession(trace, rules, network)
        (visibleTime, hasPrefetches) = (session.visits.visibleTime, session.visits.hasPrefetches)
        let rounds = min(rounds, max(4, Self.mostWork / max(1, session.visits.all.count)))
        /// Returns the blank time that no cache can avoid, however large its memory is.
        func unavoidable(_ stage: BlankSession.Stage) -> Int64 {
            BlankAscent(session.problem(until: stage, isLimited: false)).bound
        }
        firstBytes = unavoidable(.firstByte)
        let arrived = max(firstBytes, unavoidable(.transfer))
        transfers = arrived - firstBytes
        let alone = max(arrived, unavoidable(.image))
        processing = alone - arrived
        let problem = session.problem()
        var ascent = BlankAscent(problem)
        if problem.isMemoryCrowded { ascent.run(.memory, rounds: rounds) }
        let kept = max(alone, ascent.bound)
        memory = kept - alone
        /// Returns the blank time that the best prices of the shared resource add.
        func added(_ shared: BlankProblem?) -> Int64 {
            guard let shared else { return 0 }
            var search = BlankAscent(shared, start: ascent.best)
            search.run(problem.isMemoryCrowded ? .both : .shared, rounds: rounds)
            return max(0, search.bound - kept)
        }
        let shares = (added(session.sharingLink(problem)), added(session.sharingConnections(problem)))
        link = shares.0 >= shares.1 ? shares.0 : 0
        connections = shares.0 >= shares.1 ? 0 : shares.1
    }
}

extension BlankProblem {
    /// Whether memory cannot hold all objects that fit and have a price at the same time.
    var isMemoryCrowded: Bool {
        guard let memory else { return false }
        return objects.reduce(0) { $0 + ($1.fits ? $1.size : 0) } > memory
    }
}

extension LeastBlankTime {
    /// The common rules of the caches for which a bound holds.
    public struct Rules: Sendable, Equatable {
        /// The bytes that memory holds at most; nil for no limit.
        public var memoryLimit: Int?
        /// The form that memory holds, and counts against its limit; nil for either form, so that the smaller size
        /// counts.
        public var holds: HeldForm? = .decoded
        /// Whether the caches have a disk, of any size. An image that was loaded once is read from it later.
        public var hasDisk = false
        /// The durations of reads and decoding; nil if they are measured, so that they can take no time.
        public var costs: CostModel?
        /// Whether images are decoded before they are stored and delivered, beside the main lane.
        public var waitsForDecoding = false
        /// Whether disks hold images encoded again. Decoding a file of them can take less than decoding what was
        /// fetched, and counts as no time.
        public var encodesFiles = false
        /// Whether reads from disk are beside the main lane. On it, memory has an image at once.
        public var waitsForReads = true
        /// Whether what cells show is held, outside of the limit of memory.
        public var pinsShown = false
        /// Whether an image never has two loads in progress. Caches with a disk can have two: a request that looks on
        /// the disk while a fetch ends begins another one. After such requests, the image costs nothing any more,
        /// because the second load can bring it into memory at any time.
        public var sharesLoads = true
        /// Whether requests can wait for the list to rest before they load anything. Prefetches do not wait, so that an
        /// image can have two loads, one after the other.
        public var holdsRequestsBack = false
        public var warningsClear = false
        public var backgroundClears = false
        /// The largest number of fetches at a time; nil for no limit.
        public var connections: Int?
        /// The connections to a host over HTTP/1.1; nil for the number that the recording shows.
        public var connectionsPerHost: Int?
        /// Whether anything limits the fetches at a time, besides the link.
        public var limitsConnections = true
        /// The rules by which apps ask for images ahead of need; empty without prefetching. A cache has the calls of
        /// one of them.
        public var prefetches: [PrefetchRule] = []

        public init() {}

        /// The rules of all caches that have a limit of memory, and load images as some caches do. They may have any
        /// disk and any number of connections, and nothing but a relaunch empties their memory. Apps ask for images
        /// ahead of need as one of the caches does, or not at all.
        ///
        /// A bound with these rules holds for each of the caches, and for what they have with another disk or with
        /// other connections.
        /// - Parameters:
        ///   - caches: The rules of the caches, with the same costs.
        ///   - memoryLimit: An upper limit of the bytes in memory, over all caches; nil for no limit.
        public init(covering caches: [Self], memoryLimit: Int?) {
            self.memoryLimit = memoryLimit
            holds = Set(caches.map(\.holds)).count == 1 ? caches[0].holds : nil
            hasDisk = true
            costs = caches.first?.costs
            waitsForDecoding = caches.allSatisfy(\.waitsForDecoding)
            encodesFiles = caches.contains(where: \.encodesFiles)
            waitsForReads = caches.allSatisfy(\.waitsForReads)
            pinsShown = caches.contains(where: \.pinsShown)
            sharesLoads = false
            limitsConnections = false
            for rule in caches.flatMap(\.prefetches) where !prefetches.contains(rule) { prefetches.append(rule) }
        }

        /// The rules of a job's cache. Prefetches that know the future are left out, because the cache is exempt then.
        ///
        /// - Parameters:
        ///   - job: The job with the cache.
        ///   - memoryLimit: The bytes that memory holds at most; nil for no limit.
        public init(_ job: ReplayJob, memoryLimit: Int?) {
            let (cache, pipeline) = (job.cache, job.cache.pipeline)
            self.memoryLimit = memoryLimit
            holds = cache.memoryRules.holds
            hasDisk = cache.disk != nil
            if case .modelled(let costs) = job.timing { self.costs = costs }
            waitsForDecoding = job.decode && !pipeline.decodeOnMainLane
            encodesFiles = cache.diskRules.content != .original
            waitsForReads = !pipeline.diskOnMainLane
            pinsShown = cache.memoryRules.keepsShown
            sharesLoads = cache.disk == nil
            holdsRequestsBack = !pipeline.fetchWhileScrolling
            warningsClear = cache.memoryRules.onWarning == .clear
            backgroundClears = cache.memoryRules.onBackground == .clear
            connections = pipeline.connections
            connectionsPerHost = pipeline.connectionsPerHost
            let asksAhead = pipeline.prefetch != .none && job.mayPrefetch
            if asksAhead, !pipeline.prefetch.knowsFuture { prefetches = [pipeline.prefetch] }
        }
    }

    /// Why the bound does not hold for a cache.
    public enum Exemption: String, Sendable, CaseIterable {
        /// It fetches images before a cell needs them, and knows which cells will appear.
        case prefetches
        /// Each request fetches for itself.
        case doesNotCoalesce = "does_not_coalesce"
        /// It validates stored images, also without a request that waits.
        case validates
        /// Memory held more than its limit.
        case exceedsLimit = "exceeds_limit"
        /// It has a second memory, of encoded bytes.
        case hasSecondMemory = "has_second_memory"
        /// Keys share entries in a tier, so that it can deliver the picture of another key.
        case mixesPictures = "mixes_pictures"
        /// Its memory holds bitmaps in the sizes of views, which are smaller than the images.
        case holdsViewSizes = "holds_view_sizes"
        /// Its memory is a program, which decides by itself.
        case isProgram = "is_program"
    }

    /// Returns why the bound does not hold for a job's cache; an empty list if it holds.
    ///
    /// - Throws: `SpecError` for a memory limit that cannot be read.
    public static func exemptions(
        of job: ReplayJob, in trace: PreparedTrace, _ result: RunResult
    ) throws -> [Exemption] {
        let cache = job.cache
        let limit = try cache.memoryLimit(in: trace.context)
        let isExempt: [Exemption: Bool] = [
            .prefetches: cache.pipeline.prefetch.knowsFuture && job.mayPrefetch,
            .doesNotCoalesce: !cache.pipeline.coalesce,
            .validates: cache.revalidates,
            .exceedsLimit: limit.map { result.tiers.memoryPeakBytes > $0 } ?? false,
            .hasSecondMemory: cache.memoryRules.encodedMemory != nil,
            .mixesPictures: try result.counts.wrong > 0 || ReplayObjects(trace, cache).sharesEntries,
            .holdsViewSizes: trace.renditions(for: cache) != nil,
            .isProgram: cache.own != nil,
        ]
        return Exemption.allCases.filter { isExempt[$0] ?? false }
    }
}

extension ReplayObjects {
    /// Whether objects share an entry in a tier.
    fileprivate var sharesEntries: Bool {
        let cells = keys.indices.map { ImageKey(object: $0, variant: 1) }
        return Set(cells.map(memoryNumber)).count < cells.count || Set(cells.map(diskNumber)).count < cells.count
    }
}
