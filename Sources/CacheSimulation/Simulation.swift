import CachePolicies
import CacheTraces
import SessionModel

/// A trace through a policy alone: no payloads, no waiting, every fetch done at once.
public enum Simulation {
    /// The plain stretches run in the kernel; at each exception the policy is driven by hand.
    ///
    /// For many policies that use the future, hand over a trace that was given its ``DenseTrace/knowingNextAccesses()``
    /// once.
    public static func run(_ trace: DenseTrace, _ policy: any CachePolicy) -> SimulationCounts {
        // Without a limit on the way, nothing ends it.
        run(trace, policy) { _ in true } ?? SimulationCounts()
    }

    /// The same with a word on the way: `goOn` is told how many accesses were done since it was asked last. Where it
    /// says no, the run ends, and there is no result.
    public static func run(_ trace: DenseTrace, _ policy: any CachePolicy, goOn: (Int) -> Bool) -> SimulationCounts? {
        let trace = type(of: policy).usesFuture ? trace.knowingNextAccesses() : trace
        return withoutActuallyEscaping(goOn) { goOn in
            var driver = Driver(policy: policy, objectCount: trace.objectCount, goOn: goOn)
            trace.withColumns { driver.run($0, over: trace) }
            driver.counts.requestBytes = trace.requestBytes
            return driver.isStopped ? nil : driver.counts
        }
    }

    private struct Driver {
        var policy: any TimedPolicy
        var counts = SimulationCounts()
        let goOn: (Int) -> Bool
        var isStopped = false
        /// Accesses since ``goOn`` was asked.
        private var untold = 0
        private var evictions = EvictionList()
        /// Of objects whose fetches sometimes fail: how often they were fetched.
        private var fetched: [ObjectID: Int] = [:]

        /// A word on the way so often that an interrupt is answered at once, and so seldom that it costs nothing.
        private static let stretch = 1 << 19

        init(policy: any CachePolicy, objectCount: Int, goOn: @escaping (Int) -> Bool) {
            self.policy = policy.timed()
            self.goOn = goOn
            self.policy.reserve(objectCount)
        }

        /// Stretch by stretch: up to the next exception, or the next epoch.
        mutating func run(_ columns: RequestColumns, over trace: DenseTrace) {
            var columns = columns
            var exceptions = trace.exceptions[...]
            trace.forEachEpoch { epoch, range in
                columns.epoch = epoch.time
                var position = range.lowerBound
                // What happens behind the last access of an epoch changes nothing before the next one.
                while let exception = exceptions.first, exception.position < range.upperBound {
                    exceptions.removeFirst()
                    runPlain(columns, position..<exception.position)
                    position = exception.position
                    switch exception.kind {
                    case .memoryWarning: policy.clear()
                    case .relaunch(let time): policy.relaunch(at: time)
                    case .access(let isRequest, let key, let outcomes):
                        let found = access(columns[position], key, outcomes)
                        if isRequest { count(columns[position], found) }
                        position += 1
                    }
                }
                runPlain(columns, position..<range.upperBound)
            }
            _ = goOn(untold)
        }

        private mutating func runPlain(_ columns: RequestColumns, _ range: Range<Int>) {
            var position = range.lowerBound
            while position < range.upperBound, !isStopped {
                let end = min(range.upperBound, position + Self.stretch - untold)
                policy.run(columns, position..<end, into: &counts)
                untold += end - position
                position = end
                guard untold >= Self.stretch else { continue }
                isStopped = !goOn(untold)
                untold = 0
            }
        }

        private mutating func access(_ access: Access, _ key: ObjectID, _ outcomes: [Bool]) -> Lookup {
            untold = min(untold + 1, Self.stretch - 1)
            policy.advance(to: access.time, &evictions)
            let found = policy.liveLookup(access, &evictions)
            if !found.isHit {
                let fetch = fetched[key, default: 0]
                fetched[key] = fetch + 1
                let succeeded = outcomes.isEmpty || outcomes[min(fetch, outcomes.count - 1)]
                if succeeded { _ = policy.liveAdmit(access, &evictions) }
            }
            for victim in evictions.victims {
                if victim.reason == .expired { counts.expirations += 1 } else { counts.evictions += 1 }
            }
            evictions.victims.removeAll(keepingCapacity: true)
            return found
        }

        private mutating func count(_ access: Access, _ found: Lookup) {
            counts.requests += 1
            if found == .staleHit { counts.staleHits += 1 }
            guard !found.isHit else { return }
            counts.misses += 1
            counts.missBytes += access.size
        }
    }
}

extension DenseTrace {
    /// Lends the columns to `body` as the kernel reads them, at the trace's first epoch.
    public func withColumns<R>(_ body: (RequestColumns) throws -> R) rethrows -> R? {
        try objects.withUnsafeBufferPointer { objects in
            try ticks.withUnsafeBufferPointer { ticks in
                guard let base = objects.baseAddress else { return nil }
                var columns = RequestColumns(objects: base, times: ticks.baseAddress, epoch: epochs.first?.time ?? 0)
                defer { withExtendedLifetime((sizes, variants, nextAccesses)) {} }
                columns.sizes = sizes?.withUnsafeBufferPointer { $0.baseAddress }
                columns.variants = variants?.withUnsafeBufferPointer { $0.baseAddress }
                columns.nexts = nextAccesses?.withUnsafeBufferPointer { $0.baseAddress }
                return try body(columns)
            }
        }
    }
}
