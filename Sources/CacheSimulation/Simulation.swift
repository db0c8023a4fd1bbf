import CachePolicies
import CacheTraces
import SessionModel

/// Runs a trace through a policy alone: no payloads, no waiting, and every fetch takes no time.
public enum Simulation {
    /// Returns the counts of a policy on a trace. The kernel runs the plain stretches between the trace's exceptions.
    ///
    /// To run several policies that know the future, compute ``DenseTrace/withNextAccesses()`` once before.
    public static func run(_ trace: DenseTrace, _ policy: any CachePolicy) -> SimulationCounts {
        run(trace, policy) { _ in true } ?? SimulationCounts()
    }

    /// Returns the counts of a policy on a trace, or nil if `shouldContinue` ended the run.
    ///
    /// - Parameters:
    ///   - weights: By object: how many objects it stands for; nil if the trace is no sample.
    ///   - shouldContinue: Receives the number of accesses since its last call, and returns whether to continue.
    public static func run(
        _ trace: DenseTrace, _ policy: any CachePolicy, weights: [Double]? = nil, shouldContinue: (Int) -> Bool
    ) -> SimulationCounts? {
        cumulativeCounts(trace, policy, at: [], weights: weights, shouldContinue: shouldContinue)?.last
    }

    /// Returns the counts from the start of a trace to each of several marks, and then the counts of the whole trace;
    /// or nil if `shouldContinue` ended the run. The counts at marks have no bytes of requests; ``RequestParts`` has
    /// them.
    ///
    /// - Parameters:
    ///   - marks: Numbers of requests, rising, each above 0. Those above the number of all requests have no counts.
    ///   - weights: By object: how many objects it stands for; nil if the trace is no sample.
    ///   - shouldContinue: Receives the number of accesses since its last call, and returns whether to continue.
    public static func cumulativeCounts(
        _ trace: DenseTrace, _ policy: any CachePolicy, at marks: [Int], weights: [Double]? = nil,
        shouldContinue: (Int) -> Bool
    ) -> [SimulationCounts]? {
        var hits: HitBits?
        return cumulativeCounts(trace, policy, at: marks, weights: weights, hits: &hits, shouldContinue: shouldContinue)
    }

    /// Returns the same counts, and also notes which requests hit.
    ///
    /// - Parameter hits: Receives a bit for each request. nil: requests are not noted, and run in the loop of the
    ///   kernel. Otherwise each request is a call of its own, which takes several times as long and has the same
    ///   counts.
    public static func cumulativeCounts(
        _ trace: DenseTrace, _ policy: any CachePolicy, at marks: [Int], weights: [Double]? = nil,
        hits: inout HitBits?, shouldContinue: (Int) -> Bool
    ) -> [SimulationCounts]? {
        // Unreachable by a user: commands open the columns that `columns(for:)` names for all their policies.
        precondition(
            trace.hasTimes || !type(of: policy).readsTime,
            "the trace was opened without the times that the policy reads")
        let trace = type(of: policy).usesFuture ? trace.withNextAccesses() : trace
        return withoutActuallyEscaping(shouldContinue) { shouldContinue in
            var driver = Driver(
                policy: policy, objectCount: trace.objectCount, marks: marks, shouldContinue: shouldContinue)
            driver.hits = hits
            trace.withColumns { columns in
                guard let weights else { return driver.run(columns, over: trace) }
                // Unreachable by a user: a sample comes with the weights of its objects.
                precondition(weights.count >= trace.objectCount, "objects without a weight")
                weights.withUnsafeBufferPointer { weights in
                    var columns = columns
                    columns.weights = weights.baseAddress
                    driver.run(columns, over: trace)
                }
            }
            driver.counts.requestBytes = trace.requestBytes
            driver.counts.hasLearnedModel = driver.hasLearnedModel
            hits = driver.hits
            return driver.isStopped ? nil : driver.marked + [driver.counts]
        }
    }

    /// A policy on its way through a trace, or through the windows of one.
    struct Driver {
        private var policy: any TimedPolicy
        var counts = SimulationCounts()
        private let shouldContinue: (Int) -> Bool
        /// The requests that hit; nil if they are not noted.
        var hits: HitBits?
        /// Takes the bits of ``hits`` on the way, so that they need no memory; nil if they stay there.
        var deliverHits: (([UInt8]) -> Void)?
        private(set) var isStopped = false
        /// The accesses since the last call of ``shouldContinue``.
        private var unreported = 0
        private var evictions = EvictionList()
        /// By object with failed fetches: the number of its fetches.
        private var fetched: [ObjectID: Int] = [:]
        /// The numbers of requests at which counts are kept, rising, each above 0.
        private var marks: [Int]
        private(set) var marked: [SimulationCounts] = []
        /// The next mark, which is above the number of requests so far; the largest number without one.
        private var nextMark: Int

        /// The accesses between two reports: few enough to answer an interrupt at once, and so many that reports cost
        /// nothing.
        private static let stretch = 1 << 19
        /// The bytes of ``hits`` that are delivered at once.
        private static let hitBytes = 1 << 15

        init(
            policy: any CachePolicy, objectCount: Int = 0, marks: [Int] = [],
            shouldContinue: @escaping (Int) -> Bool = { _ in true }
        ) {
            self.policy = policy.timed()
            self.shouldContinue = shouldContinue
            self.marks = marks
            nextMark = marks.first ?? .max
            if objectCount > 0 { reserve(objectCount) }
        }

        var hasLearnedModel: Bool? { policy.hasLearnedModel }

        mutating func reserve(_ objectCount: Int) { policy.reserve(objectCount) }

        /// Adds marks, each at least the number of requests so far and above the marks before.
        mutating func expect(_ more: [Int]) {
            marks += more
            if marked.count < marks.count { nextMark = marks[marked.count] }
            keepMark()
        }

        /// Runs the trace in stretches up to the next exception or the next epoch.
        mutating func run(_ columns: RequestColumns, over trace: DenseTrace) {
            var columns = columns
            var exceptions = trace.exceptions[...]
            trace.forEachEpoch { epoch, range in
                columns.epoch = epoch.time
                var position = range.lowerBound
                // Exceptions behind the last access of an epoch are processed with the next epoch.
                while let exception = exceptions.first, exception.position < range.upperBound {
                    exceptions.removeFirst()
                    runPlain(columns, position..<exception.position)
                    position = exception.position
                    switch exception.kind {
                    case .memoryWarning: policy.clear()
                    case .relaunch(let time): policy.relaunch(at: time)
                    case .removal(let object): policy.remove(Int(object))
                    case .resized:
                        count(columns[position], resized(columns[position]), columns.weights)
                        position += 1
                    case .access(let isRequest, let key, let outcomes):
                        let found = access(columns[position], key, outcomes)
                        if isRequest { count(columns[position], found, columns.weights) }
                        position += 1
                    }
                }
                runPlain(columns, position..<range.upperBound)
            }
            _ = shouldContinue(unreported)
        }

        private mutating func runPlain(_ columns: RequestColumns, _ range: Range<Int>) {
            guard hits == nil else { return runNoting(columns, range) }
            var position = range.lowerBound
            while position < range.upperBound, !isStopped {
                // A range ends at a mark, so that the loop of the kernel knows nothing of marks.
                let room = min(Self.stretch - unreported, nextMark - counts.requests)
                let end = min(range.upperBound, position + room)
                policy.run(columns, position..<end, into: &counts)
                unreported += end - position
                position = end
                keepMark()
                guard unreported >= Self.stretch else { continue }
                isStopped = !shouldContinue(unreported)
                unreported = 0
            }
        }

        /// Runs requests one by one, and notes which of them hit. The loop of the kernel notes no hits, which would
        /// make it slower.
        private mutating func runNoting(_ columns: RequestColumns, _ range: Range<Int>) {
            for position in range {
                guard !isStopped else { return }
                let access = columns[position]
                policy.advance(to: access.time, &evictions)
                let found = policy.liveLookup(access, &evictions)
                if !found.isHit { _ = policy.liveAdmit(access, &evictions) }
                countEvictions()
                count(access, found, columns.weights)
                unreported += 1
                guard unreported >= Self.stretch else { continue }
                isStopped = !shouldContinue(unreported)
                unreported = 0
            }
        }

        private mutating func keepMark() {
            guard counts.requests >= nextMark else { return }
            marked.append(counts)
            nextMark = marked.count < marks.count ? marks[marked.count] : .max
        }

        private mutating func access(_ access: Access, _ key: ObjectID, _ outcomes: [Bool]) -> Lookup {
            unreported = min(unreported + 1, Self.stretch - 1)
            policy.advance(to: access.time, &evictions)
            let found = policy.liveLookup(access, &evictions)
            if !found.isHit {
                let fetch = fetched[key, default: 0]
                fetched[key] = fetch + 1
                let succeeded = outcomes.isEmpty || outcomes[min(fetch, outcomes.count - 1)]
                if succeeded { _ = policy.liveAdmit(access, &evictions) }
            }
            countEvictions()
            return found
        }

        /// Runs a request with another size than the object had so far. A held object is stored anew.
        private mutating func resized(_ access: Access) -> Lookup {
            unreported = min(unreported + 1, Self.stretch - 1)
            policy.advance(to: access.time, &evictions)
            let found = policy.liveLookup(access, &evictions)
            _ = policy.liveAdmit(access, &evictions)
            countEvictions()
            return found
        }

        private mutating func countEvictions() {
            for victim in evictions.victims {
                if victim.reason == .expired { counts.expirations += 1 } else { counts.evictions += 1 }
            }
            evictions.victims.removeAll(keepingCapacity: true)
        }

        private mutating func count(_ access: Access, _ found: Lookup, _ weights: UnsafePointer<Double>?) {
            add(access, found, weights)
            keepMark()
        }

        private mutating func note(_ isHit: Bool) {
            hits?.append(isHit)
            guard let deliverHits, let bytes = hits?.takeFullBytes(atLeast: Self.hitBytes) else { return }
            deliverHits(bytes)
        }

        private mutating func add(_ access: Access, _ found: Lookup, _ weights: UnsafePointer<Double>?) {
            counts.requests += 1
            if hits != nil { note(found.isHit) }
            if found == .staleHit { counts.staleHits += 1 }
            guard !found.isHit else { return }
            counts.misses += 1
            counts.missBytes += access.size
            guard let weights else { return }
            counts.weightedMisses += weights[access.object]
            counts.weightedMissBytes += weights[access.object] * Double(access.size)
        }
    }
}

extension DenseTrace {
    public static func columns(for policies: some Sequence<any CachePolicy>) -> Columns {
        policies.reduce(into: []) { columns, policy in
            if type(of: policy).readsTime { columns.insert(.times) }
            if type(of: policy).usesFuture { columns.insert(.nextAccesses) }
        }
    }

    /// Calls `body` with the columns in the kernel's layout, at the trace's first epoch.
    public func withColumns<R>(_ body: (RequestColumns) throws -> R) rethrows -> R? {
        try objects.withUnsafeBufferPointer { objects in
            try ticks.withUnsafeBufferPointer { ticks in
                guard let base = objects.baseAddress else { return nil }
                var columns = RequestColumns(
                    objects: base, times: hasTimes ? ticks.baseAddress : nil, epoch: epochs.first?.time ?? 0)
                defer { withExtendedLifetime((sizes, requestSizes, variants, nextAccesses)) {} }
                columns.requestSizes = requestSizes?.withUnsafeBufferPointer { $0.baseAddress }
                columns.sizes = sizes?.withUnsafeBufferPointer { $0.baseAddress }
                columns.variants = variants?.withUnsafeBufferPointer { $0.baseAddress }
                columns.nexts = nextAccesses?.withUnsafeBufferPointer { $0.baseAddress }
                return try body(columns)
            }
        }
    }
}
