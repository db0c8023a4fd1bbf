import CachePolicies
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Rules and devices of presets")
struct PresetRuleTests {
    @Test(
        "Facts of a device set the limits of presets",
        arguments: [
            ("nuke-12; ram: 512MB", "trim(51200000B, order: lru)"),
            ("nuke-12; ram: 512MiB", "trim(53687091B, order: lru)"),
            ("nuke-12; ram: 600MB", "trim(120000000B, order: lru)"),
            ("nuke-12; ram: 8GB", "trim(536870912B, order: lru)"),
            ("nuke-13; ram: 1GB", "trim(150000000B, order: clock)"),
            ("glide", "lru(20736000B)"), ("glide; screen: 720x1280", "lru(7372800B)"),
            // 40 % of 64 MiB less 4 MiB, of which two thirds are the cache's.
            ("glide; memoryClass: 64MiB", "lru(15099494B)"), ("coil-3; memoryClass: 100MB", "lru(20000000B)"),
            ("fresco; memoryClass: 48MiB", "lru(6291456B, 256 objects)"),
            ("fresco; memoryClass: 16MiB", "lru(4194304B, 256 objects)"),
        ])
    func devices(text: String, memory: String) throws {
        #expect(try CacheConfiguration(specification: text).memory.description == memory)
    }

    @Test("The levels of Android's calls decide what a warning and the background do")
    func levels() throws {
        func rules(_ text: String) throws -> MemoryRules {
            try CacheConfiguration(specification: text).resolvingShares(in: CacheContext(PolicyContext())).memoryRules
        }
        // A running app receives no call since Android 14.
        #expect(try rules("glide").onWarning == .keep && rules("glide").onBackground == .clear)
        #expect(try rules("coil-3").onWarning == .keep && rules("coil-3").onBackground == .clear)
        #expect(try rules("glide; warningLevel: lowMemory").onWarning == .clear)
        #expect(try rules("coil-3; warningLevel: lowMemory").onWarning == .clear)
        // Half of the limit of 20,736,000 bytes.
        #expect(try rules("glide; warningLevel: runningCritical").onWarning == .trim(to: 10_368_000))
        #expect(try rules("glide; backgroundLevel: uiHidden").onBackground == .trim(to: 10_368_000))
        #expect(try rules("coil-3; warningLevel: runningCritical").onWarning == .trimToShare(0.5))
        #expect(try rules("coil-3; backgroundLevel: uiHidden").onBackground == .keep)
        #expect(try rules("fresco").onWarning == .keep && rules("fresco").onBackground == .keep)
        #expect(try rules("fresco").encodedMemory == 4 << 20)
        #expect(try rules("fresco; memoryClass: 20MiB").encodedMemory == 2 << 20)
    }

    @Test(
        "A wrong fact of a device names the values",
        arguments: [
            ("glide; screen: 1080", "screen is a size in pixels such as 1080x2400"),
            ("glide; screen: 0x5", "screen is a size in pixels"), ("glide; memoryClass: 0B", "memoryClass is a size"),
            ("glide; warningLevel: low", "one of none, lowMemory, runningCritical"),
            ("glide; screen: 1x1; screen: 2x2", "'screen' is given twice"),
            ("lru(1MB); memoryClass: 64MiB", "memoryClass is for presets"),
            ("lru(1MB); ram: 4GB", "ram is for presets"),
        ])
    func wrongDevices(text: String, message: String) {
        let error = #expect(throws: SpecError.self) { try CacheConfiguration(specification: text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("Facts that were executed name the library and its version")
    func executedFacts() throws {
        let facts = CachePreset.all.flatMap(\.facts)
        #expect(facts.allSatisfy { ($0.certainty == .executed) == ($0.library != nil) })
        let libraries = Set(facts.compactMap(\.library))
        for library in ["Nuke 12.8.0", "Nuke 13.2.0", "Kingfisher 8.11.0", "Glide 5.0.9", "Coil 3.5.0", "Fresco 3.7.0"]
        {
            #expect(libraries.contains(library))
        }
        // Every library that ran has a recording.
        for recorded in LibraryCase.all where !recorded.library.hasPrefix("Foundation") {
            #expect(libraries.contains { recorded.library.hasPrefix($0) }, "\(recorded.library)")
        }
    }
}
