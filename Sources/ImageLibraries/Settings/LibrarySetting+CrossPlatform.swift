extension LibrarySetting {
    /// Libraries for Flutter, React Native and Compose, Picasso, and a browser. FastImage takes the statements of
    /// SDWebImage and Glide.
    static let crossPlatform = [
        LibrarySetting(
            name: "Flutter", presets: ["flutter-3"], language: .dart,
            source: """
                flutter/flutter: packages/flutter/lib/src/painting/image_cache.dart at 00606bf, and \
                packages/flutter/lib/src/painting/binding.dart at 90e4a12
                """,
            caches: imageCache),
        LibrarySetting(
            name: "cached_network_image", presets: ["cached-network-image-3"], language: .dart,
            source: """
                Baseflow/flutter_cache_manager: flutter_cache_manager/lib/src/cache_manager.dart and \
                lib/src/web/file_service.dart at 515cc9e, Baseflow/flutter_cached_network_image at 1c9d86a, and \
                flutter/flutter: packages/flutter/lib/src/painting/image_cache.dart at 00606bf
                """,
            caches: imageCache,
            fetches: Code(
                before: [
                    "import 'package:cached_network_image/cached_network_image.dart';",
                    "import 'package:flutter_cache_manager/flutter_cache_manager.dart';",
                ],
                after: [
                    "final manager = CacheManager(Config('images',@));",
                    "final image = CachedNetworkImage(imageUrl: url, cacheManager: manager);",
                ],
                statements: [
                    "disk limit of objects": "@ maxNrOfCacheObjects: #,",
                    "connections": "@ fileService: HttpFileService()..concurrentFetches = #,",
                ]),
            fixed: [
                "disk limit in bytes": """
                Config has no limit in bytes: flutter_cache_manager/lib/src/cache_store.dart at 515cc9e counts \
                files, and looks at the time of their last touch.
                """,
                "disk lifetime": """
                The headers of a response decide, and 7 days without max-age are fixed in \
                flutter_cache_manager/lib/src/web/file_service.dart at 515cc9e.
                """,
            ]),
        LibrarySetting(
            name: "expo-image", presets: ["expo-image-ios"], language: .typescript,
            source: "expo/expo: packages/expo-image/ios/ImageCacheConfig.swift at a611ebb",
            caches: Code(
                before: ["import { Image } from 'expo-image';", "Image.configureCache({"], after: ["});"],
                statements: [
                    "memory limit in bytes": "  maxMemoryCost: #,", "memory limit of objects": "  maxMemoryCount: #,",
                    "disk limit in bytes": "  maxDiskSize: #,",
                    "store memoryAndDisk": "  // Each Image also has cachePolicy=\"memory-disk\".",
                    "promote true": "  // Each Image also has cachePolicy=\"memory-disk\".",
                ])),
        LibrarySetting(
            name: "expo-image on Android", presets: ["expo-image-android"], language: .typescript,
            source: """
                expo/expo: packages/expo-image/android at 0cf7e70 and 356bdad, and bumptech/glide: \
                library/src/main/java/com/bumptech/glide/GlideBuilder.java at b0a7efecf54723506bcaac2d801e29845f04f229
                """,
            caches: Code(
                before: ["import { Image } from 'expo-image';"],
                statements: [
                    "store memoryAndDisk": "const image = <Image source={source} cachePolicy=\"memory-disk\" />;",
                    "promote true": "const image = <Image source={source} cachePolicy=\"memory-disk\" />;",
                ]),
            fixed: [
                "memory limit in bytes": "\(glideDecides), the limit of memory among them.",
                "disk limit in bytes": "\(glideDecides), the 250 MiB of its disk among them.",
                "connections": "\(glideDecides), its 4 threads among them.",
            ]),
        LibrarySetting(
            name: "React Native's Image", presets: ["rn-image-ios"], language: .swift,
            source: "facebook/react-native: packages/react-native/Libraries/Image/RCTImageCache.mm of an older tree",
            // The first number is the limit for a single bitmap.
            caches: Code(
                before: ["import React"],
                statements: ["memory limit in bytes": "RCTSetImageCacheLimits(# / 10, #)"])),
        LibrarySetting(
            name: "React Native's Image on Android", presets: ["rn-image-android"], language: .kotlin,
            source: """
                facebook/react-native: ReactAndroid/src/main/java/com/facebook/react/modules/fresco/FrescoModule.kt at \
                011fdba, and https://facebook.github.io/fresco/docs/configure-image-pipeline.html
                """,
            caches: Code(
                before: [
                    "import com.facebook.cache.disk.DiskCacheConfig",
                    "import com.facebook.imagepipeline.cache.MemoryCacheParams",
                    "import com.facebook.react.modules.fresco.FrescoModule",
                    "import com.facebook.react.shell.MainPackageConfig",
                    "import com.facebook.react.shell.MainReactPackage",
                    "val config = FrescoModule.getDefaultConfigBuilder(context)",
                ],
                after: [
                    "    .build()",
                    "val images = MainReactPackage(MainPackageConfig.Builder().setFrescoConfig(config).build())",
                ],
                statements: [
                    "memory limit in bytes": """
                        .setBitmapMemoryCacheParamsSupplier {
                            MemoryCacheParams(#, 256, Int.MAX_VALUE, Int.MAX_VALUE, Int.MAX_VALUE)
                        }
                    """,
                    "disk limit in bytes": """
                        .setMainDiskCacheConfig(DiskCacheConfig.newBuilder(context).setMaxCacheSize(#L).build())
                    """,
                ])),
        picasso(
            2, imports: ["import com.squareup.picasso.LruCache", "import com.squareup.picasso.Picasso"],
            source: "square/picasso: Picasso.java of the tag 2.8", memory: "    .memoryCache(LruCache(#))"),
        picasso(
            3, imports: ["import com.squareup.picasso3.Picasso"],
            source: "square/picasso: picasso/src/main/java/com/squareup/picasso3/Picasso.kt at e94d611",
            memory: "    .withCacheSize(#)"),
        LibrarySetting(
            name: "Coil on iOS", presets: ["coil-3-ios"], language: .kotlin,
            source: """
                coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt, \
                coil-core/src/commonMain/kotlin/coil3/disk/DiskCache.kt and coil-network-core at a42b770
                """,
            caches: Code(
                before: [
                    "import coil3.ImageLoader", "import coil3.disk.DiskCache", "import coil3.memory.MemoryCache",
                    "import coil3.network.DeDupeConcurrentRequestStrategy",
                    "import coil3.network.ktor3.KtorNetworkFetcherFactory",
                    "val imageLoader = ImageLoader.Builder(context)",
                ],
                after: ["    .build()"],
                statements: [
                    "memory limit in bytes": "    .memoryCache { MemoryCache.Builder().maxSizeBytes(#L).build() }",
                    "disk limit in bytes": """
                        .diskCache { DiskCache.Builder().directory(directory).maxSizeBytes(#L).build() }
                    """,
                    "coalesce true": """
                        .components {
                            add(KtorNetworkFetcherFactory(concurrentRequestStrategy = { \
                    DeDupeConcurrentRequestStrategy() }))
                        }
                    """,
                ])),
        LibrarySetting(
            name: "Chromium", presets: ["chromium"], language: .shell,
            source: "Chromium: net/disk_cache/cache_util.cc of 2024 or later, without a dated commit",
            caches: Code(statements: ["disk limit in bytes": "chromium --disk-cache-size=#"]),
            fixed: [
                "memory limit in bytes": """
                By default, Blink keeps an image only while a document uses it: \
                third_party/blink/renderer/platform/loader/fetch/memory_cache.cc of about M145.
                """,
                "diskEntryLimit": """
                Chromium derives it from the size of the cache, as an eighth and at least 5 MiB: \
                net/disk_cache/simple/simple_backend_impl.cc.
                """,
            ]),
    ]

    /// Flutter's ImageCache, in which packages with a disk of their own hold their images too.
    private static let imageCache = Code(
        before: ["import 'package:flutter/painting.dart';", "final cache = PaintingBinding.instance.imageCache;"],
        statements: [
            "memory limit in bytes": "cache.maximumSizeBytes = #;", "memory limit of objects": "cache.maximumSize = #;",
        ])

    /// What sets the limits of expo-image on Android. A list of examples follows.
    private static let glideDecides = """
        Image.configureCache is for iOS alone, and the AppGlideModule in packages/expo-image/android at 0cf7e70 sets \
        only the level of the log, so Glide's own values stay
        """

    private static func picasso(_ version: Int, imports: [String], source: String, memory: String) -> LibrarySetting {
        LibrarySetting(
            name: "Picasso", presets: ["picasso-\(version)"], language: .kotlin, source: source,
            caches: Code(
                before: imports + ["val picasso = Picasso.Builder(context)"], after: ["    .build()"],
                statements: ["memory limit in bytes": memory]))
    }
}
