extension CachePreset {
    /// Flutter's own image cache.
    static let flutter = [
        CachePreset(
            "flutter-3", .crossPlatform,
            "Flutter's ImageCache and NetworkImage with their defaults: an LRU of 100 MiB, and no disk.",
            source: """
                flutter/flutter: image_cache.dart at 00606bf of late 2024, the framework at 90e4a12 of January 2024, \
                and _network_image_io.dart and the engine's Android embedding at 000a6d6 of 2025, read in source
                """,
            facts: flutterFacts
        ) { _ in
            """
            \(flutterMemory); disk: none; connections: none; connectionsPerHost: none; cancelOnDisappear: false
            """
        }
    ]

    /// The rules of Flutter's ImageCache. Packages with a disk of their own have them too.
    static let flutterMemory = """
        memory: lru(104857600B, 1000 objects); cost: decoded; holds: decoded; entryLimit: 100% of limit; \
        oversize: ignored; live: returns; memoryOnBackground: clear; memoryOnWarning: clear
        """

    /// The facts about Flutter's ImageCache.
    static let flutterMemoryFacts = [
        PresetFact(.exact, "memory limit", "100 MiB and 1,000 images. Both are inclusive."),
        PresetFact(.exact, "memory order", "LRU. A hit moves an image to the newest place."),
        PresetFact(
            .exact, "memory cost",
            "The bytes of the bitmap, which has 4 bytes per pixel. An animation counts as one of its frames."),
        PresetFact(
            .exact, "memory entries",
            "An image above the limit is not stored. It is still found as long as a widget shows it."),
        PresetFact(
            .exact, "live images",
            """
            An image that a widget shows is found although it was evicted or cleared. It then enters the LRU anew. In \
            the LRU, it counts like all others. Apps of Flutter 1 have no such images.
            """),
        PresetFact(.exact, "memory warning, background", "Both clear the LRU. Images that are shown are still found."),
        PresetFact(
            .exact, "memory warning on Android",
            "onTrimMemory from TRIM_MEMORY_RUNNING_LOW on. Since Android 14, it comes in the background alone."),
        PresetFact(
            .exact, "warning during a load",
            """
            An image whose load is in progress at a warning is not stored. In the preset, it is, when its load ends.
            """),
        PresetFact(
            .exact, "keys",
            """
            URL and scale; with cacheWidth or cacheHeight also those. Each size is an image of its own. In the preset, \
            a thumbnail is one.
            """),
    ]

    private static let flutterFacts =
        flutterMemoryFacts + [
            PresetFact(
                .exact, "disk", "None. NetworkImage does not cache on disk, so each launch begins without images."),
            PresetFact(.exact, "coalescing", "By key: a request for an image whose load is in progress joins it."),
            PresetFact(.exact, "connections", "HTTP/1.1, without a limit."),
            PresetFact(.exact, "retries", "None. After a failure, the next request loads again."),
            PresetFact(.exact, bodies, "Not stored: the next request loads again."),
            PresetFact(
                .exact, "cancelling", "None: a load whose widget has gone goes on, and its image enters the LRU."),
            PresetFact(
                .exact, "fast scrolling",
                "While a list moves fast, widgets wait before they ask. This is not part of this preset."),
            PresetFact(.assumed, "decoding", "Beside the main lane."),
        ]
}
