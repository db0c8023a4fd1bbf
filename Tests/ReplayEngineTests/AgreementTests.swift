import Basics
import CachePolicies
import CacheSimulation
import CacheTiers
import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import MeasuredTiers
@testable import ReplayEngine

/// What simulation, replay, measured tiers and the origin agree on.
@Suite("What must agree")
struct AgreementTests {
    static let bundled: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Traces")
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted().map { folder.appendingPathComponent($0).path }
    }()

    static let policies = [
        "lru(3MB)", "lru(40 objects)", "fifo(3MB)", "unbounded", "none", "ttl(lru(3MB), lifetime: 20s)",
        "ttl(fifo(5MB), lifetime: 30s, sweep: 12s, checkOnRead: false)",
        "ttl(lru(20%), lifetime: 9s, extendOnAccess: true)",
        "nscache(cost: 3MB)", "nscache(cost: 3MB, count: 60, model: fifo)",
        "nscache(cost: 2MB, count: 90, model: corelibs)",
        "split(thumbnail: lru(100 objects), full: lru(5 objects))",
    ]

    /// Every registered policy but those that know the future, which no tier does.
    static let registered: [String] = PolicyRegistry.builtIn.entries.compactMap { entry in
        let arguments = entry.parameters.compactMap { parameter -> String? in
            let value: String? =
                switch parameter.kind {
                case .limits: "3MB"
                case .policy: "lru(3MB)"
                case .duration where parameter.defaultText == nil: "20s"
                default: nil
                }
            return value.map { value in parameter.label.map { "\($0): \(value)" } ?? value }
        }
        let specification = arguments.isEmpty ? entry.name : "\(entry.name)(\(arguments.joined(separator: ", ")))"
        guard let policy = try? PolicyContext().policy(specification) else { return specification }
        return type(of: policy).usesFuture ? nil : specification
    }

    @Test("Every policy of the registry is compared")
    func registry() {
        #expect(Self.registered.count == PolicyRegistry.builtIn.entries.count - 3)
    }

    @Test("Traces are bundled")
    func traces() { #expect(Self.bundled.count >= 2) }

    @Test("Hits in simulation are hits in the replay that takes no time", arguments: bundled, policies + registered)
    func simulation(path: String, policy: String) throws {
        let trace = try Trace(contentsOf: path)
        let context = PolicyContext(workload: trace.workload(trace.resolvedSizes()))
        let counts = Simulation.run(DenseTrace(trace), try context.policy(policy))
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration("memory: \(policy); holds: encoded"))
        job.timing = .modelled(.instant)
        let result = try job.run(trace)
        #expect(result.counts.requests == counts.requests)
        #expect(result.counts.memoryHits == counts.requests - counts.misses)
        #expect(result.counts.staleHits == counts.staleHits)
        #expect(result.tiers.hitBytes == Int64(counts.requestBytes - counts.missBytes))
        // A second visit has few objects that are asked for three times, which is what `bloom` waits for.
        #expect(policy == "none" || policy.hasPrefix("bloom") || counts.misses < counts.requests)
    }

    @Test("Where caches hold bitmaps, simulation counts bitmaps too", arguments: bundled, ["lru(30MB)", "sieve(20%)"])
    func bitmaps(path: String, policy: String) throws {
        let trace = try Trace(contentsOf: path)
        let context = CacheContext(trace)
        let counts = Simulation.run(DenseTrace(trace, holdsBitmaps: true), try context.decoded.policy(policy))
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration("memory: \(policy)"))
        job.timing = .modelled(.instant)
        let result = try job.run(trace)
        #expect(result.counts.memoryHits == counts.requests - counts.misses)
        #expect(result.counts.memoryHits > 0)
    }

    @Test(
        "The same policy gives the same hits in the kernel, the real memory tier and the real disk tier",
        arguments: policies + registered)
    func realTiers(policy: String) throws {
        // A session without failures, so that the plain loop covers all of it.
        let trace = try Trace(contentsOf: try #require(Self.bundled.first { $0.hasSuffix("photo-feed.jsonl") }))
        let context = PolicyContext(workload: trace.workload(trace.resolvedSizes()))
        let dense = DenseTrace(trace)
        let counts = Simulation.run(dense, try context.policy(policy))
        #expect(dense.exceptions.isEmpty)

        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("agreement-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let memory = MemoryTier(try context.policy(policy))
        let disk = try DiskTier(try context.policy(policy), at: folder, epoch: Date())
        let sizes = try #require(dense.sizes)
        let largest = sizes.max() ?? 0
        let payloads = Dictionary(
            uniqueKeysWithValues: Set(sizes).map { size in
                (size, Payload(count: size) { $0.initializeMemory(as: UInt8.self, repeating: 7) })
            })
        #expect(largest > 0)
        var memoryMisses = 0
        var diskMisses = 0
        for index in dense.objects.indices {
            let key = "\(dense.objects[index])"
            let (time, variant) = (dense.time(of: index), dense.variant(of: dense.objects[index]).rawValue)
            let size = dense.size(of: dense.objects[index])
            let payload = try #require(payloads[size])
            if let hit = memory.payload(for: key, variant: variant, at: time) {
                #expect(hit.payload.count == size)
            } else {
                memoryMisses += 1
                memory.store(payload, for: key, variant: variant, at: time)
            }
            if let hit = try disk.read(key, variant: variant, at: time) {
                #expect(hit.payload.count == size)
            } else {
                diskMisses += 1
                try disk.store(key, payload, variant: variant, at: time)
            }
        }
        #expect(memoryMisses == counts.misses)
        #expect(diskMisses == counts.misses)
        #expect(memory.counts.evictions == counts.evictions)
        #expect(memory.counts.expirations == counts.expirations)
    }

    @Test(
        "A session with removals has the same hits in the kernel and in a replay that takes no time",
        arguments: policies)
    func removals(policy: String) throws {
        var random = SplitMix64(seed: 8)
        var story = Story()
        for step in 0..<3_000 {
            let name = "\(min(random.next() % 90, random.next() % 90))"
            let variant: Variant = random.next() % 3 == 0 ? .thumbnail : .full
            let time = Int64(step) * 20
            if random.next() % 10 == 0 { story.remove(name, at: time) } else { story.appear(name, at: time, variant) }
        }
        let trace = story.trace
        let context = PolicyContext(workload: trace.workload(trace.resolvedSizes()))
        let counts = Simulation.run(DenseTrace(trace), try context.policy(policy))
        let result = try story.replay("memory: \(policy)", .modelled(.instant))
        #expect(result.counts.requests == counts.requests)
        #expect(result.counts.memoryHits == counts.requests - counts.misses)
    }

    /// Keeps an object from its second access on: it learns from misses, which live tiers must tell it of.
    private struct SecondAccess: CachePolicy {
        var kept = LRU(Limits(objects: 30))
        var accesses: [Int: Int] = [:]

        var occupancy: Occupancy { kept.occupancy }
        func contains(_ object: Int) -> Bool { kept.contains(object) }
        mutating func reserve(_ count: Int) { kept.reserve(count) }
        mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
            accesses[access.object, default: 0] += 1
            return kept.lookup(access, &sink)
        }
        mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
            accesses[access.object, default: 0] > 1 && kept.admit(access, &sink)
        }
        mutating func remove(_ object: Int) { kept.remove(object) }
        mutating func clear() {
            kept.clear()
            accesses = [:]
        }
    }

    @Test("A policy that learns from misses has the same hits in the kernel and in the real memory tier")
    func learningFromMisses() throws {
        let dense = DenseTrace(try Trace(contentsOf: try #require(Self.bundled.first)))
        let counts = Simulation.run(dense, SecondAccess())
        let tier = MemoryTier(SecondAccess())
        let payload = Payload(count: 0) { _ in }
        var misses = 0
        for index in dense.objects.indices where tier.payload(for: "\(dense.objects[index])") == nil {
            misses += 1
            tier.store(payload, for: "\(dense.objects[index])")
        }
        #expect(misses == counts.misses)
        #expect(counts.misses < counts.requests)
    }

    static let rules = [
        "", "coalesce: false", "cancelOnDisappear: true", "fetchWhileScrolling: false", "connections: 1; order: lifo",
        "connections: 2; order: visibleFirst; cancelOnDisappear: true; fetchWhileScrolling: false", "store: diskOnly",
        "store: none", "retries: 3", "promote: false; diskLanes: 3",
        "coalesce: false; cancelOnDisappear: true; retries: 1",
    ]

    @Test("Outcomes sum to requests, for every trace and every set of rules", arguments: bundled, rules)
    func outcomes(path: String, rules: String) throws {
        let trace = try Trace(contentsOf: path)
        for timing in [CostModel.standard, .instant] {
            for tiers in [
                "memory: lru(2MB)", "memory: ttl(lru(1MB), lifetime: 30s); disk: lru(8MB)", "memory: none; disk: none",
            ] {
                var job = ReplayJob(trace: "t", cache: try CacheConfiguration("\(tiers); \(rules)"))
                job.timing = .modelled(timing)
                try check(try job.run(trace), trace)
            }
        }
    }

    @Test("Outcomes sum to requests, on traces without rhyme or reason")
    func randomTraces() throws {
        var random = SplitMix64(seed: 4)
        for round in 0..<120 {
            var story = Story(
                network: (0..<6).map {
                    ("\($0 % 4)", Int64(random.next() % 300), [200, 200, 404, 0][Int(random.next() % 4)])
                })
            var time: Int64 = 0
            for _ in 0..<150 {
                time += Int64(random.next() % 60)
                let name = "\(random.next() % 7)"
                switch random.next() % 20 {
                case 0..<9: story.appear(name, at: time, random.next() % 3 == 0 ? .thumbnail : .full)
                case 9..<15: story.disappear(name, at: time, random.next() % 3 == 0 ? .thumbnail : .full)
                case 15: story.prefetch(name, at: time)
                case 16: story.scroll([.dragged, .decelerating, .atRest][Int(random.next() % 3)], at: time)
                case 17: story.append([.memoryWarning, .background, .foreground][Int(random.next() % 3)], at: time)
                case 18: if random.next() % 4 == 0 { story.append(.terminate, at: time) }
                case 19: story.remove(name, at: time)
                default: break
                }
            }
            let cache = "memory: lru(3kB); disk: ttl(lru(4kB), lifetime: 2s); \(Self.rules[round % Self.rules.count])"
            try check(try story.replay(cache), story.trace)
            try check(try story.replay(cache, .modelled(.instant)), story.trace)
        }
    }

    private func check(_ result: RunResult, _ trace: Trace) throws {
        let requests = trace.events.count { if case .appear = $0.action { true } else { false } }
        #expect(result.counts.requests == requests)
        #expect(result.timeline.map(\.requests).reduce(0, +) == requests)
        #expect(result.timeline.map(\.memoryHits).reduce(0, +) == result.counts.memoryHits)
        #expect(result.timeline.map(\.diskHits).reduce(0, +) == result.counts.diskHits)
        #expect(result.blank.blankTime >= 0 && result.blank.blankTime <= result.blank.visibleTime)
        #expect(result.timeline.last?.fetchesInFlight == 0 || result.traceDuration > 0)
        let delivered = result.latencies.filter { $0.group != .all }.map(\.count).reduce(0, +)
        #expect(result.latency(.all).count == delivered)
        #expect(delivered <= requests)
    }

    @Test("Modelled figures are a function of trace, cache and seed", arguments: bundled)
    func determinism(path: String) throws {
        let trace = try Trace(contentsOf: path)
        var job = ReplayJob(
            trace: "t", cache: try CacheConfiguration("memory: lru(2MB); disk: lru(6MB); cancelOnDisappear: true"))
        job.timing = .modelled(.standard)
        let first = try job.run(trace)
        #expect(try job.run(trace) == first)
        #expect(first.machine == nil)
    }
}
