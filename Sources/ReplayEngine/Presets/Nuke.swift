extension CachePreset {
    static let nuke = [
        CachePreset(
            "nuke-12", .apple, "Nuke 12 with its opt-in disk cache: LRU of a fifth of memory, and 150 MiB of files.",
            source: "Nuke 12, by its source and changelog",
            facts: nukeFacts(
                memory: "LRU, trimmed after each store: cost, then count",
                limit: "a fifth of physical memory, at most 512 MiB")
        ) { nukeSpecification(order: "lru", limit: $0.memory(0.2, atMost: 512 << 20), disk: dataCache) },
        CachePreset(
            "nuke-13", .apple,
            "Nuke 13.0.5 and later with its opt-in disk cache: CLOCK of 15 % of memory, and 150 MiB of files.",
            source: "Nuke main of 2026-08-16 (13.2.0), read in source; versions up to 13.0.4 have LRU in memory",
            facts: nukeFacts(
                memory:
                    """
                    CLOCK: a read or an overwrite sets the mark, new entries have none and may be their own store's \
                    victim
                    """,
                limit: "15 % of physical memory, at most 768 MiB")
        ) { nukeSpecification(order: "clock", limit: $0.memory(0.15, atMost: 768 << 20), disk: dataCache) },
        CachePreset(
            "nuke-default", .apple,
            """
            Nuke 13.0.5 and later as it comes: CLOCK of 15 % of memory over a URLCache of 150 MiB, which goes by \
            HTTP's rules.
            """,
            source: "Nuke main of 2026-08-16 (13.2.0), read in source; URLCache by Apple's documentation",
            facts: nukeMemoryFacts(
                memory:
                    """
                    CLOCK: a read or an overwrite sets the mark, new entries have none and may be their own store's \
                    victim
                    """,
                limit: "15 % of physical memory, at most 768 MiB")
                + [PresetFact(.exact, "disk", "URLCache of 150 MiB on disk and none in memory")]
                + urlCacheFacts(disk: 150 << 20) + nukePipelineFacts
        ) {
            nukeSpecification(
                order: "clock", limit: $0.memory(0.15, atMost: 768 << 20), disk: urlCacheOnDisk(150 << 20))
        },
    ]

    private static func nukeFacts(memory: String, limit: String) -> [PresetFact] {
        nukeMemoryFacts(memory: memory, limit: limit) + [
            PresetFact(.exact, "disk", "DataCache, which an app must ask for; without it see nuke-default"),
            PresetFact(
                .exact, "disk limit", "150 MiB, swept once, 5 s after the launch, down to 70 %, oldest access first"),
            PresetFact(.exact, "disk names", "SHA-1 of the key, in one folder"),
            PresetFact(.exact, "disk content", "the original bytes"),
            PresetFact(.exact, "disk writes", "not atomic; staged for 1 s and readable meanwhile: here at once"),
        ] + nukePipelineFacts
    }

    private static func nukeMemoryFacts(memory: String, limit: String) -> [PresetFact] {
        [
            PresetFact(.exact, "memory order", memory),
            PresetFact(.exact, "memory limit", limit),
            PresetFact(
                .exact, "memory entries",
                "below a tenth of the limit, else the store is ignored and an older entry stays"),
            PresetFact(.exact, "memory cost", "the bitmap's bytes"),
            PresetFact(.exact, "memory lifetime", "none"),
            PresetFact(.exact, "background", "trims memory to a tenth of its limit"),
            PresetFact(.exact, "memory warning", "clears memory"),
        ]
    }

    private static let nukePipelineFacts = [
        PresetFact(.exact, "decoding", "2 decompressions at a time, in the background, except on macOS"),
        PresetFact(.exact, "fetches", "6 at a time; at most 80 a second after a burst of 25"),
        PresetFact(.exact, "coalescing", "of the whole task: disk reads of one key are merged too"),
        PresetFact(.exact, "prefetch", "2 at a time"),
        PresetFact(.assumed, "cancelling", "when the last cell that wants the image vanishes"),
        PresetFact(.assumed, "partial downloads", "are not resumed here"),
    ]

    private static let dataCache = """
        disk: trim(150MiB, order: lru, to: 0.7, onStore: false, first: 5s); layout: sha1; keepsAccessDates: true; \
        atomicWrites: false
        """

    private static func nukeSpecification(order: String, limit: Int, disk: String) -> String {
        """
        memory: trim(\(limit)B, order: \(order)); cost: decoded; holds: decoded; entryLimit: \(limit / 10 - 1)B; \
        oversize: ignored; \
        memoryOnBackground: \(limit / 10)B; \(disk); \
        connections: 6; fetchesPerSecond: 80; burst: 25; coalesceDisk: true; decodeLanes: 2; prefetchConnections: 2; \
        cancelOnDisappear: true
        """
    }
}
