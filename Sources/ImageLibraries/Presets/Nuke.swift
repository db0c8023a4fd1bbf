extension CachePreset {
    static let nuke = [
        CachePreset(
            "nuke-12", .apple,
            "Nuke 12 with its optional disk cache: an LRU of a fifth of memory, and 150 MiB of files.",
            source: "Nuke 12.8.0, from its source and changelog, and run",
            facts: nukeFacts(
                version: "Nuke 12.8.0",
                memory: "LRU. Each store trims to the cost limit first, then to the count limit.",
                limit: """
                    A fifth of physical memory, at most 512 MiB. A tenth on a device with 512 MiB or less.
                    """) + [
                    PresetFact(
                        .exact, "disk order",
                        """
                        By the file system's access date. Before 12.9.0, a read does not set it itself.
                        """),
                    PresetFact(
                        .assumed, "access dates",
                        """
                        The file system does not renew them at each read, so the file that was written first \
                        leaves first.
                        """),
                    PresetFact(.exact, "disk sweep", sweep("3,600 s")),
                    PresetFact(.exact, "disk reads", "2 at a time."),
                ]
        ) {
            nukeSpecification(
                order: "lru", limit: $0.memory($0.memory <= 512 << 20 ? 0.1 : 0.2, atMost: 512 << 20),
                disk: """
                    disk: trim(150MiB, order: fifo, to: 0.7, onStore: false, first: 5s, interval: 1h); layout: sha1; \
                    diskBlock: 4KiB; diskLanes: 2; atomicWrites: false; undecodable: storedAndFetched
                    """)
        },
        CachePreset(
            "nuke-13", .apple,
            "Nuke 13.0.5 and later with its optional disk cache: CLOCK of 15 % of memory, and 150 MiB of files.",
            source: "Nuke 13.2.0 (main of 2026-08-16), read in source and run; versions up to 13.0.4 use LRU in memory",
            facts: nukeFacts(version: "Nuke 13.2.0", memory: clockOrder, limit: clockLimit) + [
                PresetFact(
                    executed: "Nuke 13.2.0", "disk order", "The file that was read or written longest ago leaves first."
                ),
                PresetFact(executed: "Nuke 13.2.0", "disk sweep", sweep("1,800 s")),
            ]
        ) { nukeSpecification(order: "clock", limit: $0.memory(0.15, atMost: 768 << 20), disk: dataCache) },
        CachePreset(
            "nuke-default", .apple,
            """
            Nuke 13.0.5 and later with its defaults: CLOCK of 15 % of memory, and a URLCache of 150 MiB that follows \
            HTTP's rules.
            """,
            source: "Nuke main of 2026-08-16 (13.2.0), read in source; URLCache from Apple's documentation",
            facts: nukeMemoryFacts(version: "Nuke 13.2.0", memory: clockOrder, limit: clockLimit)
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

    private static func sweep(_ interval: String) -> String {
        "5 s after a launch, unless that launch comes within \(interval) of the last sweep."
    }

    private static func nukeFacts(version: String, memory: String, limit: String) -> [PresetFact] {
        nukeMemoryFacts(version: version, memory: memory, limit: limit) + [
            PresetFact(
                .exact, "disk", "DataCache, which an app must enable. The preset nuke-default is Nuke without it."),
            PresetFact(
                .exact, "disk limit",
                """
                150 MiB of allocated sizes, which are whole blocks of the file system. Above it, a sweep goes down to \
                70 %.
                """),
            PresetFact(.assumed, "block", "4,096 bytes, the block of APFS."),
            PresetFact(.exact, "disk names", "SHA-1 of the key, in one folder."),
            PresetFact(.exact, "disk content", "The original bytes."),
            PresetFact(
                .exact, bodies,
                "Written before they are decoded. The next request reads the file, fetches again, and replaces it."),
            PresetFact(
                .exact, "disk writes",
                """
                Not atomic. DataCache stages each write for 1 s, and reads find staged data. A replay writes \
                immediately.
                """),
        ] + nukePipelineFacts
    }

    private static func nukeMemoryFacts(version: String, memory: String, limit: String) -> [PresetFact] {
        [
            PresetFact(executed: version, "memory order", memory),
            PresetFact(.exact, "memory limit", limit),
            PresetFact(
                executed: version, "memory entries",
                """
                Smaller than a tenth of the limit. A store of a larger entry is ignored, and an older entry of the \
                same key stays.
                """),
            PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
            PresetFact(
                .assumed, "cost of a GIF", "The bytes of its first frame. Nuke adds the encoded bytes, which it keeps."),
            PresetFact(.exact, "memory lifetime", "None."),
            PresetFact(executed: version, "background", "Trims memory to a tenth of its limit."),
            PresetFact(
                executed: version, "memory warning",
                "Clears memory, when the system reports pressure. This comes before the notification of the app."),
        ]
    }

    private static let nukePipelineFacts = [
        PresetFact(.exact, "decoding", "2 decompressions at a time, in the background, except on macOS."),
        PresetFact(.exact, "fetches", "6 at a time. At most 80 per second after a burst of 25."),
        PresetFact(.exact, "coalescing", "Of the whole task. Concurrent disk reads of the same key are merged too."),
        PresetFact(.exact, "prefetch", "2 at a time, at low priority: all other requests start first."),
        PresetFact(.assumed, "cancelling", "When the last cell that requested the image disappears."),
        PresetFact(.assumed, "partial downloads", "A replay does not resume them."),
    ]

    private static let dataCache = """
        disk: trim(150MiB, order: lru, to: 0.7, onStore: false, first: 5s, interval: 30min); layout: sha1; \
        keepsAccessDates: true; diskBlock: 4KiB; atomicWrites: false; undecodable: storedAndFetched
        """

    private static func nukeSpecification(order: String, limit: Int, disk: String) -> String {
        """
        memory: trim(\(limit)B, order: \(order)); cost: decoded; holds: decoded; \
        entryLimit: below 10% of limit; oversize: ignored; memoryOnBackground: 10% of limit; \
        \(disk); \
        connections: 6; fetchesPerSecond: 80; burst: 25; coalesceDisk: true; decodeLanes: 2; \
        prefetchConnections: 2; prefetchLast: true; cancelOnDisappear: true
        """
    }
}
