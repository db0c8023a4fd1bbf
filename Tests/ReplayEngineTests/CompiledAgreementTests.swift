import Basics
import CachePolicies
import CacheSimulation
import Foundation
import Testing

@testable import CacheTraces
@testable import ReplayEngine
@testable import SessionModel

@Suite("Compiled traces simulate as their sources")
struct CompiledAgreementTests {
    static let policies = [
        "lru(2MB)", "fifo(30 objects)", "ttl(lru(1MB), lifetime: 30s, sweep: 10s)",
        "split(thumbnail: lru(40 objects), full: lru(1MB))", "none",
    ]

    @Test("Every bundled trace, under several policies", arguments: AgreementTests.bundled, policies)
    func bundled(path: String, policy: String) throws {
        let trace = try Trace(contentsOf: path)
        let context = PolicyContext(workload: trace.workload(trace.resolvedSizes()))
        let input = TraceInput(bytes: try CompiledTrace(trace).bytes(file: "t"), path: "t.crtrace")
        for usesSizes in [true, false] {
            var notes = ReadingNotes()
            let counts = Simulation.run(
                try DenseTrace(input, .init(usesSizes: usesSizes), &notes), try context.policy(policy))
            #expect(counts == Simulation.run(DenseTrace(trace, usesSizes: usesSizes), try context.policy(policy)))
            #expect(counts.requests > 0)
        }
    }

    @Test("Sessions with failures, prefetches and losses, and pauses longer than an epoch", arguments: policies)
    func random(policy: String) throws {
        var random = SplitMix64(seed: 8)
        for _ in 0..<30 {
            var builder = TraceBuilder()
            var time: Int64 = 0
            for _ in 0..<300 {
                time += random.next() % 30 == 0 ? 5_000_000_000 : Int64(random.next() % 60_000_000)
                let object = builder.object("\(random.next() % 80)")
                builder.update(object) { $0.bytes = 20_000 + Int(object) * 999 }
                let variant = random.next() % 3 == 0 ? Variant.thumbnail : .full
                switch random.next() % 20 {
                case 0..<12: builder.append(TraceEvent(time: time, .appear(object, variant)))
                case 12..<15: builder.append(TraceEvent(time: time, .prefetch(object, variant)))
                case 15..<18:
                    builder.append(
                        TraceEvent(time: time, .fetch(object, Fetch(status: random.next() % 3 == 0 ? 503 : 200))))
                case 18: builder.append(TraceEvent(time: time, .memoryWarning))
                default: builder.append(TraceEvent(time: time, .disappear(object, variant)))
                }
            }
            let trace = builder.finish()
            let context = PolicyContext(workload: trace.workload(trace.resolvedSizes()))
            let input = TraceInput(bytes: try CompiledTrace(trace).bytes(file: "t"), path: "t.crtrace")
            var notes = ReadingNotes()
            let source = DenseTrace(trace)
            #expect(!source.exceptions.isEmpty && source.epochs.count > 1)
            #expect(
                Simulation.run(try DenseTrace(input, .init(), &notes), try context.policy(policy))
                    == Simulation.run(source, try context.policy(policy)))
        }
    }
}
