import CachePolicies
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Rules and devices of presets")
struct PresetRuleTests {
    /// Replays requests of objects, with the number of bytes or pixels of each, and events between them.
    private func replay(_ preset: String, _ sizes: [String: Int], _ steps: [(second: Int64, step: String)]) throws
        -> String
    {
        var builder = TraceBuilder()
        for (second, step) in steps {
            let action: TraceEvent.Action
            switch step {
            case "terminate": action = .terminate
            case "background": action = .background
            default:
                let object = builder.object(step)
                let size = try #require(sizes[step])
                builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (size, max(1, size / 4), 1) }
                action = .appear(object, .full)
            }
            builder.append(TraceEvent(time: second * 1_000_000, action))
        }
        var job = ReplayJob(trace: "sequence", cache: try CacheConfiguration(specification: preset))
        job.timing = .modelled(.instant)
        return try job.runRecordingRequests(builder.finish(keepingTimes: true)).requests.map { request in
            request.outcome == .memoryHit ? "M" : request.outcome == .diskHit ? "D" : "-"
        }.joined()
    }

    @Test("The smallest sequences in which presets once differed from their libraries")
    func smallestSequences() throws {
        let sweep = "order: lru, to: 0.7, onStore: false, first: 5s"
        // Nuke counts allocated sizes.
        #expect(
            try replay(
                "nuke-13; memory: none; disk: trim(5000B, \(sweep))", ["A": 2_000, "B": 2_000],
                [(0, "A"), (1, "B"), (2, "terminate"), (10, "A")]) == "---")
        // Nuke sweeps no sooner than 1,800 s after the last sweep.
        #expect(
            try replay(
                "nuke-13; memory: none; disk: trim(8192B, \(sweep), interval: 30min)",
                ["A": 4_096, "B": 4_096, "C": 4_096],
                [(1, "A"), (6, "B"), (7, "C"), (8, "terminate"), (20, "A")]) == "---D")
        // In Glide, what is shown is always a hit.
        #expect(
            try replay(
                "glide; disk: none; memory: lru(100B); entryLimit: 99B", ["A": 40, "B": 40, "C": 40],
                [(0, "A"), (1, "B"), (2, "C"), (3, "A")]) == "---M")
        // Fresco trims before it stores, to less than 90 %.
        let fresco = """
            fresco; memory: none; encodedMemory: none; disk: trim(100B, to: 0.9, below: true, beforeStore: true)
            """
        #expect(try replay(fresco, ["A": 60, "B": 60], [(0, "A"), (1, "B"), (2, "A")]) == "--D")
        #expect(
            try replay(fresco, ["A": 30, "B": 90, "C": 1], [(0, "A"), (1, "B"), (2, "C"), (3, "B")]) == "----")
        // In PINCache, a hit in memory renews the file's date. PINRemoteImage asks the memory cache alone.
        let large = ["A": 20_000_000, "B": 20_000_000, "C": 20_000_000]
        let requests: [(Int64, String)] = [(0, "A"), (1, "B"), (2, "A"), (3, "C"), (4, "background"), (5, "A")]
        #expect(try replay("pincache-3", large, requests) == "--M-D")
        #expect(try replay("pinremoteimage", large, requests) == "--M--")
    }

    @Test("In PINRemoteImage, each delay between attempts is four times the last")
    func retryFactor() throws {
        #expect(try CacheConfiguration(specification: "pinremoteimage").pipeline.retryFactor == 4)
    }

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
        func rules(_ text: String) throws -> MemoryRules { try CacheConfiguration(specification: text).memoryRules }
        #expect(try rules("glide").onWarning == .clear && rules("glide").onBackground == .clear)
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
            ("glide; warningLevel: low", "one of lowMemory, runningCritical"),
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
