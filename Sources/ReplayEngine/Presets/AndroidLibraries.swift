extension CachePreset {
    static let androidLibraries = [
        CachePreset(
            "glide", .android, "Glide with its defaults: an LRU of two screens of bitmaps, and 250 MB of files.",
            source: "Glide as of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "Two screens at 4 bytes per pixel."),
                PresetFact(
                    .exact, "memory entries",
                    "An entry as large as the limit, or larger, is refused. An older entry of the same key stays."),
                PresetFact(.exact, "background", "Clears memory."),
                PresetFact(.exact, "disk", "250 MB. LRU, recorded in a journal. SHA-256 names."),
                PresetFact(.assumed, "bitmap pool", "Not part of this preset."),
            ]
        ) { device in
            let limit = device.screenPixels * 4 * 2
            return """
                memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: \(limit - 1)B; \
                oversize: ignored; memoryOnBackground: clear; \
                disk: trim(250MB, order: lru); layout: sha256; keepsAccessDates: true; \
                connections: 4; cancelOnDisappear: true
                """
        },
        CachePreset(
            "coil-3", .android,
            "Coil 3 with its defaults: an LRU of a fifth of the app's memory, and at most 250 MB of files.",
            source: "Coil 3 as of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "20 % of the memory class."),
                PresetFact(
                    .exact, "memory entries",
                    "An entry larger than the limit is refused. An older entry of the same key is removed."),
                PresetFact(
                    .exact, "weak references",
                    "Coil also finds images that the app still shows. This is not part of this preset."),
                PresetFact(.exact, "background", "Clears memory."),
                PresetFact(
                    .exact, "disk",
                    """
                    2 % of the free space, at least 10 MB and at most 250 MB. The preset uses 250 MB. LRU, recorded \
                    in a journal. SHA-256 names.
                    """),
            ]
        ) { device in
            let limit = device.memoryClass / 5
            return """
                memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: \(limit)B; \
                oversize: removed; memoryOnBackground: clear; \
                disk: trim(250MB, order: lru); layout: sha256; keepsAccessDates: true; \
                connections: 5; cancelOnDisappear: true
                """
        },
        CachePreset(
            "fresco", .android,
            "Fresco with its defaults: a quarter of the app's memory for at most 256 bitmaps, and 40 MB of files.",
            source: "Fresco as of August 2026, read in source",
            facts: androidFacts + [
                PresetFact(.exact, "memory limit", "A quarter of the memory class, and 256 bitmaps."),
                PresetFact(
                    .exact, "memory order",
                    """
                    LRU of the bitmaps that no view shows. A replay does not know which bitmaps are shown, so the \
                    preset is an LRU of all.
                    """),
                PresetFact(.exact, "background", "Clears memory."),
                PresetFact(
                    .exact, "disk",
                    "40 MB in 100 folders. A trim goes down to 90 % and removes the least recently used files first."),
            ]
        ) { device in
            """
            memory: lru(\(device.memoryClass / 4)B, 256 objects); cost: decoded; holds: decoded; \
            memoryOnBackground: clear; \
            disk: trim(40MB, order: lru, to: 0.9); layout: shards; keepsAccessDates: true; \
            connections: 3; cancelOnDisappear: true
            """
        },
    ]

    private static let androidFacts = [
        PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
        PresetFact(.assumed, "device", "A memory class of 256 MiB, and a screen of 1080 x 2400 pixels."),
        PresetFact(
            .assumed, "fetches", "Coalesced by URL, with a few connections. A cell that disappears cancels its request."
        ),
        PresetFact(.documented, "memory warning", "Clears memory at a critical level."),
    ]
}
