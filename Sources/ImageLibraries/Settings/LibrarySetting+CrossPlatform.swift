extension LibrarySetting {
    /// Libraries for Flutter, React Native and Compose, and Picasso. FastImage takes the statements of SDWebImage and
    /// Glide.
    static let crossPlatform = [
        LibrarySetting(
            name: "Flutter", presets: ["flutter-3"], language: .dart,
            source: """
                flutter/flutter: packages/flutter/lib/src/painting/image_cache.dart at 00606bf, and \
                packages/flutter/lib/src/painting/binding.dart at 90e4a12
                """,
            caches: Code(
                before: [
                    "import 'package:flutter/painting.dart';", "final cache = PaintingBinding.instance.imageCache;",
                ],
                statements: [
                    "memory limit in bytes": "cache.maximumSizeBytes = #;",
                    "memory limit of objects": "cache.maximumSize = #;",
                ])),
        LibrarySetting(
            name: "expo-image", presets: ["expo-image-ios"], language: .typescript,
            source: "expo/expo: packages/expo-image/ios/ImageCacheConfig.swift at a611ebb",
            caches: Code(
                before: ["import { Image } from 'expo-image';", "Image.configureCache({"], after: ["});"],
                statements: [
                    "memory limit in bytes": "  maxMemoryCost: #,", "memory limit of objects": "  maxMemoryCount: #,",
                    "disk limit in bytes": "  maxDiskSize: #,",
                    "store memoryAndDisk": "  // Each Image also has cachePolicy=\"memory-disk\".",
                ])),
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
    ]

    private static func picasso(_ version: Int, imports: [String], source: String, memory: String) -> LibrarySetting {
        LibrarySetting(
            name: "Picasso", presets: ["picasso-\(version)"], language: .kotlin, source: source,
            caches: Code(
                before: imports + ["val picasso = Picasso.Builder(context)"], after: ["    .build()"],
                statements: ["memory limit in bytes": memory]))
    }
}
