extension LibrarySetting {
    /// The libraries whose statements are known.
    static let all = native + crossPlatform

    /// Libraries for one system.
    private static let native = [
        LibrarySetting(
            name: "Kingfisher", presets: ["kingfisher-8"], language: .swift,
            source: """
                onevcat/Kingfisher: Sources/Cache/MemoryStorage.swift at ccb87f940e147346a70313e0b1ae8035aeb986d6, \
                Sources/Cache/DiskStorage.swift at 7719aef8e0437a98ccbb544a0b3ebfee0aa60871, \
                Sources/Cache/Storage.swift at 05fe0ece9186b9f2c3d0d0b5a316258c45636c67, and \
                Sources/Networking/ImageDownloader.swift at 006a7952c50bdb74e3dbbbab94e144bd8ba4c0bf
                """,
            caches: Code(
                before: ["import Kingfisher", "let cache = ImageCache.default"],
                statements: [
                    "memory limit in bytes": "cache.memoryStorage.config.totalCostLimit = #",
                    "memory limit of objects": "cache.memoryStorage.config.countLimit = #",
                    "memory lifetime": "cache.memoryStorage.config.expiration = .seconds(#)",
                    "memory lifetime never": "cache.memoryStorage.config.expiration = .never",
                    "disk limit in bytes": "cache.diskStorage.config.sizeLimit = #",
                    "disk lifetime": "cache.diskStorage.config.expiration = .seconds(#)",
                    "disk lifetime never": "cache.diskStorage.config.expiration = .never",
                ]),
            // The downloader makes a session of a configuration when it is set.
            fetches: Code(
                before: ["import Foundation", "let configuration = URLSessionConfiguration.ephemeral"],
                after: ["ImageDownloader.default.sessionConfiguration = configuration"],
                statements: connectionsOfSession)),
        LibrarySetting(
            name: "SDWebImage", presets: ["sdwebimage-5", "sdwebimage-5.19", "fast-image-ios"], language: .swift,
            source: """
                SDWebImage/SDWebImage: SDWebImage/Core/SDImageCacheConfig.h at \
                0b10fcb54484b618a53386670bff38176a203290, and SDWebImage/Core/SDWebImageDownloaderConfig.h at \
                0b304a867d25cf6cfa67dcd0c8b530e7ef8ee174
                """,
            caches: Code(
                before: ["import SDWebImage", "let config = SDImageCache.shared.config"],
                statements: [
                    "memory limit in bytes": "config.maxMemoryCost = #",
                    "memory limit of objects": "config.maxMemoryCount = #",
                    "disk limit in bytes": "config.maxDiskSize = #", "disk lifetime": "config.maxDiskAge = #",
                    "disk lifetime never": "config.maxDiskAge = -1",
                ]),
            fetches: Code(statements: [
                "connections": "SDWebImageDownloader.shared.config.maxConcurrentDownloads = #",
                "order lifo": "SDWebImageDownloader.shared.config.executionOrder = .lifoExecutionOrder",
            ])),
        nuke(
            ["nuke-12", "nuke-13"],
            source: ", Sources/Nuke/Caching/DataCache.swift at 0606ade7f8f05ca38117fe2f9b643b8b94ad52ee",
            statements: [
                "disk limit in bytes": "(ImagePipeline.shared.configuration.dataCache as? DataCache)?.sizeLimit = #"
            ]),
        // Its disk is a URLCache.
        nuke(["nuke-default"]),
        LibrarySetting(
            name: "Coil", presets: ["coil-3"], language: .kotlin,
            source: """
                coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt at \
                24729abeed40a3d1c8d3ded5b3a7847d43abd6f5, and coil-network-okhttp/src/commonMain/kotlin/coil3/network/\
                okhttp/OkHttpNetworkFetcher.kt at 16a8620578844a2269f4adea955643d14f974bd7; \(okHttp)
                """,
            caches: Code(
                before: [
                    "import coil3.memory.MemoryCache", "import coil3.network.okhttp.OkHttpNetworkFetcherFactory",
                    "import okhttp3.Dispatcher", "import okhttp3.OkHttpClient",
                    "val memoryCache = MemoryCache.Builder()",
                ],
                after: ["    .build()"], statements: ["memory limit in bytes": "    .maxSizeBytes(#L)"]),
            fetches: Code(
                before: ["val client = OkHttpClient.Builder()"],
                after: [
                    "    .build()", "// A component of the ImageLoader.",
                    "val fetcherFactory = OkHttpNetworkFetcherFactory(callFactory = { client })",
                ],
                statements: [
                    "connections": "    .dispatcher(Dispatcher().apply { maxRequests = #; maxRequestsPerHost = # })"
                ])),
        LibrarySetting(
            name: "AlamofireImage", presets: ["alamofireimage-4"], language: .swift,
            source: """
                https://alamofire.github.io/AlamofireImage/Classes/AutoPurgingImageCache.html and \
                https://alamofire.github.io/AlamofireImage/Classes/ImageDownloader.html
                """,
            caches: Code(
                before: [
                    "import AlamofireImage", "import UIKit",
                    "let configuration = ImageDownloader.defaultURLSessionConfiguration()",
                    "var imageCache = AutoPurgingImageCache()",
                ],
                after: [
                    "UIImageView.af.sharedImageDownloader = ImageDownloader(",
                    "    configuration: configuration,@ imageCache: imageCache)",
                ],
                statements: [
                    "memory limit in bytes": """
                    imageCache = AutoPurgingImageCache(
                        memoryCapacity: #, preferredMemoryUsageAfterPurge: #60%)
                    """,
                    "disk limit in bytes": "configuration.urlCache?.diskCapacity = #",
                    "connections": "@ maximumActiveDownloads: #,",
                    "order lifo": "@ downloadPrioritization: .lifo,",
                ].merging(connectionsOfSession) { own, _ in own })),
        LibrarySetting(
            name: "URLCache", presets: ["urlcache"], language: .swift,
            source: """
                https://developer.apple.com/documentation/foundation/urlcache and \
                https://developer.apple.com/documentation/foundation/urlsessionconfiguration
                """,
            caches: Code(before: ["import Foundation"], statements: urlCache), fetches: session),
        LibrarySetting(
            name: "URLCache of swift-corelibs-foundation", presets: ["corelibs-urlcache"], language: .swift,
            source: """
                swiftlang/swift-corelibs-foundation: Sources/FoundationNetworking/URLCache.swift at \
                69575963144afd2fe16d2dba78a2ce22fce1939e, and \
                Sources/FoundationNetworking/URLSession/URLSessionConfiguration.swift at \
                1aa94aef07dc6fef627029320aab0a99b3ab927a
                """,
            caches: Code(before: ["import FoundationNetworking"], statements: urlCache), fetches: session),
        // Designs that pass no cost are not here: the limit would have no effect.
        LibrarySetting(
            name: "NSCache",
            presets: ["ttl-two-tier", "coalescing-memory", "coalescing-memory-as-written", "nscache-100mb"],
            language: .swift, source: "https://developer.apple.com/documentation/foundation/nscache",
            caches: Code(
                before: ["import UIKit", "let cache = NSCache<NSString, UIImage>()"],
                after: ["// Each store passes its cost: cache.setObject(image, forKey: key, cost: bytes)"],
                statements: [
                    "memory limit in bytes": "cache.totalCostLimit = #",
                    "memory limit of objects": "cache.countLimit = #",
                ])),
        LibrarySetting(
            name: "Glide", presets: ["glide", "fast-image-android"], language: .kotlin,
            source: """
                https://sjudd.github.io/glide/doc/configuration.html and bumptech/glide: \
                library/src/main/java/com/bumptech/glide/GlideBuilder.java at \
                b0a7efecf54723506bcaac2d801e29845f04f229, and \
                library/src/main/java/com/bumptech/glide/load/engine/executor/GlideExecutor.java at \
                17f03fbcd929b0e690d04537320525f3ede3d596
                """,
            caches: Code(
                before: [
                    "import android.content.Context", "import com.bumptech.glide.GlideBuilder",
                    "import com.bumptech.glide.annotation.GlideModule",
                    "import com.bumptech.glide.load.engine.cache.InternalCacheDiskCacheFactory",
                    "import com.bumptech.glide.load.engine.cache.LruResourceCache",
                    "import com.bumptech.glide.load.engine.executor.GlideExecutor",
                    "import com.bumptech.glide.module.AppGlideModule", "@GlideModule",
                    "class CacheLimits : AppGlideModule() {",
                    "    override fun applyOptions(context: Context, builder: GlideBuilder) {",
                ],
                after: ["    }", "}"],
                statements: [
                    "memory limit in bytes": "        builder.setMemoryCache(LruResourceCache(#L))",
                    "disk limit in bytes": "        builder.setDiskCache(InternalCacheDiskCacheFactory(context, #L))",
                    "connections": """
                            builder.setSourceExecutor(
                                GlideExecutor.newSourceBuilder().setThreadCount(#).build())
                    """,
                ])),
        LibrarySetting(
            name: "Fresco", presets: ["fresco"], language: .kotlin,
            source: """
                https://facebook.github.io/fresco/docs/configure-image-pipeline.html and facebook/fresco: \
                imagepipeline-backends/imagepipeline-okhttp3/src/main/java/com/facebook/imagepipeline/backends/okhttp3/\
                OkHttpNetworkFetcher.kt at 1cef38d1321d008266edcd421771e54671ec1340; \(okHttp)
                """,
            caches: Code(
                before: [
                    "import com.facebook.cache.disk.DiskCacheConfig",
                    "import com.facebook.drawee.backends.pipeline.Fresco",
                    "import com.facebook.imagepipeline.backends.okhttp3.OkHttpNetworkFetcher",
                    "import com.facebook.imagepipeline.cache.MemoryCacheParams",
                    "import com.facebook.imagepipeline.core.ImagePipelineConfig", "import okhttp3.Dispatcher",
                    "import okhttp3.OkHttpClient", "val config = ImagePipelineConfig.newBuilder(context)",
                ],
                after: ["    .build()", "Fresco.initialize(context, config)"],
                statements: [
                    // 256 entries, and no other limits, are the library's defaults.
                    "memory limit in bytes": """
                        .setBitmapMemoryCacheParamsSupplier {
                            MemoryCacheParams(#, 256, Int.MAX_VALUE, Int.MAX_VALUE, Int.MAX_VALUE)
                        }
                    """,
                    "disk limit in bytes": """
                        .setMainDiskCacheConfig(DiskCacheConfig.newBuilder(context).setMaxCacheSize(#L).build())
                    """,
                    "connections": """
                        .setNetworkFetcher(OkHttpNetworkFetcher(OkHttpClient.Builder()
                            .dispatcher(Dispatcher().apply { maxRequests = #; maxRequestsPerHost = # })
                            .build()))
                    """,
                ])),
    ]

    /// - Parameters:
    ///   - presets: The presets whose disk has these statements.
    ///   - source: What the source of the further statements is, after a comma.
    ///   - statements: The statements beside those of memory.
    private static func nuke(
        _ presets: [String], source: String = "", statements: [String: String] = [:]
    ) -> LibrarySetting {
        LibrarySetting(
            name: "Nuke", presets: presets, language: .swift,
            source: """
                kean/Nuke: Sources/Nuke/Caching/ImageCache.swift at 043fe772efe235451d25aa34c5e77445a7476a40\(source), \
                Sources/Nuke/Pipeline/ImagePipeline+Configuration.swift at be01db14375f7286c6079e58ce103b163246109b, \
                and Sources/Nuke/Pipeline/TaskQueue.swift at 1d679bab775e3380a6fcdbfbe95b594ab4166cd6
                """,
            caches: Code(
                before: ["import Nuke"],
                statements: [
                    "memory limit in bytes": "ImageCache.shared.costLimit = #",
                    "memory limit of objects": "ImageCache.shared.countLimit = #",
                    "memory lifetime": "ImageCache.shared.ttl = #",
                ].merging(statements) { $1 }),
            // An OperationQueue in Nuke 12, and a TaskQueue with a property of the same name in Nuke 13.
            fetches: Code(statements: [
                "connections": "ImagePipeline.shared.configuration.dataLoadingQueue.maxConcurrentOperationCount = #"
            ]))
    }

    private static let urlCache = [
        "memory limit in bytes": "URLCache.shared.memoryCapacity = #",
        "disk limit in bytes": "URLCache.shared.diskCapacity = #",
    ]

    private static let session = Code(
        before: ["let configuration = URLSessionConfiguration.default"],
        after: ["let session = URLSession(configuration: configuration)"], statements: connectionsOfSession)

    private static let connectionsOfSession = [
        "connectionsPerHost": "configuration.httpMaximumConnectionsPerHost = #"
    ]

    private static let okHttp = """
        square/okhttp: okhttp/src/main/kotlin/okhttp3/Dispatcher.kt at 084d4401c094f908b3648739444859c948c24a68
        """
}
