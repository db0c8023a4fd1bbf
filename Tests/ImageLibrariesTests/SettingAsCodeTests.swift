import Foundation
import ReplayEngine
import Testing

@testable import ImageLibraries

@Suite("Settings as code")
struct SettingAsCodeTests {
    private func setting(_ cache: String) throws -> SettingAsCode {
        try #require(try SettingAsCode(CacheConfiguration(specification: cache)))
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

    @Test("Glide: the classes that the code does not mention are not imported, and statements are in one method")
    func glide() throws {
        let setting = try setting("glide; memory: 32MB")
        #expect(setting.unsupported.isEmpty, "the largest entry follows the limit")
        #expect(
            setting.code == """
                import android.content.Context
                import com.bumptech.glide.GlideBuilder
                import com.bumptech.glide.annotation.GlideModule
                import com.bumptech.glide.load.engine.cache.LruResourceCache
                import com.bumptech.glide.module.AppGlideModule

                @GlideModule
                class CacheLimits : AppGlideModule() {
                    override fun applyOptions(context: Context, builder: GlideBuilder) {
                        builder.setMemoryCache(LruResourceCache(32000000L))
                    }
                }

                """)
    }

    @Test(
        "Each value has its statement in the language of the library, and what has none is a sentence",
        arguments: [
            ("sdwebimage-5; memory: 64MB", "config.maxMemoryCost = 64000000\n", nil),
            (
                "sdwebimage-5; disk: ttl(lru(200MB), lifetime: 1d)", "config.maxDiskAge = 86400\n",
                "The library decides what leaves disk, not ttl(lru(200MB), lifetime: 1d)."
            ),
            ("nuke-13; memory: 64MiB; disk: 300MB", "ImageCache.shared.costLimit = 67108864\n", nil),
            ("nuke-13; disk: 300MB", "dataCache as? DataCache)?.sizeLimit = 300000000\n", nil),
            (
                "nuke-default; memory: 64MiB; disk: 300MB", "ImageCache.shared.costLimit = 67108864\n",
                "No statement is known that sets the limit in bytes of disk: 300MB."
            ),
            ("nuke-13; order: lifo", "", "No statement is known that sets order: lifo."),
            ("kingfisher-8; order: visibleFirst", "", "No statement is known that sets order: visibleFirst."),
            (
                "kingfisher-8; memoryOnBackground: keep",
                "cache.memoryStorage.config.keepWhenEnteringBackground = true\n", nil
            ),
            // A trim leaves 60 % of the limit, as by default.
            (
                "alamofireimage-4; memory: 32000001B",
                "memoryCapacity: 32000001, preferredMemoryUsageAfterPurge: 19200000)\n", nil
            ),
            ("coil-3; memory: 64MiB", "    .maxSizeBytes(67108864L)\n", nil),
            ("coil-3-ios; memory: 64MiB; coalesce: true", "DeDupeConcurrentRequestStrategy\n", nil),
            ("fresco; memory: 32MB", "        MemoryCacheParams(32000000, 256, Int.MAX_VALUE, ", nil),
            ("fresco; disk: 100MB", ".setMaxCacheSize(100000000L).build())\n", nil),
            ("urlcache; memory: 8MB", "URLCache.shared.memoryCapacity = 8000000\n", nil),
            ("nscache-100mb; memory: 20MB", "cache.totalCostLimit = 20000000\n", nil),
            (
                "flutter-3; memory: lru(64MiB, 200 objects)",
                "cache.maximumSizeBytes = 67108864;\ncache.maximumSize = 200;\n", nil
            ),
            (
                "expo-image-ios; disk: ttl(lru(200MB), lifetime: 7d)", "  maxDiskSize: 200000000,\n",
                "The library decides what leaves disk"
            ),
            ("rn-image-ios; memory: 40MiB", "RCTSetImageCacheLimits(41943040 / 10, 41943040)\n", nil),
            ("picasso-3; memory: 32MiB", "    .withCacheSize(33554432)\n", nil),
            (
                """
                cached-network-image-3; disk: idle-trim(count: 500, idle: 1d, lifetime: 30d, delay: 10s, batch: 100); \
                connections: 6
                """, "HttpFileService()..concurrentFetches = 6, maxNrOfCacheObjects: 500,));\n", nil
            ),
            (
                "cached-network-image-3; disk: lru(100MB)", "",
                "No statement sets the limit in bytes of disk: 100MB. Config has no limit in bytes:"
            ),
            (
                "expo-image-android; memory: lru(30MB); store: memoryAndDisk; promote: true",
                "cachePolicy=\"memory-disk\" />",
                "No statement sets the limit in bytes of memory: 30MB. "
            ),
            (
                "chromium; disk: 300MB; diskEntryLimit: 37500kB", "chromium --disk-cache-size=300000000\n",
                "No statement sets diskEntryLimit: 37500kB. Chromium derives it from the size of the cache, as an "
            ),
            // A share of a working set, and a fraction of a second.
            ("nuke-13; memory: 5%", "", "No statement is known that sets the limit in bytes of memory: 5%."),
            (
                "nuke-13; memory: ttl(lru(1MB), lifetime: 500ms)", "",
                "No statement is known that sets the lifetime of memory: 500ms."
            ),
        ] as [(String, String, String?)])
    func statements(cache: String, code: String, sentence: String?) throws {
        let setting = try setting(cache)
        #expect(code.isEmpty || setting.code.contains(code), "\(setting.code)")
        if let sentence {
            #expect(setting.unsupported.contains { $0.hasPrefix(sentence) }, "\(setting.unsupported)")
        } else {
            #expect(setting.unsupported.isEmpty, "\(setting.unsupported)")
        }
    }

    @Test(
        "Connections, the order and lifetimes of another value",
        arguments: [
            ("kingfisher-8", "connectionsPerHost=12", "configuration.httpMaximumConnectionsPerHost = 12\n"),
            ("kingfisher-8", "lifetime=never", "cache.memoryStorage.config.expiration = .never\n"),
            ("sdwebimage-5", "connections=12", "shared.config.maxConcurrentDownloads = 12\n"),
            ("sdwebimage-5", "order=lifo", "shared.config.executionOrder = .lifoExecutionOrder\n"),
            ("sdwebimage-5", "lifetime=never", "config.maxDiskAge = -1\n"),
            ("nuke-13", "connections=8", "dataLoadingQueue.maxConcurrentOperationCount = 8\n"),
            ("alamofireimage-4", "connections=8", "maximumActiveDownloads: 8, imageCache: imageCache)\n"),
            ("alamofireimage-4", "order=lifo", "downloadPrioritization: .lifo, "),
            ("alamofireimage-4", "connectionsPerHost=8", "configuration.httpMaximumConnectionsPerHost = 8\n"),
            ("urlcache", "connectionsPerHost=4", "let session = URLSession(configuration: configuration)\n"),
            ("corelibs-urlcache", "connectionsPerHost=4", "import FoundationNetworking\n"),
            ("coil-3", "connections=8", "Dispatcher().apply { maxRequests = 8; maxRequestsPerHost = 8 })\n"),
            ("glide", "connections=8", "GlideExecutor.newSourceBuilder().setThreadCount(8).build())\n"),
            ("fresco", "connections=8", ".setNetworkFetcher(OkHttpNetworkFetcher(OkHttpClient.Builder()\n"),
        ])
    func fetches(preset: String, value: String, code: String) throws {
        let sides = value.split(separator: "=").map(String.init)
        let cache = try CacheConfiguration(specification: preset).sweeping(
            SweptValue(parameter: sides[0], value: sides[1]))
        let setting = try #require(try SettingAsCode(cache))
        #expect(setting.unsupported.isEmpty && setting.code.contains(code), "\(setting)")
    }

    @Test("No limit is no statement with a huge number")
    func unlimited() throws {
        let unlimited = SweptValue(parameter: "memory", value: SweptValue.unlimited)
        let setting = try #require(try SettingAsCode(CacheConfiguration(specification: "nuke-13").sweeping(unlimited)))
        #expect(setting.code.isEmpty)
        #expect(setting.unsupported.contains("No statement is known that removes the limit in bytes of memory."))
    }

    @Test("A preset as it is has no code; a cache without a preset, or of a library without statements, has no setting")
    func nothing() throws {
        let same = try setting("kingfisher-8")
        #expect(same.code.isEmpty && same.unsupported.isEmpty)
        #expect(try SettingAsCode(CacheConfiguration(specification: "lru(20MB)")) == nil)
        #expect(try SettingAsCode(CacheConfiguration(specification: "yycache; memory: lru(20MB)")) == nil)
    }

    @Test(
        "Each library's presets exist, and each asked value is in the code or in a sentence",
        arguments: [
            "kingfisher-8", "sdwebimage-5", "sdwebimage-5.19", "nuke-12", "nuke-13", "nuke-default", "coil-3",
            "alamofireimage-4", "urlcache", "corelibs-urlcache", "ttl-two-tier", "coalescing-memory",
            "coalescing-memory-as-written", "nscache-100mb", "glide", "fresco", "flutter-3", "expo-image-ios",
            "rn-image-ios", "rn-image-android", "fast-image-ios", "fast-image-android", "picasso-2", "picasso-3",
            "coil-3-ios", "cached-network-image-3", "expo-image-android", "chromium",
        ])
    func conformance(name: String) throws {
        #expect(LibrarySetting.all.flatMap(\.presets).filter { $0 == name }.count == 1)
        let setting = try setting(
            "\(name); memory: ttl(lru(12345678B, 77 objects), lifetime: 99s); "
                + "disk: ttl(lru(87654321B), lifetime: 88s); connections: 7")
        let all = ([setting.code] + setting.unsupported).joined(separator: "\n")
        for value in ["12345678", "77", "99", "87654321", "88"] {
            #expect(all.contains(value), "\(name) lacks \(value): \(all)")
        }
        #expect(all.contains("connections: 7") != all.contains(/(= |: |\()7[;,)\n]/), "\(name): \(all)")
        #expect(!setting.code.contains("#") && !setting.code.contains(",@"))
        #expect(setting.code.count { $0 == "(" } == setting.code.count { $0 == ")" })
    }

    @Test(
        "Swift's compiler parses the code",
        arguments: LibrarySetting.all.filter { $0.language == .swift }.map { $0.presets[0] })
    func parses(name: String) throws {
        let compiler = try #require(
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }, "swiftc is not in PATH")
        let setting = try setting(
            """
            \(name); memory: ttl(lru(20MB, 50 objects), lifetime: 60s); connections: 7; connectionsPerHost: 7; \
            order: lifo
            """)
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
