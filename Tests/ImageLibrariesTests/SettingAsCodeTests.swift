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

    /// The code for other values of a preset's connections, order or lifetimes, which must all have statements.
    private func code(_ preset: String, _ values: String...) throws -> String {
        let swept = values.map { text in
            let sides = text.split(separator: "=").map(String.init)
            return SweptValue(parameter: sides[0], value: sides[1])
        }
        let setting = try #require(try SettingAsCode(CacheConfiguration(specification: preset).sweeping(swept)))
        #expect(setting.unsupported.isEmpty, "\(setting.unsupported)")
        return setting.code
    }

    @Test("Kingfisher: a new configuration of its session, and objects that never expire")
    func kingfisherFetches() throws {
        let session = """
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 12
            ImageDownloader.default.sessionConfiguration = configuration

            """
        #expect(
            try code("kingfisher-8", "connectionsPerHost=12") == "import Foundation\nimport Kingfisher\n\n\(session)")
        #expect(
            try code("kingfisher-8", "lifetime=never", "connectionsPerHost=12") == """
                import Foundation
                import Kingfisher

                let cache = ImageCache.default
                cache.memoryStorage.config.expiration = .never
                cache.diskStorage.config.expiration = .never

                \(session)
                """)
        let order = try setting("kingfisher-8; order: visibleFirst")
        #expect(order.code.isEmpty && order.unsupported == ["No statement is known that sets order: visibleFirst."])
    }

    @Test("SDWebImage, Nuke and AlamofireImage: connections, and the order where the library has one")
    func appleFetches() throws {
        #expect(
            try code("sdwebimage-5", "connections=12", "order=lifo", "lifetime=never") == """
                import SDWebImage

                let config = SDImageCache.shared.config
                config.maxDiskAge = -1

                SDWebImageDownloader.shared.config.maxConcurrentDownloads = 12
                SDWebImageDownloader.shared.config.executionOrder = .lifoExecutionOrder

                """)
        #expect(
            try code("nuke-13", "connections=8") == """
                import Nuke

                ImagePipeline.shared.configuration.dataLoadingQueue.maxConcurrentOperationCount = 8

                """)
        #expect(
            try code("alamofireimage-4", "connections=8", "order=lifo", "connectionsPerHost=8") == """
                import AlamofireImage
                import UIKit

                let configuration = ImageDownloader.defaultURLSessionConfiguration()
                var imageCache = AutoPurgingImageCache()
                configuration.httpMaximumConnectionsPerHost = 8
                UIImageView.af.sharedImageDownloader = ImageDownloader(
                    configuration: configuration, downloadPrioritization: .lifo, maximumActiveDownloads: 8, \
                imageCache: imageCache)

                """)
        #expect(try setting("nuke-13; order: lifo").unsupported == ["No statement is known that sets order: lifo."])
    }

    @Test("URLSession: connections to one host")
    func sessions() throws {
        let session = """
            let configuration = URLSessionConfiguration.default
            configuration.httpMaximumConnectionsPerHost = 4
            let session = URLSession(configuration: configuration)

            """
        #expect(try code("urlcache", "connectionsPerHost=4") == "import Foundation\n\n\(session)")
        #expect(
            try code("corelibs-urlcache", "connectionsPerHost=4") == "import FoundationNetworking\n\n\(session)")
    }

    @Test("Coil, Glide and Fresco: connections")
    func androidFetches() throws {
        #expect(
            try code("coil-3", "connections=8") == """
                import coil3.network.okhttp.OkHttpNetworkFetcherFactory
                import okhttp3.Dispatcher
                import okhttp3.OkHttpClient

                val client = OkHttpClient.Builder()
                    .dispatcher(Dispatcher().apply { maxRequests = 8; maxRequestsPerHost = 8 })
                    .build()
                // A component of the ImageLoader.
                val fetcherFactory = OkHttpNetworkFetcherFactory(callFactory = { client })

                """)
        let glide = try code("glide", "connections=8")
        #expect(glide.contains("import com.bumptech.glide.load.engine.executor.GlideExecutor\n"))
        #expect(!glide.contains("LruResourceCache"))
        #expect(
            glide.contains(
                """
                        builder.setSourceExecutor(
                            GlideExecutor.newSourceBuilder().setThreadCount(8).build())
                    }
                }
                """))
        let fresco = try code("fresco", "connections=8")
        #expect(fresco.hasPrefix("import com.facebook.drawee.backends.pipeline.Fresco\n"))
        #expect(
            fresco.contains(
                """
                val config = ImagePipelineConfig.newBuilder(context)
                    .setNetworkFetcher(OkHttpNetworkFetcher(OkHttpClient.Builder()
                        .dispatcher(Dispatcher().apply { maxRequests = 8; maxRequestsPerHost = 8 })
                        .build()))
                    .build()
                """))
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

    @Test("Nuke: limits in memory and of the data cache; one of the URLCache of its defaults is a sentence")
    func nuke() throws {
        let setting = try setting("nuke-13; memory: 64MiB; disk: 300MB")
        #expect(
            setting.code == """
                import Nuke

                ImageCache.shared.costLimit = 67108864
                (ImagePipeline.shared.configuration.dataCache as? DataCache)?.sizeLimit = 300000000

                """)
        #expect(setting.unsupported.isEmpty)
        let other = try self.setting("nuke-default; memory: 64MiB; disk: 300MB")
        #expect(other.code == "import Nuke\n\nImageCache.shared.costLimit = 67108864\n")
        #expect(other.unsupported == ["No statement is known that sets the limit in bytes of disk: 300MB."])
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

    @Test("AlamofireImage: a trim leaves 60 % of the limit, as by default")
    func alamofireImage() throws {
        let setting = try setting("alamofireimage-4; memory: 32000001B")
        #expect(setting.unsupported.isEmpty)
        #expect(
            setting.code == """
                import AlamofireImage
                import UIKit

                let configuration = ImageDownloader.defaultURLSessionConfiguration()
                var imageCache = AutoPurgingImageCache()
                imageCache = AutoPurgingImageCache(
                    memoryCapacity: 32000001, preferredMemoryUsageAfterPurge: 19200000)
                UIImageView.af.sharedImageDownloader = ImageDownloader(
                    configuration: configuration, imageCache: imageCache)

                """)
    }

    @Test("Glide: the classes that the code does not mention are not imported")
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

    @Test("Fresco, URLCache and NSCache: limits in memory and on disk")
    func others() throws {
        let fresco = try setting("fresco; memory: 32MB; disk: 100MB")
        #expect(
            fresco.code == """
                import com.facebook.cache.disk.DiskCacheConfig
                import com.facebook.drawee.backends.pipeline.Fresco
                import com.facebook.imagepipeline.cache.MemoryCacheParams
                import com.facebook.imagepipeline.core.ImagePipelineConfig

                val config = ImagePipelineConfig.newBuilder(context)
                    .setBitmapMemoryCacheParamsSupplier {
                        MemoryCacheParams(32000000, 256, Int.MAX_VALUE, Int.MAX_VALUE, Int.MAX_VALUE)
                    }
                    .setMainDiskCacheConfig(DiskCacheConfig.newBuilder(context).setMaxCacheSize(100000000L).build())
                    .build()
                Fresco.initialize(context, config)

                """)
        #expect(
            try setting("urlcache; memory: 8MB").code
                == "import Foundation\n\nURLCache.shared.memoryCapacity = 8000000\n")
        let nsCache = try setting("nscache-100mb; memory: 20MB")
        #expect(nsCache.code.contains("cache.totalCostLimit = 20000000\n"))
        #expect(nsCache.unsupported.isEmpty)
    }

    @Test("Flutter in Dart, expo-image in TypeScript, React Native in Swift, Picasso and Coil in Kotlin")
    func crossPlatform() throws {
        let flutter = try setting("flutter-3; memory: lru(64MiB, 200 objects); entryLimit: 64MiB")
        #expect(flutter.language == .dart && flutter.unsupported.isEmpty)
        #expect(
            flutter.code == """
                import 'package:flutter/painting.dart';

                final cache = PaintingBinding.instance.imageCache;
                cache.maximumSizeBytes = 67108864;
                cache.maximumSize = 200;

                """)
        let expo = try setting("expo-image-ios; disk: ttl(lru(200MB), lifetime: 7d)")
        #expect(expo.language == .typescript)
        #expect(
            expo.code == """
                import { Image } from 'expo-image';

                Image.configureCache({
                  maxDiskSize: 200000000,
                });

                """)
        let react = try setting("rn-image-ios; memory: 40MiB")
        #expect(react.code == "import React\n\nRCTSetImageCacheLimits(41943040 / 10, 41943040)\n")
        #expect(react.unsupported.isEmpty)
        let picasso = try setting("picasso-3; memory: 32MiB")
        #expect(
            picasso.code == """
                import com.squareup.picasso3.Picasso

                val picasso = Picasso.Builder(context)
                    .withCacheSize(33554432)
                    .build()

                """)
        let coil = try setting("coil-3-ios; memory: 64MiB; coalesce: true")
        #expect(coil.code.contains("    .memoryCache { MemoryCache.Builder().maxSizeBytes(67108864L).build() }\n"))
        #expect(coil.code.contains("import coil3.network.DeDupeConcurrentRequestStrategy\n"))
        #expect(coil.unsupported.isEmpty)
    }

    @Test("cached_network_image: Flutter's memory, and files that are counted")
    func cachedNetworkImage() throws {
        let memory = try setting("cached-network-image-3; memory: lru(64MiB, 200 objects); entryLimit: 64MiB")
        #expect(memory.code == (try setting("flutter-3; memory: lru(64MiB, 200 objects); entryLimit: 64MiB")).code)
        let disk = try setting(
            """
            cached-network-image-3; disk: idle-trim(count: 500, idle: 1d, lifetime: 30d, delay: 10s, batch: 100); \
            connections: 6
            """)
        #expect(disk.unsupported.isEmpty, "\(disk.unsupported)")
        #expect(
            disk.code == """
                import 'package:cached_network_image/cached_network_image.dart';
                import 'package:flutter_cache_manager/flutter_cache_manager.dart';

                final manager = CacheManager(Config('images', fileService: HttpFileService()..concurrentFetches = 6, \
                maxNrOfCacheObjects: 500,));
                final image = CachedNetworkImage(imageUrl: url, cacheManager: manager);

                """)
        let bytes = try setting("cached-network-image-3; disk: lru(100MB)")
        #expect(
            bytes.unsupported.contains { text in
                text.hasPrefix("No statement sets the limit in bytes of disk: 100MB. Config has no limit in bytes:")
            }, "\(bytes.unsupported)")
    }

    @Test("expo-image on Android: a policy for memory, and Glide's own limits")
    func expoOnAndroid() throws {
        let setting = try setting(
            "expo-image-android; memory: lru(30MB); store: memoryAndDisk; promote: true; disk: lru(100MB)")
        #expect(
            setting.code == """
                import { Image } from 'expo-image';

                const image = <Image source={source} cachePolicy="memory-disk" />;

                """)
        let sentences = setting.unsupported.filter { $0.contains("sets only the level of the log") }
        #expect(sentences.count == 2, "\(setting.unsupported)")
        #expect(sentences.first?.hasPrefix("No statement sets the limit in bytes of memory: 30MB. ") == true)
        #expect(sentences.last?.hasSuffix("so Glide's own values stay, the 250 MiB of its disk among them.") == true)
    }

    @Test("Chromium: an option of the command line")
    func chromium() throws {
        let setting = try setting("chromium; disk: 300MB; diskEntryLimit: 37500kB")
        #expect(setting.language == .shell)
        #expect(setting.code == "chromium --disk-cache-size=300000000\n")
        #expect(
            setting.unsupported == [
                """
                No statement sets diskEntryLimit: 37500kB. Chromium derives it from the size of the cache, as an \
                eighth and at least 5 MiB: net/disk_cache/simple/simple_backend_impl.cc.
                """
            ])
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
