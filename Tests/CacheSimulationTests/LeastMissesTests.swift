import Basics
import CachePolicies
import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import CacheSimulation

/// What holds for the fewest misses of every session.
@Suite("Bounds of the fewest misses")
struct LeastMissesTests {
    /// Every schedule of 10,200 sessions is tried, for misses and for bytes. Seeds give sessions of different shapes.
    @Test("Bound, known schedule and optimum are equal", arguments: 0..<6)
    func exhaustive(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<1_700 {
            let session = SmallSession(
                steps: 4 + 2 * seed, objects: 2 + seed % 3, largest: seed % 2 == 0 ? 1 + seed : 12, using: &random)
            let capacity = Int.random(in: 1...max(2, session.sizes.reduce(0, +)), using: &random)
            for measure in LeastMisses.Measure.allCases {
                let (least, optimum) = (session.leastMisses(capacity, measure), session.optimum(capacity, measure))
                #expect(least.bound == optimum, "\(session), \(capacity)")
                #expect(least.known == optimum, "\(session), \(capacity)")
            }
        }
    }

    @Test("With fetches that fail, the bound is never above the optimum, and the known schedule never below it")
    func failures() {
        var random = SplitMix64(seed: 11)
        var (proven, cells) = (0, 0)
        for _ in 0..<400 {
            var session = SmallSession(steps: 10, objects: 3, largest: 4, using: &random)
            session.outcomes = session.sizes.map { _ in
                (0...random.next(below: 4)).map { _ in random.next(below: 3) > 0 }
            }
            let capacity = Int.random(in: 1...8, using: &random)
            for measure in LeastMisses.Measure.allCases {
                let least = session.leastMisses(capacity, measure)
                let optimum = session.optimumOfFailingFetches(capacity, measure)
                #expect(least.bound <= optimum, "\(session), \(capacity)")
                #expect(least.known >= optimum, "\(session), \(capacity)")
                cells += 1
                if least.isOptimum { proven += 1 }
            }
        }
        #expect(proven * 2 > cells)
    }

    @Test("Each part alone is never beyond the optimum: prices, packing, and a search from any prices")
    func parts() {
        var random = SplitMix64(seed: 10)
        var (reached, searched) = (0, 0)
        for _ in 0..<1_000 {
            let session = SmallSession(steps: 14, objects: 4, largest: 9, using: &random)
            let capacity = Int.random(in: 3...12, using: &random)
            for measure in LeastMisses.Measure.allCases {
                let reuse = session.intervals(capacity, measure)
                let gaps = GapCapacities(reuse)
                let crowded = CrowdedGaps(reuse, gaps)
                let most = reuse.totalWeight - session.optimum(capacity, measure)
                let prices = crowded.prices(crowded.uniformPrices)
                #expect(PriceCertificate.mostHits(reuse, prices: prices, capacities: gaps.values) >= most)
                #expect(Packing(reuse).hits() <= most)
                #expect(Packing(reuse).hits(prices: prices) <= most)
                // Good prices, bad prices, and none.
                let choices = [crowded.uniformPrices, crowded.capacities.map { _ in random.fraction() / 4 }]
                for slots in choices + [crowded.capacities.map { _ in 0 }] {
                    let search = ScheduleSearch(crowded, prices: slots, room: capacity)
                    guard let found = search?.mostHits(known: 0, step: reuse.weightDivisor) else { continue }
                    searched += 1
                    #expect(found.weight >= most)
                    if found.isFound {
                        reached += 1
                        #expect(found.weight == most)
                    }
                }
            }
        }
        #expect(searched > 2_000)
        #expect(reached > 1_500)
    }

    @Test("Each bound is at most the next one: one price, tightened, where it is crowded, the best prices, the optimum")
    func order() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            let session = SmallSession(steps: 14, objects: 4, largest: 9, using: &random)
            let capacity = Int.random(in: 1...16, using: &random)
            for measure in LeastMisses.Measure.allCases {
                let reuse = session.intervals(capacity, measure)
                let gaps = GapCapacities(reuse)
                #expect(gaps.values == SlowBounds.gapCapacities(reuse))
                let crowded = CrowdedGaps(reuse, gaps)
                let bounds = [
                    SlowBounds.uniform(reuse, volume: capacity * reuse.gapCount),
                    SlowBounds.uniform(reuse, volume: SlowBounds.tightVolume(reuse)),
                    SlowBounds.value(reuse, crowded.prices(crowded.uniformPrices), gaps.values),
                    SlowBounds.best(reuse, isSharp: true), Double(session.optimum(capacity, measure)),
                ]
                for (lower, upper) in zip(bounds, bounds.dropFirst()) { #expect(lower <= upper + 1e-9, "\(bounds)") }
                #expect(SlowBounds.best(reuse, isSharp: false) <= bounds[3] + 1e-9)
            }
        }
    }

    @Test("The value of any prices is what plain sums give, and proves nothing wrong")
    func certificates() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<400 {
            let session = SmallSession(steps: 12, objects: 4, largest: 9, using: &random)
            let reuse = session.intervals(10, .misses)
            let capacities = GapCapacities(reuse).values
            let prices = capacities.map { _ in random.next(below: 3) == 0 ? random.fraction() / 3 : 0 }
            let value = SlowBounds.value(reuse, prices, capacities)
            #expect(abs(value - SlowBounds.value(reuse, plainly: prices, capacities)) < 1e-9)
            let bound = reuse.totalWeight - PriceCertificate.mostHits(reuse, prices: prices, capacities: capacities)
            #expect(bound <= session.optimum(10))
            #expect(bound >= Int(value.rounded(.up)))
        }
    }

    @Test("The ascent is never above the best prices, and comes near them")
    func ascent() {
        var random = SplitMix64(seed: 8)
        var (reached, best, uniform) = (0.0, 0.0, 0.0)
        for _ in 0..<20 {
            let session = SmallSession(steps: 120, objects: 20, largest: 9, using: &random)
            let reuse = session.intervals(25, .misses)
            let gaps = GapCapacities(reuse)
            let crowded = CrowdedGaps(reuse, gaps)
            let target = Double(Packing(reuse).hits())
            var ascent = PriceAscent(crowded, unit: 25, start: crowded.uniformPrices)
            ascent.run(rounds: 300, target: target)
            let values = [ascent.bestPrices, crowded.uniformPrices].map {
                SlowBounds.value(reuse, crowded.prices($0), gaps.values)
            }
            let limit = SlowBounds.best(reuse, isSharp: true)
            #expect(values[0] <= limit + 1e-9)
            #expect(values[0] >= values[1] - 1e-9)
            (reached, best, uniform) = (reached + values[0], best + limit, uniform + values[1])
        }
        #expect(best - reached < (best - uniform) / 4, "\(uniform), \(reached), \(best)")
    }

    /// No policy has fewer misses than `belady-bypass` with objects of one size, and the linear program is exact.
    @Test("With objects of one size, the bound is the misses of belady-bypass", arguments: 1...9)
    func oneSize(objects: Int) throws {
        var random = SplitMix64(seed: UInt64(objects))
        let events = (0..<600).map { index in
            TraceEvent(
                time: Int64(index),
                index % 97 == 96
                    ? .terminate : .appear(ObjectID(random.next(below: 1 + random.next(below: 30))), .full))
        }
        let trace = DenseTrace(Trace(objects: (0..<30).map { TraceObject(key: "\($0)", bytes: 7) }, events: events))
        let policy = try PolicyContext().policy("belady-bypass(\(objects) objects)")
        let counts = Simulation.run(trace, policy)
        let least = LeastMisses(trace, capacity: Capacity(objects, .objects))
        #expect(least.bound == counts.misses)
        #expect(least.total == counts.requests)
        // Room for a part of an object changes nothing.
        #expect(LeastMisses(trace, capacity: Capacity(7 * objects + 6, .bytes)).bound == counts.misses)
        #expect(LeastMisses(trace, capacity: Capacity(7 * objects, .bytes), counting: .bytes).bound == counts.missBytes)
    }

    /// Sessions with prefetches, removals, losses and failed fetches.
    @Test("No simulation has fewer misses", arguments: 0..<12)
    func simulations(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let objects = (0..<12).map { TraceObject(key: "\($0)", bytes: 1 + random.next(below: 20)) }
        let events = (0..<300).map { index in
            let object = ObjectID(random.next(below: 1 + random.next(below: 12)))
            let variant: Variant = random.next(below: 3) == 0 ? .thumbnail : .full
            let action: TraceEvent.Action =
                switch random.next(below: 40) {
                case 0: .terminate
                case 1: .memoryWarning
                case 2: .remove(object)
                case 3: .fetch(object, Fetch(status: seed % 2 == 0 ? 200 : 404))
                case 4..<10: .prefetch(object, variant)
                default: .appear(object, variant)
                }
            return TraceEvent(time: Int64(index), action)
        }
        let trace = DenseTrace(Trace(objects: objects, events: events))
        for capacity in [10, 40, 90] {
            let misses = LeastMisses(trace, capacity: Capacity(capacity, .bytes))
            let bytes = LeastMisses(trace, capacity: Capacity(capacity, .bytes), counting: .bytes)
            #expect(bytes.total == trace.requestBytes)
            for name in ["lru", "fifo", "gdsf", "s3fifo", "belady", "belady-bypass", "belady-size", "lfu"] {
                let counts = Simulation.run(trace, try PolicyContext().policy("\(name)(\(capacity)B)"))
                #expect(counts.misses >= misses.bound, "\(name), \(capacity)")
                #expect(counts.missBytes >= bytes.bound, "\(name), \(capacity)")
                #expect(counts.requests == misses.total)
            }
        }
    }

    static let specifications = SmallSession.specifications("40B")

    /// A policy that may exceed its limit is compared at the most that it held.
    @Test("No registered policy has fewer misses", arguments: specifications)
    func everyPolicy(specification: String) throws {
        var random = SplitMix64(seed: 42)
        for _ in 0..<6 {
            let session = SmallSession(steps: 80, objects: 9, largest: 15, using: &random)
            let counts = try session.run(specification)
            let bounds = LeastMisses.Measure.allCases.map { session.leastMisses(max(40, counts.peak), $0).bound }
            #expect(counts.misses >= bounds[0])
            #expect(counts.bytes >= bounds[1])
        }
    }

    @Test("All registered policies are among them")
    func all() {
        #expect(Self.specifications.count >= PolicyRegistry.builtIn.entries.count)
        #expect(PolicyRegistry.builtIn.entries.count >= 42)
    }
}
