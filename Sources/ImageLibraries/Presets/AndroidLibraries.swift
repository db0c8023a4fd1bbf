extension CachePreset {
    static let androidLibraries = [
        CachePreset(
            "glide", .android, "Glide with its defaults: an LRU of two screens of bitmaps, and 250 MiB of files.",
            source: "Glide 5.0.9, read in source and run",
            facts: androidFacts + [
                PresetFact(
                    .exact, "memory limit",
                    """
                    Two screens at 4 bytes per pixel. This limit, a pool of one screen and 4 MiB for arrays fit into \
                    40 % of the memory class; if they do not, both shrink alike.
                    """),
                PresetFact(executed: glideVersion, "memory order", "LRU."),
                PresetFact(
                    executed: glideVersion, "memory entries",
                    "An entry as large as the limit, or larger, is refused. An older entry of the same key stays."),
                PresetFact(
                    .exact, "keys",
                    """
                    URL, width, height and transformations: each size of a view is an image of its own, in a session \
                    that records sizes.
                    """),
                PresetFact(
                    executed: glideVersion, "active resources",
                    """
                    A hit takes the image out of the LRU. An image that is shown is always a hit and takes no room. \
                    It returns to the LRU when the last view that shows it releases it.
                    """),
                PresetFact(
                    executed: glideVersion, "memory warning and background",
                    "onLowMemory clears memory, and so does TRIM_MEMORY_BACKGROUND."),
                PresetFact(
                    .exact, "other levels",
                    """
                    TRIM_MEMORY_RUNNING_CRITICAL and TRIM_MEMORY_UI_HIDDEN trim to half of the limit. Lower levels \
                    have no effect.
                    """),
                PresetFact(executed: glideVersion, "disk order", "LRU, recorded in a journal."),
                PresetFact(.exact, "disk", "250 MiB. SHA-256 names. A file that exists is not written again."),
                PresetFact(
                    .exact, bodies,
                    """
                    The body is written before it is decoded. Each later request reads it, fetches again, keeps the \
                    file, and fails, until the file leaves or the cache is cleared.
                    """),
                PresetFact(
                    .documented, "coalescing",
                    "Of the whole load, its read from disk included: a request joins a load of its key in progress."),
                PresetFact(.assumed, "bitmap pool", "Not part of this preset."),
            ]
        ) { device in
            glideSpecification(device)
        },
        CachePreset(
            "coil-3", .android,
            "Coil 3 with its defaults: an LRU of a fifth of the app's memory, and at most 250 MiB of files.",
            source: "Coil 3.5.0, read in source and run",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "20 % of the memory class."),
                PresetFact(executed: coilVersion, "memory order", "LRU."),
                PresetFact(
                    executed: coilVersion, "memory entries",
                    "An entry larger than the limit is refused. An older entry of the same key is removed."),
                PresetFact(
                    .exact, "sizes",
                    """
                    One entry per URL: a bitmap that is smaller than its view is a miss, and is replaced. In a session \
                    that does not record sizes of views, an image has one size, and a thumbnail another.
                    """),
                coilTolerance,
                PresetFact(
                    .exact, "weak references",
                    "Coil also finds images that the app still shows. This is not part of this preset."),
                PresetFact(
                    executed: coilVersion, "memory warning and background",
                    "onLowMemory clears memory, and so does TRIM_MEMORY_BACKGROUND."),
                PresetFact(
                    .exact, "other levels",
                    """
                    From TRIM_MEMORY_RUNNING_LOW on, the other levels of a running app trim to half of the present \
                    size. TRIM_MEMORY_UI_HIDDEN has no effect.
                    """),
                PresetFact(
                    .exact, "disk",
                    """
                    2 % of the free space, at least 10 MiB and at most 250 MiB. The preset uses 250 MiB. LRU, \
                    recorded in a journal. SHA-256 names.
                    """),
                PresetFact(
                    .exact, "cached failures",
                    """
                    Since 3.4.0, answers of 404, 405, 410, 414 and 501 are stored too, and fail without a request \
                    until they are evicted.
                    """),
                coilBodies,
                PresetFact(
                    .exact, "coalescing",
                    """
                    None: each request reads and fetches for itself. An app can opt in to one fetch for requests of \
                    the same key, since 3.4.0.
                    """),
            ]
        ) { device in
            let limit = device.memoryClass / 5
            return """
                memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: 100% of limit; \
                oversize: removed; memorySizes: largest; sizeTolerance: 1; \
                memoryOnBackground: \(device.backgroundLevel == .uiHidden ? "keep" : "clear"); \
                memoryOnWarning: \(device.warningLevel.action(runningCritical: "50%")); \
                disk: trim(250MiB, order: lru); layout: sha256; keepsAccessDates: true; diskFailures: stored; \
                undecodable: stored; connections: 5; coalesce: false; cancelOnDisappear: true
                """
        },
        CachePreset(
            "fresco", .android,
            "Fresco with its defaults: a quarter of the app's memory for at most 256 bitmaps, and 40 MiB of files.",
            source: "Fresco 3.7.0, read in source and run",
            facts: androidFacts + [
                PresetFact(
                    .exact, "memory limit",
                    """
                    A quarter of the memory class, and 256 bitmaps. 4 MiB below a memory class of 32 MiB, and 6 MiB \
                    below one of 64 MiB.
                    """),
                PresetFact(executed: frescoVersion, "memory order", "LRU of the bitmaps that no view shows."),
                PresetFact(
                    .assumed, "shown bitmaps",
                    "The preset evicts them like all others. Fresco keeps them, and counts them against its limits."),
                PresetFact(
                    .exact, "memory warning, background",
                    "Neither has an effect: the default registry trims nothing. An app must give its own."),
                PresetFact(
                    .exact, "encoded memory",
                    """
                    An LRU of encoded images between bitmaps and files: 4 MiB, 2 MiB below a heap of 32 MiB, and 1 MiB \
                    below one of 16 MiB. An entry takes up at most an eighth of it.
                    """),
                PresetFact(
                    executed: frescoVersion, "disk trim",
                    """
                    Before a file is written, if more than the limit is held: the least recently used files leave \
                    until less than 90 % is held.
                    """),
                PresetFact(.exact, "disk", "40 MiB in 100 folders."),
                PresetFact(
                    .exact, bodies,
                    "Not stored: bytes of an unknown format enter neither memory nor files. The next request fetches."),
                PresetFact(
                    .documented, "coalescing",
                    """
                    Of reads and fetches: a request joins one of the same bitmap in progress, or of the same encoded \
                    image.
                    """),
            ]
        ) { device in
            "\(frescoTiers(device)); connections: 3; coalesceDisk: true; cancelOnDisappear: true"
        },
    ]

    /// The behaviour of Coil on all systems with bodies that are no image, and with bitmaps that are nearly large
    /// enough.
    static let coilBodies = PresetFact(
        .exact, bodies,
        """
        The body is written before it is decoded, and stays: each later request fails without a fetch until the file \
        leaves.
        """)
    static let coilTolerance = PresetFact(
        .exact, "tolerance of sizes",
        "A bitmap whose width or height differs from that of its view by at most a pixel is a hit.")

    private static let glideVersion = "Glide 5.0.9"
    private static let coilVersion = "Coil 3.5.0"
    private static let frescoVersion = "Fresco 3.7.0"

    /// The rules of Glide with its defaults.
    static func glideSpecification(_ device: Device) -> String {
        let limit = glideLimit(device)
        let half = "50% of limit"
        return """
            memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: below 100% of limit; \
            oversize: ignored; memorySizes: each; pinsShown: true; \
            memoryOnBackground: \(device.backgroundLevel == .uiHidden ? half : "clear"); \
            memoryOnWarning: \(device.warningLevel.action(runningCritical: half)); \
            \(glideDisk); overwrites: false; connections: 4; coalesceDisk: true; cancelOnDisappear: true
            """
    }

    /// Glide's files. A package that wraps them can replace a file that exists.
    static let glideDisk = """
        disk: trim(250MiB, order: lru); layout: sha256; keepsAccessDates: true; undecodable: storedAndFetched
        """

    /// The rules of Fresco's tiers with its defaults.
    static func frescoTiers(_ device: Device) -> String {
        """
        memory: lru(\(frescoLimit(device))B, 256 objects); cost: decoded; holds: decoded; \
        memoryOnWarning: keep; encodedMemory: \(frescoEncodedLimit(device))B; \
        disk: trim(40MiB, order: lru, to: 0.9, below: true, beforeStore: true); layout: shards; \
        keepsAccessDates: true
        """
    }

    /// Glide's `MemorySizeCalculator` on Android 8 and later: two screens for the cache and one for the pool.
    private static func glideLimit(_ device: Device) -> Int {
        let available = max(Int(0.4 * Double(device.memoryClass)) - (4 << 20), 0)
        let wanted = 3 * device.screen.bitmapBytes
        return wanted <= available ? 2 * device.screen.bitmapBytes : max(2 * (available / 3), 1)
    }

    /// Fresco's `DefaultBitmapMemoryCacheParamsSupplier`.
    private static func frescoLimit(_ device: Device) -> Int {
        switch device.memoryClass {
        case ..<(32 << 20): 4 << 20
        case ..<(64 << 20): 6 << 20
        default: device.memoryClass / 4
        }
    }

    /// Fresco's `DefaultEncodedMemoryCacheParamsSupplier`, with the memory class as the heap.
    private static func frescoEncodedLimit(_ device: Device) -> Int {
        switch device.memoryClass {
        case ..<(16 << 20): 1 << 20
        case ..<(32 << 20): 2 << 20
        default: 4 << 20
        }
    }

    private static let androidFacts = [
        PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
        PresetFact(
            .assumed, "device",
            "A memory class of 256 MiB, and a screen of 1080 x 2400 pixels. memoryClass: and screen: set others."),
        PresetFact(
            .documented, "memory warning on Android 14 and later",
            "A running app receives none. warningLevel: lowMemory or runningCritical is an earlier version."),
        PresetFact(
            .assumed, "background",
            """
            TRIM_MEMORY_BACKGROUND, which comes before the app is frozen, some 10 s after TRIM_MEMORY_UI_HIDDEN. \
            backgroundLevel: uiHidden is a shorter stay.
            """),
        PresetFact(.assumed, "fetches", "A few connections. A cell that disappears cancels its request."),
    ]
}
