extension CachePreset {
    static let nuke = [
        CachePreset(
            "nuke-12", .apple,
            "Nuke 12 with its optional disk cache: an LRU of a fifth of memory, and 150 MiB of files.",
            source: "Nuke 12, from its source and changelog",
            facts: nukeFacts(
                memory: "LRU. Each store trims to the cost limit first, then to the count limit.",
                limit: "A fifth of physical memory, at most 512 MiB.")
        ) { nukeSpecification(order: "lru", limit: $0.memory(0.2, atMost: 512 << 20), disk: dataCache) },
        CachePreset(
            "nuke-13", .apple,
            "Nuke 13.0.5 and later with its optional disk cache: CLOCK of 15 % of memory, and 150 MiB of files.",
            source: "Nuke main of 2026-08-16 (13.2.0), read in source; versions up to 13.0.4 use LRU in memory",
            facts: nukeFacts(memory: clockOrder, limit: clockLimit)
        ) { nukeSpecification(order: "clock", limit: $0.memory(0.15, atMost: 768 << 20), disk: dataCache) },
        CachePreset(
            "nuke-default", .apple,
            """
            Nuke 13.0.5 and later with its defaults: CLOCK of 15 % of memory, and a URLCache of 150 MiB that follows \
            HTTP's rules.
            """,
            source: "Nuke main of 2026-08-16 (13.2.0), read in source; URLCache from Apple's documentation",
            facts: nukeMemoryFacts(memory: clockOrder, limit: clockLimit)
                + [PresetFact(.exact, "disk", "A URLCache with 150 MiB on disk and no memory.")]
                + urlCacheFacts(disk: 150 << 20) + nukePipelineFacts
        ) {
            nukeSpecification(
                order: "clock", limit: $0.memory(0.15, atMost: 768 << 20), disk: urlCacheOnDisk(150 << 20))
        },
    ]

    private static let clockOrder = """
        CLOCK. A read or an overwrite marks an entry. A new entry has no mark, so a store can evict the entry that it \
        just added.
        """
    private static let clockLimit = "15 % of physical memory, at most 768 MiB."

    private static func nukeFacts(memory: String, limit: String) -> [PresetFact] {
        nukeMemoryFacts(memory: memory, limit: limit) + [
            PresetFact(
                .exact, "disk", "DataCache, which an app must enable. The preset nuke-default is Nuke without it."),
            PresetFact(
                .exact, "disk limit",
                """
                150 MiB. One sweep, 5 s after the launch, goes down to 70 % and removes the least recently used files \
                first.
                """),
            PresetFact(.exact, "disk names", "SHA-1 of the key, in one folder."),
            PresetFact(.exact, "disk content", "The original bytes."),
            PresetFact(
                .exact, "disk writes",
                """
                Not atomic. DataCache stages each write for 1 s, and reads find staged data. A replay writes \
                immediately.
                """),
        ] + nukePipelineFacts
    }

    private static func nukeMemoryFacts(memory: String, limit: String) -> [PresetFact] {
        [
            PresetFact(.exact, "memory order", memory),
            PresetFact(.exact, "memory limit", limit),
            PresetFact(
                .exact, "memory entries",
                """
                Smaller than a tenth of the limit. A store of a larger entry is ignored, and an older entry of the \
                same key stays.
                """),
            PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
            PresetFact(.exact, "memory lifetime", "None."),
            PresetFact(.exact, "background", "Trims memory to a tenth of its limit."),
            PresetFact(.exact, "memory warning", "Clears memory."),
        ]
    }

    private static let nukePipelineFacts = [
        PresetFact(.exact, "decoding", "2 decompressions at a time, in the background, except on macOS."),
        PresetFact(.exact, "fetches", "6 at a time. At most 80 per second after a burst of 25."),
        PresetFact(.exact, "coalescing", "Of the whole task. Concurrent disk reads of the same key are merged too."),
        PresetFact(.exact, "prefetch", "2 at a time."),
        PresetFact(.assumed, "cancelling", "When the last cell that requested the image disappears."),
        PresetFact(.assumed, "partial downloads", "A replay does not resume them."),
    ]

    private static let dataCache = """
        disk: trim(150MiB, order: lru, to: 0.7, onStore: false, first: 5s); layout: sha1; keepsAccessDates: true; \
        atomicWrites: false
        """

    private static func nukeSpecification(order: String, limit: Int, disk: String) -> String {
        """
        memory: trim(\(limit)B, order: \(order)); cost: decoded; holds: decoded; \
        entryLimit: \(limit / 10 - 1)B; oversize: ignored; memoryOnBackground: \(limit / 10)B; \
        \(disk); \
        connections: 6; fetchesPerSecond: 80; burst: 25; coalesceDisk: true; decodeLanes: 2; \
        prefetchConnections: 2; cancelOnDisappear: true
        """
    }
}
