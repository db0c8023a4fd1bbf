import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import ImageLibraries
import SessionModel
import Testing
import TraceRecording

@testable import MeasuredTiers
@testable import ReplayEngine

/// Bundled sessions through this machine's NSCache. Run on Linux only: there the class has a model that is known.
@Suite("Sessions through the platform's NSCache")
struct PlatformSessionTests {
    #if os(Linux)
    @Test(
        "A modelled replay has the figures of the model corelibs",
        arguments: [
            ("photo-feed", "cost: 20MB, count: 60"), ("stress-flicks", "cost: 60MB, count: 100"),
        ])
    func modelled(session: String, limits: String) throws {
        let trace = try FilmTests.bundled(session)
        func result(_ model: String) throws -> RunResult {
            var job = ReplayJob(
                trace: "t",
                cache: try CacheConfiguration(
                    "memory: ttl(nscache(\(limits), model: \(model)), lifetime: 5min); disk: lru(8MB)", name: "c"))
            job.timing = .modelled(.standard)
            return try job.run(trace, measured: .real)
        }
        let (real, model) = (try result("platform"), try result("corelibs"))
        #expect(real.counts == model.counts && real.tiers == model.tiers)
        #expect(real.counts.memoryHits > 0 && real.tiers.memoryEvictions > 100)
    }

    @Test(
        "A memory tier has the payloads, hits and evictions of the model", arguments: ["photo-feed", "stress-flicks"])
    func memoryTier(session: String) throws {
        let trace = try FilmTests.bundled(session)
        let tiers = try ["platform", "corelibs"].map {
            MemoryTier(try PolicyContext().policy("nscache(cost: 3MB, count: 60, model: \($0))"))
        }
        let sizes = trace.resolvedSizes().bytes
        var hits = [0, 0]
        for event in trace.events {
            guard case .appear(let id, _) = event.action else { continue }
            let object = Int(id)
            let key = trace.objects[object].key
            for (index, tier) in tiers.enumerated() {
                if let hit = tier.payload(for: key, at: event.time) {
                    hits[index] += 1
                    #expect(hit.payload.count == Int(sizes[object]) && hit.payload.bytes.first == UInt8(object % 256))
                } else {
                    tier.store(
                        Payload(count: Int(sizes[object])) {
                            _ = $0.initializeMemory(as: UInt8.self, repeating: UInt8(object % 256))
                        }, for: key, at: event.time)
                }
            }
            #expect(tiers[0].occupancy == tiers[1].occupancy)
        }
        #expect(hits[0] == hits[1] && hits[0] > 0)
        #expect(tiers[0].counts == tiers[1].counts && tiers[0].counts.evictions > 0)
    }

    @Test("A measured replay delivers the right bytes, and has the hits of the modelled one where timing cannot matter")
    func measured() async throws {
        var story = Story(network: ["A", "B", "C", "D"].map { ($0, 10, 200) })
        for (second, name) in "ABCADCBADBCAAD".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        let cache = "memory: ttl(nscache(count: 2, model: platform), lifetime: 60s); disk: lru(2kB)"
        let trace = story.trace
        let measured = try await replayed(trace, cache) { try $0.run(trace, measured: .real) }.result
        let modelled = try story.replay(cache.replacing("platform", with: "corelibs"))
        #expect(measured.counts.memoryHits == modelled.counts.memoryHits)
        #expect(measured.counts.diskHits == modelled.counts.diskHits)
        #expect(measured.tiers.memoryEvictions == modelled.tiers.memoryEvictions)
        #expect(measured.counts.wrong == 0 && measured.counts.memoryHits > 0 && measured.tiers.memoryEvictions > 0)
    }
    #endif

    @Test("A chosen model replaces the plausible ones, where a preset rests on Darwin's NSCache")
    func chosen() throws {
        let preset = try CacheConfiguration(specification: "kingfisher-8; memory: 20MB").choosing(
            "fifo")
        #expect(preset.name == "kingfisher-8; memory: 20MB [fifo]" && preset.model == nil)
        #expect(try preset.canonical(for: PolicyContext()).contains("model: fifo"))
        // The class names no victim, so no preset may need one.
        for preset in CachePreset.all where preset.restsOnDarwinNSCache {
            let cache = try CacheConfiguration(preset).choosing("platform")
            #expect(cache.chosenNSCache != nil)
            try cache.check(in: preset.name, tiers: [], .builtIn)
        }
        for other in ["lru(20MB)", "nuke-13", "nscache(cost: 20MB)", "kingfisher-8; memory: nscache(model: corelibs)"] {
            let cache = try CacheConfiguration(specification: other)
            #expect(cache.choosing("fifo") == cache, "\(other)")
        }
    }
}
