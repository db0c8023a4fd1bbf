import Foundation
import Testing

@testable import ReplayEngine

@Suite("Settings as code")
struct SettingAsCodeTests {
    private func setting(_ cache: String) throws -> SettingAsCode {
        try #require(try SettingAsCode(CacheConfiguration(cache)))
    }

    @Test("Kingfisher: limits and lifetimes are statements; what the library decides is a sentence")
    func kingfisher() throws {
        let setting = try setting("kingfisher-8; memory: 64MB; disk: ttl(lru(500MB), lifetime: 3d); connections: 4")
        #expect(
            setting.code == """
                import Kingfisher

                let cache = ImageCache.default
                cache.memoryStorage.config.totalCostLimit = 64000000
                cache.diskStorage.config.sizeLimit = 500000000
                cache.diskStorage.config.expiration = .seconds(259200)

                """)
        #expect(
            setting.unsupported == [
                "The library decides what leaves disk, not ttl(lru(500MB), lifetime: 3d).",
                "No statement is known that sets connections: 4.",
            ])
    }

    @Test("SDWebImage: limits of both tiers")
    func sdWebImage() throws {
        let setting = try setting("sdwebimage-5; memory: 64MB; disk: ttl(lru(200MB), lifetime: 1d)")
        #expect(
            setting.code == """
                import SDWebImage

                let config = SDImageCache.shared.config
                config.maxMemoryCost = 64000000
                config.maxDiskSize = 200000000
                config.maxDiskAge = 86400

                """)
        #expect(setting.unsupported == ["The library decides what leaves disk, not ttl(lru(200MB), lifetime: 1d)."])
    }

    @Test("Nuke: a limit in memory is a statement; one on disk is a sentence")
    func nuke() throws {
        let setting = try setting("nuke-13; memory: 64MiB; disk: 300MB")
        #expect(setting.code == "import Nuke\n\nImageCache.shared.costLimit = 67108864\n")
        #expect(setting.unsupported == ["No statement is known that sets the limit in bytes of disk: 300MB."])
    }

    @Test("Coil: a limit in memory, in Kotlin")
    func coil() throws {
        let setting = try setting("coil-3; memory: 64MiB")
        #expect(setting.language == .kotlin && setting.unsupported.isEmpty)
        #expect(
            setting.code == """
                import coil3.memory.MemoryCache

                val memoryCache = MemoryCache.Builder()
                    .maxSizeBytes(67108864L)
                    .build()

                """)
    }

    @Test("A preset as it is has no code; a cache without a preset, or of a library without statements, has no setting")
    func nothing() throws {
        let same = try setting("kingfisher-8")
        #expect(same.code.isEmpty && same.unsupported.isEmpty)
        #expect(try SettingAsCode(CacheConfiguration("lru(20MB)")) == nil)
        #expect(try SettingAsCode(CacheConfiguration("glide; memory: 20MB")) == nil)
    }

    @Test("A share of a working set and a fraction of a second are sentences")
    func notNumbers() throws {
        let setting = try setting("nuke-13; memory: ttl(lru(5%), lifetime: 500ms)")
        #expect(setting.code.isEmpty)
        #expect(setting.unsupported.contains("No statement is known that sets the limit in bytes of memory: 5%."))
        #expect(setting.unsupported.contains("No statement is known that sets the lifetime of memory: 500ms."))
    }

    @Test(
        "Each library's presets exist, and each asked value is in the code or in a sentence",
        arguments: [
            "kingfisher-8", "sdwebimage-5", "sdwebimage-5.19", "nuke-12", "nuke-13", "nuke-default", "coil-3",
        ])
    func conformance(name: String) throws {
        #expect(LibrarySetting.all.flatMap(\.presets).filter { $0 == name }.count == 1)
        let setting = try setting(
            "\(name); memory: ttl(lru(12345678B, 77 objects), lifetime: 99s); "
                + "disk: ttl(lru(87654321B), lifetime: 88s); connections: 3")
        let all = ([setting.code] + setting.unsupported).joined(separator: "\n")
        for value in ["12345678", "77", "99", "87654321", "88", "connections: 3"] {
            #expect(all.contains(value), "\(name) lacks \(value): \(all)")
        }
        #expect(!setting.code.contains("#"))
        #expect(setting.code.count { $0 == "(" } == setting.code.count { $0 == ")" })
    }

    @Test("Swift's compiler parses the code", arguments: ["kingfisher-8", "sdwebimage-5", "nuke-13"])
    func parses(name: String) throws {
        let compiler = try #require(
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }, "swiftc is not in PATH")
        let setting = try setting("\(name); memory: ttl(lru(20MB, 50 objects), lifetime: 60s)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: compiler)
        process.arguments = ["-frontend", "-parse", "-"]
        let input = Pipe()
        process.standardInput = input
        try process.run()
        input.fileHandleForWriting.write(Data(setting.code.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(setting.code)")
    }
}
