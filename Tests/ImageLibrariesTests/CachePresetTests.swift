import CachePolicies
import Foundation
import ImageLibraries
import ReplayEngine
import SessionModel
import Testing

@Suite("Presets")
struct CachePresetTests {
    @Test("Each preset is a valid cache and has facts", arguments: CachePreset.all.map(\.name))
    func isWhole(name: String) throws {
        let preset = try CachePreset.named(name)
        let cache = try CacheConfiguration(preset)
        #expect(cache.name == name)
        #expect(!preset.facts.isEmpty && !preset.source.isEmpty && preset.summary.hasSuffix("."))
        let context = PolicyContext()
        _ = try context.policy(cache.memory)
        _ = try cache.disk.map { try context.policy($0) }
        // The canonical text describes the same cache.
        let again = try CacheConfiguration(try cache.canonical(for: context), name: name)
        #expect(try again.canonical(for: context) == cache.canonical(for: context))
    }

    @Test("Names are unique, and each as-written preset has an intended counterpart")
    func names() throws {
        let names = CachePreset.all.map(\.name)
        #expect(Set(names).count == names.count)
        for name in names where name.hasSuffix("-as-written") {
            #expect(names.contains(String(name.dropLast("-as-written".count))))
        }
        for name in [
            "kingfisher-8", "nuke-12", "nuke-13", "sdwebimage-5", "sdwebimage-5.19", "yycache", "glide", "coil-3",
            "fresco",
        ] {
            #expect(names.contains(name))
        }
    }

    @Test("Every preset of the sources is in CachePreset.all")
    func listed() throws {
        let folder = URL(fileURLWithPath: "\(#filePath)/../../../Sources/ImageLibraries/Presets").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let names = try files.filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(
                of: /CachePreset(?:\.onDarwinNSCache)?\(\s*"([^"]+)"/
            ).map { String($0.1) }
        }
        #expect(names.count >= 25)
        for name in names {
            #expect(CachePreset.all.contains { $0.name == name }, "the list of \(name) is not in CachePreset.all")
        }
    }

    @Test("Each preset knows the platforms of its apps, and no library of one system is that of the other")
    func platforms() throws {
        func names(_ platform: AppPlatform) -> [String] {
            CachePreset.all.filter { $0.platforms.contains(platform) }.map(\.name)
        }
        for preset in CachePreset.all {
            #expect(preset.platforms.contains(.android) == (preset.family == .android), "\(preset.name)")
            let others: Set<AppPlatform> =
                switch preset.family {
                case .android: [.ios, .any]
                case .crossPlatform: [.ios, .android, .any]
                default: [.android, .any]
                }
            #expect(preset.platforms.isDisjoint(with: others), "\(preset.name)")
        }
        #expect(
            names(.reactNative) == [
                "sdwebimage-5", "glide", "fresco", "expo-image-ios", "expo-image-android", "rn-image-ios",
                "rn-image-android", "fast-image-ios", "fast-image-android",
            ])
        #expect(names(.flutter) == ["flutter-3", "cached-network-image-3"])
        #expect(names(.compose) == ["coil-3", "coil-3-ios"])
        #expect(!names(.ios).contains("corelibs-urlcache"))
        // A preset with another limit is still a library, and a policy is none.
        let glide = try CacheConfiguration(specification: "glide; memory: 8MB")
        #expect(AppPlatform.allCases.filter(glide.isAvailable) == [.android, .reactNative, .any])
        let policy = try CacheConfiguration(specification: "lru(8MB)")
        #expect(AppPlatform.allCases.allSatisfy(policy.isAvailable))
        // Apps of Apple's systems record with a library; other recorders work everywhere.
        #expect(AppPlatform(recorder: "SessionRecorder 1") == .ios)
        #expect([nil, "Playwright 1.65.1"].allSatisfy { AppPlatform(recorder: $0) == .any })
    }

    @Test("Each preset says whether requests are coalesced, and coil-3 has each request fetch for itself")
    func coalescing() throws {
        for preset in CachePreset.all {
            let facts = preset.facts.map { "\($0.parameter) \($0.value)".lowercased() }
            #expect(facts.contains { $0.contains("coalesc") }, "\(preset.name)")
        }
        let apart = try CachePreset.all.filter { try !CacheConfiguration($0).pipeline.coalesce }.map(\.name)
        #expect(
            apart == [
                "yywebimage", "urlcache", "corelibs-urlcache", "coil-3", "rn-image-ios", "coil-3-ios", "two-tier",
                "two-tier-as-written",
            ])
        let joined = try CachePreset.all.filter { try CacheConfiguration($0).pipeline.coalesceDisk }.map(\.name)
        #expect(
            joined == [
                "nuke-12", "nuke-13", "nuke-default", "alamofireimage-4", "glide", "fresco", "expo-image-android",
                "rn-image-android", "fast-image-android", "cached-network-image-3",
            ])
    }

    @Test("Rules after a preset's name replace its rules, and ram: sets the memory of the device")
    func overridden() throws {
        let cache = try CacheConfiguration(specification: "kingfisher-8; ram: 4GB; connections: 4")
        #expect(cache.memory.description.contains("nscache(cost: 1000000000B, model: lru)"))
        #expect(cache.pipeline.connections == 4)
        #expect(cache.memoryRules.cost == .decoded)
        #expect(cache.preset == "kingfisher-8")
        #expect(cache.name == "kingfisher-8; ram: 4GB; connections: 4")
    }

    @Test(
        "A wrong version lists the existing versions, and a wrong name the nearest name",
        arguments: [
            ("kingfisher-7", "the presets of kingfisher are: kingfisher-8"),
            ("nuke-11; connections: 2", "the presets of nuke are: nuke-12, nuke-13, nuke-default"),
            ("kingfischer-8", "did you mean 'kingfisher-8'?"),
            ("sdwebimage-4", "the presets of sdwebimage are: sdwebimage-5, sdwebimage-5.19"),
            ("lrv", "did you mean 'lru'"),
        ])
    func wrongNames(text: String, message: String) {
        let error = #expect(throws: SpecError.self) { try CacheConfiguration(specification: text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("Models of NSCache differ only in the policy and the name")
    func models() throws {
        let cache = try CacheConfiguration(specification: "kingfisher-8")
        let fifo = cache.with(.fifo)
        #expect(fifo.memory.description == cache.memory.description.replacing("model: lru", with: "model: fifo"))
        #expect(fifo.name == "kingfisher-8 [fifo]")
        #expect(fifo.pipeline == cache.pipeline)
    }

    @Test(
        "A preset rests on Darwin's NSCache only as long as its memory policy is that class",
        arguments: [
            ("kingfisher-8", NSCacheModelChoice.lru), ("kingfisher-8; memory: nscache(cost: 2MB)", .lru),
            ("kingfisher-8; memory: ttl(nscache(cost: 2MB, model: fifo), lifetime: 60s)", .fifo),
            ("kingfisher-8; memory: lru(2MB)", nil), ("kingfisher-8; memory: nscache(cost: 2MB, model: corelibs)", nil),
            ("nscache(cost: 2MB)", nil),
        ])
    func replacedMemory(text: String, model: NSCacheModelChoice?) throws {
        #expect(try CacheConfiguration(specification: text).model == model)
    }

    @Test("Results report the model of NSCache, and evictions show whether its limit was reached")
    func model() throws {
        func result(_ cache: String) throws -> RunResult {
            var builder = TraceBuilder()
            for number in 0..<5 {
                let object = builder.object("\(number)")
                builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (100, 10, 10) }
                builder.append(TraceEvent(time: Int64(number), .appear(object, .full)))
            }
            var job = ReplayJob(trace: "five", cache: try CacheConfiguration(specification: cache))
            job.timing = .modelled(.instant)
            return try job.run(builder.finish())
        }
        let unbound = try result("kingfisher-8")
        #expect(unbound.nsCacheModel == .lru)
        #expect(unbound.tiers.memoryEvictions == 0)
        // A quarter of 4,000 bytes holds two bitmaps of 400 bytes.
        #expect(try result("kingfisher-8; ram: 4000B").tiers.memoryEvictions == 3)
        #expect(try result("nuke-13").nsCacheModel == nil)
    }
}
