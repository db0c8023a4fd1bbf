import CachePolicies
import CacheTiers
import Foundation
import MeasuredTiers
import Testing

/// A memory tier whose payloads live in this machine's NSCache.
@Suite("Payloads in NSCache")
struct ExchangedPayloadTests {
    private func payload(_ byte: UInt8, count: Int = 4) -> Payload {
        Payload(count: count) { _ = $0.initializeMemory(as: UInt8.self, repeating: byte) }
    }

    @Test(
        "The class alone holds a payload, also behind lifetimes and splits",
        arguments: [
            "nscache(count: 2, model: platform)",
            "ttl(nscache(count: 2, model: platform), lifetime: 5s)",
            """
            split(thumbnail: nscache(count: 1, model: platform), \
            full: ttl(nscache(count: 2, model: platform), lifetime: 5s))
            """,
        ])
    func alone(specification: String) throws {
        let tier = MemoryTier(try PolicyContext().policy(specification))
        weak var witness: Payload?
        do {
            let first = payload(1)
            witness = first
            #expect(tier.store(first, for: "a"))
        }
        #expect(witness != nil)
        #expect(tier.payload(for: "a")?.payload === witness)
        #expect(tier.occupancy == Occupancy(objects: 1, bytes: 4))
        tier.remove("a")
        #expect(witness == nil)
        #expect(tier.payload(for: "a") == nil && tier.occupancy == Occupancy())
        #expect(tier.counts.evictions == 0)
    }

    @Test("A shown payload is outside of the class, and returns to it")
    func shown() throws {
        let tier = MemoryTier(try PolicyContext().policy("nscache(model: platform)"), pinsShown: true)
        let first = payload(9)
        tier.store(first, for: "a")
        tier.show("a")
        tier.clear()
        #expect(tier.payload(for: "a")?.payload === first)
        tier.hide("a")
        #expect(tier.payload(for: "a")?.payload === first)
        tier.clear()
        #expect(tier.payload(for: "a") == nil)
    }

    #if os(Linux)
    /// Costs of 4: the class on Linux evicts the newest of equal costs first.
    @Test("On Linux, the tier's journal and counts are those of the model corelibs")
    func journal() throws {
        func history(_ model: String) throws -> [String] {
            let tier = MemoryTier(try PolicyContext().policy("nscache(cost: 20B, count: 4, model: \(model))"))
            tier.startJournal(objects: 10)
            var lines: [String] = []
            for step in 0..<2_000 {
                let key = "\(step * 7 % 10)\(step % 3)"
                let size = 1 + step * 5 % 9
                let hit = tier.payload(for: key, at: Int64(step))
                let miss = tier.withJournal { $0.lastMiss }
                lines.append("\(key) \(hit.map { "\($0.payload.bytes[0])" } ?? "\(String(describing: miss?.absence))")")
                if hit == nil {
                    lines.append("\(tier.store(payload(UInt8(step % 256), count: size), for: key, at: Int64(step)))")
                }
                lines.append("\(tier.occupancy) \(tier.counts)")
            }
            return lines
        }
        let (real, model) = (try history("platform"), try history("corelibs"))
        #expect(real == model)
        #expect(real.contains { $0.contains("evicted") })
    }
    #endif
}
