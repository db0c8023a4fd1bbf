extension CachePreset {
    static let androidLibraries = [
        CachePreset(
            "glide", .android, "Glide with its defaults: LRU of two screens of bitmaps, 250 MB of files.",
            source: "Glide of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "two screens of 4 bytes a pixel"),
                PresetFact(
                    .exact, "memory entries", "as large as the limit or larger they are refused, and an older one stays"
                ),
                PresetFact(.exact, "background", "clears memory"),
                PresetFact(.exact, "disk", "250 MB, LRU by a journal, SHA-256 names"),
                PresetFact(.assumed, "bitmap pool", "not part of this preset"),
            ]
        ) { device in
            let limit = device.screenPixels * 4 * 2
            return """
                memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: \(limit - 1)B; oversize: ignored; \
                memoryOnBackground: clear; \
                disk: trim(250MB, order: lru); layout: sha256; keepsAccessDates: true; connections: 4; \
                cancelOnDisappear: true
                """
        },
        CachePreset(
            "coil-3", .android,
            "Coil 3 with its defaults: LRU of a fifth of the app's memory, 250 MB of files at most.",
            source: "Coil 3 of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "20 % of the memory class"),
                PresetFact(.exact, "memory entries", "larger than the limit they are refused, and an older one goes"),
                PresetFact(.exact, "weak references", "to what the app still shows: not part of this preset"),
                PresetFact(.exact, "background", "clears memory"),
                PresetFact(
                    .exact, "disk",
                    "2 % of the free space, from 10 to 250 MB: 250 MB here; LRU by a journal, SHA-256 names"),
            ]
        ) { device in
            let limit = device.memoryClass / 5
            return """
                memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: \(limit)B; oversize: removed; \
                memoryOnBackground: clear; \
                disk: trim(250MB, order: lru); layout: sha256; keepsAccessDates: true; connections: 5; \
                cancelOnDisappear: true
                """
        },
        CachePreset(
            "fresco", .android,
            "Fresco with its defaults: a quarter of the app's memory for 256 bitmaps, 40 MB of files.",
            source: "Fresco of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "a quarter of the memory class, and 256 bitmaps"),
                PresetFact(
                    .exact, "memory order",
                    "LRU of those that nobody shows; which those are, is not known here: LRU of all"),
                PresetFact(.exact, "background", "clears memory"),
                PresetFact(.exact, "disk", "40 MB, trimmed to 90 %, the longest unused first, in 100 folders"),
            ]
        ) { device in
            """
            memory: lru(\(device.memoryClass / 4)B, 256 objects); cost: decoded; holds: decoded; memoryOnBackground: \
            clear; \
            disk: trim(40MB, order: lru, to: 0.9); layout: shards; keepsAccessDates: true; connections: 3; \
            cancelOnDisappear: true
            """
        },
    ]

    private static let androidFacts = [
        PresetFact(.exact, "memory cost", "the bitmap's bytes"),
        PresetFact(.assumed, "device", "a memory class of 256 MiB and a screen of 1080 x 2400 pixels"),
        PresetFact(.assumed, "fetches", "coalesced by URL, a few at a time; cells cancel when they vanish"),
        PresetFact(.documented, "memory warning", "clears memory at a critical level"),
    ]
}
