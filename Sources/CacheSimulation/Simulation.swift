import CachePolicies
import CacheTraces

/// A trace through a policy alone: no payloads, no waiting, every fetch done at once.
public enum Simulation {
    /// The plain stretches run in the kernel; at each exception the policy is driven by hand.
    ///
    /// For many policies that use the future, hand over a trace that was given its ``DenseTrace/knowingNextAccesses()`` once.
    public static func run(_ trace: DenseTrace, _ policy: any CachePolicy) -> SimulationCounts {
        let trace = type(of: policy).usesFuture ? trace.knowingNextAccesses() : trace
        var driver = Driver(policy: policy, objectCount: trace.objectCount)
        trace.withColumns { driver.run($0, over: trace) }
        driver.counts.requestBytes = trace.requestBytes
        return driver.counts
    }

    private struct Driver {
        var policy: any CachePolicy
        var counts = SimulationCounts()
        private var evictions = EvictionList()
        /// Of objects whose fetches sometimes fail: how often they were fetched.
        private var fetched: [ObjectID: Int] = [:]

        init(policy: any CachePolicy, objectCount: Int) {
            self.policy = policy
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
                    policy.run(columns, position..<exception.position, into: &counts)
                    position = exception.position
                    switch exception.kind {
                    case .loss: policy.removeAll()
                    case .access(let isRequest, let key, let outcomes):
                        let found = access(columns[position], key, outcomes)
                        if isRequest { count(columns[position], found) }
                        position += 1
                    }
                }
                policy.run(columns, position..<range.upperBound, into: &counts)
            }
        }

        private mutating func access(_ access: Access, _ key: ObjectID, _ outcomes: [Bool]) -> Lookup {
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
