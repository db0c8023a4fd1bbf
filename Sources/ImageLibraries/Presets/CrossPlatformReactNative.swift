/// The image components of React Native and Expo, on each system.
extension CachePreset {
    static let reactNative = expo + reactNativeImage + fastImage

    private static let expo = [
        CachePreset(
            "expo-image-ios", .crossPlatform,
            "expo-image on iOS with its default cachePolicy: SDWebImage's files, and no memory.",
            source: "expo/expo: packages/expo-image/ios at a611ebb of 2025, on SDWebImage 5.21, read in source",
            facts: expoFacts + [
                PresetFact(
                    .exact, "memory of configureCache",
                    "maxMemoryCost and maxMemoryCount have no effect with this cachePolicy."),
                PresetFact(
                    .exact, "disk",
                    "SDWebImage's, without a limit. Files expire 7 days after the last read, since SDWebImage 5.20."),
                PresetFact(.exact, "failed URLs", "They are fetched again: expo-image passes retryFailed."),
                PresetFact(.exact, bodies, "Not stored, as in SDWebImage. The next request fetches again."),
                PresetFact(.exact, "fetches", "6 at a time, coalesced by URL."),
                PresetFact(.exact, "cancelling", "A load is cancelled when its view is freed."),
                PresetFact(.exact, "decoding", "At full size. An image larger than its view is drawn anew for it."),
            ]
        ) { _ in "\(diskAlone); \(sdWebImageDisk(extendOnAccess: true)); \(sdWebImagePipeline)" },
        CachePreset(
            "expo-image-android", .crossPlatform,
            "expo-image on Android with its default cachePolicy: Glide's files, and no memory.",
            source: """
                expo/expo: packages/expo-image/android at 0cf7e70 and 356bdad of 2025 and f163fc1 of 2026, on Glide 5, \
                read in source
                """,
            facts: expoFacts + [
                PresetFact(.exact, "active resources", "Not asked either: skipMemoryCache skips them."),
                PresetFact(.exact, "disk", "Glide's: 250 MiB, LRU, the original bytes."),
                PresetFact(
                    .exact, bodies,
                    """
                    Written before they are decoded. The next request reads the file, fetches again, and replaces it, \
                    as since 58.0.0. Before, the file broke its URL until the cache was cleared.
                    """),
                PresetFact(
                    .documented, "coalescing",
                    "Of the whole load of one size, its read from disk included, as in Glide."),
                PresetFact(
                    .exact, "connections",
                    """
                    Glide fetches 4 at a time. Since 56.0.0, React Native's client has 5 per host, which is no limit.
                    """),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            """
            \(diskAlone); memorySizes: each; \(glideDisk); connections: 4; coalesceDisk: true; \
            cancelOnDisappear: true
            """
        },
    ]

    private static let diskAlone = "memory: none; promote: false; store: diskOnly"

    private static let expoFacts = [
        PresetFact(
            .exact, "memory",
            """
            None: the default cachePolicy, disk, neither reads nor writes it. Each mount reads a file and decodes it.
            """),
        PresetFact(
            .exact, "other policies",
            "memory-disk is the cache of the library below: the preset sdwebimage-5 or glide."),
    ]

    private static let reactNativeImage = [
        CachePreset.onDarwinNSCache(
            "rn-image-ios", .crossPlatform,
            "React Native's Image on iOS: 20 MiB of small bitmaps by HTTP's dates, the shared URLCache, no coalescing.",
            source: """
                facebook/react-native: RCTImageLoader.mm at 04b6d72 of 2024, RCTImageCache.mm of an older tree with \
                the constants that the documentation of 2026 has, read in source
                """,
            facts: rctFacts + urlCacheFacts(disk: 20_000_000)
        ) { _ in
            """
            memory: nscache(cost: 20MiB, model: lru); memoryLifetime: httpDate; cost: decoded; holds: decoded; \
            entryLimit: 10% of limit; oversize: ignored; memorySizes: each; countsFrames: true; \
            memoryOnWarning: clear; \
            \(urlCacheOnDisk(20_000_000)); \
            connections: 4; coalesce: false; decodeLanes: 2; cancelOnDisappear: true
            """
        },
        CachePreset(
            "rn-image-android", .crossPlatform,
            "React Native's Image on Android: Fresco with its defaults, bitmaps of full size.",
            source: """
                facebook/react-native: FrescoModule.kt at 011fdba and ReactImageView.kt at 00d160e of 2024 and 2025, \
                read in source; Fresco as in the preset fresco
                """,
            facts: [
                PresetFact(.exact, "tiers", "Those of Fresco with its defaults: see the preset fresco."),
                PresetFact(
                    .exact, "decoding",
                    "At full size: resizeMethod auto resizes local files only, not images of a network."),
                PresetFact(
                    .exact, "memory warning, background",
                    "Neither has an effect. Memory is cleared when the last activity is destroyed."),
                PresetFact(
                    .exact, "lifetime", "None. HTTP's headers have no effect: requests have no-store by default."),
                PresetFact(.exact, bodies, "Not stored, as in Fresco."),
                PresetFact(.exact, "connections", "64 at a time and 5 per host."),
                PresetFact(.documented, "coalescing", "Of reads and fetches, as in Fresco."),
                PresetFact(.exact, "prefetch", "Image.prefetch brings an image to the disk alone."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { device in
            """
            \(frescoTiers(device)); connections: 64; connectionsPerHost: 5; coalesceDisk: true; \
            prefetchInto: disk; cancelOnDisappear: true
            """
        },
    ]

    private static let rctFacts = [
        PresetFact(.exact, "memory limit", "20 MiB, in an NSCache."),
        PresetFact(.believed, "memory order", "The eviction order of Darwin's NSCache."),
        PresetFact(
            .exact, "memory entries",
            """
            Bitmaps of at most 2 MiB; where memory: sets another limit, of at most a tenth of it. An image that fills \
            the width of a phone never enters. An older entry of a \
            refused image stays.
            """),
        PresetFact(
            .assumed, "memory cost",
            """
            The bytes of the bitmap in the size of its view, with all frames. In a session that does not record sizes \
            of views, an image that is larger than its view counts too much.
            """),
        recordedFrames,
        PresetFact(
            .exact, "keys",
            """
            URL, size, scale and resizeMode: each size of a view is an image of its own. In a session that does not \
            record sizes, an image has one size, and a thumbnail another.
            """),
        PresetFact(
            .exact, "lifetime in memory",
            """
            From Date: max-age, or until Expires, or a tenth of the time since Last-Modified. Without any of them, for \
            ever. Age has no effect. A response with no-store, no-cache or max-age=0 is not stored.
            """),
        PresetFact(
            .assumed, "Date", "Age before the response, if the recording lacks it. Most recordings do."),
        PresetFact(
            .exact, "memory warning, background",
            "Both clear memory; so does a moment in which the app is not active, which no trace records."),
        PresetFact(
            .documented, "second memory", "The shared URLCache has 4 MB of responses. It is not part of this preset."),
        PresetFact(.exact, "fetches", "A new one starts while fewer than 4 load or wait for decoding."),
        PresetFact(.exact, "coalescing", "None: each view fetches for itself."),
        PresetFact(.exact, "decoding", "Two at a time, up to 30 MiB."),
        PresetFact(.exact, "retries", "None."),
        PresetFact(
            .exact, "prefetch",
            """
            Image.prefetch decodes under a key that no view has, so only the URLCache helps. In a session that does \
            not record sizes of views, memory helps too.
            """),
        PresetFact(.exact, "cancelling", "A view that leaves its window cancels its load."),
    ]

    private static let fastImage = [
        CachePreset.onDarwinNSCache(
            "fast-image-ios", .crossPlatform,
            "react-native-fast-image 8 on iOS: SDWebImage 5.11, with a weak map of the images that are shown.",
            source: "DylanVann/react-native-fast-image 8.6.3 at 9ab80fc of October 2022, read in source",
            facts: [
                PresetFact(.exact, "memory limit", "None by default, as in SDWebImage."),
                PresetFact(
                    .believed, "memory cost",
                    "The bytes of the bitmap. Views are those of SDAnimatedImage, which loads one frame at a time."),
                PresetFact(.exact, "live images", "A weak map finds an image that a view shows after NSCache lost it."),
                PresetFact(
                    .assumed, "live images and NSCache",
                    "A hit in the weak map does not bring the image back. It matters where an app sets a limit."),
                PresetFact(.exact, "memory warning", "Clears NSCache. The weak map stays."),
                PresetFact(.exact, "disk lifetime", "7 days after the write. A read does not renew the lifetime."),
                PresetFact(.exact, "failed URLs", "They are fetched again: FastImage passes RetryFailed."),
                PresetFact(.exact, bodies, "Not stored, as in SDWebImage. The next request fetches again."),
                PresetFact(.exact, "prefetch", "preload has the key of the views, and brings images to memory."),
                PresetFact(.exact, "fetches", "6 at a time, coalesced by URL."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            "\(sdWebImageMemory); live: stays; \(sdWebImageDisk(extendOnAccess: false)); \(sdWebImagePipeline)"
        },
        CachePreset(
            "fast-image-android", .crossPlatform, "react-native-fast-image 8 on Android: Glide 4.12 with its defaults.",
            source: "DylanVann/react-native-fast-image 8.6.3 at 9ab80fc of October 2022, read in source",
            facts: [
                PresetFact(.exact, "tiers", "Those of Glide with its defaults: see the preset glide."),
                PresetFact(
                    .exact, "cache: web",
                    "Neither memory nor disk: each mount downloads. The preset has the default, immutable."),
                PresetFact(
                    .exact, "keys",
                    """
                    URL, size and transformations: each size of a view is an image of its own, in a session that \
                    records sizes.
                    """),
                PresetFact(
                    .exact, "prefetch",
                    """
                    preload has another key than the views, so only the disk helps. In a session that does not record \
                    sizes of views, memory helps too.
                    """),
                PresetFact(
                    .exact, bodies, "As in Glide: the file stays, and each later request fetches again and fails."),
                PresetFact(.documented, "coalescing", "Of the whole load, as in Glide."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { device in glideSpecification(device) },
    ]
}
