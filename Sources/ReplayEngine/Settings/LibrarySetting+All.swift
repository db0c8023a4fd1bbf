extension LibrarySetting {
    /// The libraries whose statements are known.
    static let all = [
        LibrarySetting(
            name: "Kingfisher", presets: ["kingfisher-8"], language: .swift,
            source: """
                onevcat/Kingfisher: Sources/Cache/MemoryStorage.swift at ccb87f940e147346a70313e0b1ae8035aeb986d6, and \
                Sources/Cache/DiskStorage.swift at 7719aef8e0437a98ccbb544a0b3ebfee0aa60871
                """,
            before: ["import Kingfisher", "", "let cache = ImageCache.default"], after: [],
            statements: [
                "memory limit in bytes": "cache.memoryStorage.config.totalCostLimit = #",
                "memory limit of objects": "cache.memoryStorage.config.countLimit = #",
                "memory lifetime": "cache.memoryStorage.config.expiration = .seconds(#)",
                "disk limit in bytes": "cache.diskStorage.config.sizeLimit = #",
                "disk lifetime": "cache.diskStorage.config.expiration = .seconds(#)",
            ]),
        LibrarySetting(
            name: "SDWebImage", presets: ["sdwebimage-5", "sdwebimage-5.19"], language: .swift,
            source: """
                SDWebImage/SDWebImage: SDWebImage/Core/SDImageCacheConfig.h at 0b10fcb54484b618a53386670bff38176a203290
                """,
            before: ["import SDWebImage", "", "let config = SDImageCache.shared.config"], after: [],
            statements: [
                "memory limit in bytes": "config.maxMemoryCost = #",
                "memory limit of objects": "config.maxMemoryCount = #",
                "disk limit in bytes": "config.maxDiskSize = #", "disk lifetime": "config.maxDiskAge = #",
            ]),
        LibrarySetting(
            name: "Nuke", presets: ["nuke-12", "nuke-13", "nuke-default"], language: .swift,
            source: """
                kean/Nuke: Sources/Nuke/Caching/ImageCache.swift at 043fe772efe235451d25aa34c5e77445a7476a40
                """,
            before: ["import Nuke", ""], after: [],
            statements: [
                "memory limit in bytes": "ImageCache.shared.costLimit = #",
                "memory limit of objects": "ImageCache.shared.countLimit = #",
                "memory lifetime": "ImageCache.shared.ttl = #",
            ]),
        LibrarySetting(
            name: "Coil", presets: ["coil-3"], language: .kotlin,
            source: """
                coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt at \
                24729abeed40a3d1c8d3ded5b3a7847d43abd6f5
                """,
            before: ["import coil3.memory.MemoryCache", "", "val memoryCache = MemoryCache.Builder()"],
            after: ["    .build()"], statements: ["memory limit in bytes": "    .maxSizeBytes(#L)"]),
        LibrarySetting(
            name: "AlamofireImage", presets: ["alamofireimage-4"], language: .swift,
            source: """
                https://alamofire.github.io/AlamofireImage/Classes/AutoPurgingImageCache.html and \
                https://alamofire.github.io/AlamofireImage/Classes/ImageDownloader.html
                """,
            before: [
                "import AlamofireImage", "import UIKit", "",
                "let configuration = ImageDownloader.defaultURLSessionConfiguration()",
                "var imageCache = AutoPurgingImageCache()",
            ],
            after: [
                "UIImageView.af.sharedImageDownloader = ImageDownloader(",
                "    configuration: configuration, imageCache: imageCache)",
            ],
            statements: [
                "memory limit in bytes": """
                imageCache = AutoPurgingImageCache(
                    memoryCapacity: #, preferredMemoryUsageAfterPurge: #60%)
                """,
                "disk limit in bytes": "configuration.urlCache?.diskCapacity = #",
            ]),
        LibrarySetting(
            name: "URLCache", presets: ["urlcache"], language: .swift,
            source: "https://developer.apple.com/documentation/foundation/urlcache",
            before: ["import Foundation", ""], after: [], statements: urlCache),
        LibrarySetting(
            name: "URLCache of swift-corelibs-foundation", presets: ["corelibs-urlcache"], language: .swift,
            source: """
                swiftlang/swift-corelibs-foundation: Sources/FoundationNetworking/URLCache.swift at \
                69575963144afd2fe16d2dba78a2ce22fce1939e
                """,
            before: ["import FoundationNetworking", ""], after: [], statements: urlCache),
        // Designs that pass no cost are not here: the limit would have no effect.
        LibrarySetting(
            name: "NSCache",
            presets: ["ttl-two-tier", "coalescing-memory", "coalescing-memory-as-written", "nscache-100mb"],
            language: .swift, source: "https://developer.apple.com/documentation/foundation/nscache",
            before: ["import UIKit", "", "let cache = NSCache<NSString, UIImage>()"],
            after: ["// Each store passes its cost: cache.setObject(image, forKey: key, cost: bytes)"],
            statements: [
                "memory limit in bytes": "cache.totalCostLimit = #", "memory limit of objects": "cache.countLimit = #",
            ]),
        LibrarySetting(
            name: "Glide", presets: ["glide"], language: .kotlin,
            source: "https://sjudd.github.io/glide/doc/configuration.html",
            before: [
                "import android.content.Context", "import com.bumptech.glide.GlideBuilder",
                "import com.bumptech.glide.annotation.GlideModule",
                "import com.bumptech.glide.load.engine.cache.InternalCacheDiskCacheFactory",
                "import com.bumptech.glide.load.engine.cache.LruResourceCache",
                "import com.bumptech.glide.module.AppGlideModule", "", "@GlideModule",
                "class CacheLimits : AppGlideModule() {",
                "    override fun applyOptions(context: Context, builder: GlideBuilder) {",
            ],
            after: ["    }", "}"],
            statements: [
                "memory limit in bytes": "        builder.setMemoryCache(LruResourceCache(#L))",
                "disk limit in bytes": "        builder.setDiskCache(InternalCacheDiskCacheFactory(context, #L))",
            ]),
        LibrarySetting(
            name: "Fresco", presets: ["fresco"], language: .kotlin,
            source: "https://facebook.github.io/fresco/docs/configure-image-pipeline.html",
            before: [
                "import com.facebook.cache.disk.DiskCacheConfig", "import com.facebook.drawee.backends.pipeline.Fresco",
                "import com.facebook.imagepipeline.cache.MemoryCacheParams",
                "import com.facebook.imagepipeline.core.ImagePipelineConfig", "",
                "val config = ImagePipelineConfig.newBuilder(context)",
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
            ]),
    ]

    private static let urlCache = [
        "memory limit in bytes": "URLCache.shared.memoryCapacity = #",
        "disk limit in bytes": "URLCache.shared.diskCapacity = #",
    ]
}
