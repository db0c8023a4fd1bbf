// Foundation's own: what an app has that asks for no image cache at all.
extension CachePreset {
    static let urlCaches = [
        CachePreset(
            "urlcache", .apple,
            """
            Darwin's shared URLCache by its documentation: 4 MB of responses in memory, 20 MB on disk, by HTTP's rules.
            """,
            source: "Apple's documentation and headers; what they leave open is believed or assumed",
            facts: [
                PresetFact(.documented, "memory limit", "4 MB, the shared cache's"),
                PresetFact(.believed, "memory order", "LRU; the order is not published"),
                PresetFact(.documented, "memory content", "responses as they came: every image is decoded anew"),
                PresetFact(.documented, "disk", "20 MB, the shared cache's"),
                PresetFact(.assumed, "memory warning", "clears memory"),
                PresetFact(.documented, "connections", "6 to a host, URLSession's over HTTP/1.1"),
                PresetFact(.assumed, "fetches", "not coalesced; cells cancel when they vanish"),
                lazyDecoding,
            ] + urlCacheFacts(disk: 20_000_000)
        ) { _ in
            """
            memory: ttl(max-size(lru(4MB), limit: 1MB), lifetime: \(assumedLifetime)); memoryLifetime: http; \
            \(urlCacheOnDisk(20_000_000)); \
            connections: 100; connectionsPerHost: 6; coalesce: false; cancelOnDisappear: true; decodeOnMainLane: true
            """
        },
        CachePreset(
            "corelibs-urlcache", .apple,
            """
            URLCache of swift-corelibs-foundation, asked by hand: first in first out, one entry for all queries of a \
            path.
            """,
            source:
                """
                swift-corelibs-foundation of October 2024, read in source and run; its URLSession never stores a \
                response, so that an app must
                """,
            facts: [
                PresetFact(
                    .exact, "memory",
                    "4 MiB, first in first out; entries as large as the capacity are refused, and an older one stays"),
                PresetFact(
                    .exact, "disk",
                    "20 MiB, the oldest write leaves first; entries as large as the capacity are refused"),
                PresetFact(.assumed, "an older file of a refused entry", "stays, as in memory"),
                PresetFact(
                    .exact, "keys",
                    """
                    host, port and path: URLs that differ in scheme or query share an entry, and a cell shows \
                    another's image
                    """
                ),
                PresetFact(.exact, "disk names", "Base64 of those; longer than 255 bytes they are never written"),
                PresetFact(
                    .assumed, "seconds in disk names", "stand in front of them there; here the file's date says it"),
                PresetFact(
                    .exact, "lifetime",
                    "by HTTP's headers; no-store, no-cache and Vary are not stored, nor what states no lifetime"),
                PresetFact(.assumed, "lifetime where no headers were recorded", "\(assumedLifetimeInWords)"),
                PresetFact(
                    .assumed, "stored twice",
                    "kills the process there (see `demonstrate urlcache-trap`), and is a store here"),
                PresetFact(.exact, "memory warning, background", "nothing happens"),
                PresetFact(.assumed, "pipeline", "6 connections, not coalesced"),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: ttl(fifo(4MiB), lifetime: \(assumedLifetime)); entryLimit: \(4 << 20 - 1)B; oversize: ignored; \
            memoryKey: hostPath; \
            memoryLifetime: httpExplicit; clearOnMemoryWarning: false; sweepOnBackground: false; \
            disk: ttl(fifo(20MiB), lifetime: \(assumedLifetime)); diskEntryLimit: \(20 << 20 - 1)B; layout: host-path; \
            diskLifetime: httpExplicit; \
            connections: 6; coalesce: false; decodeOnMainLane: true
            """
        },
    ]

    /// What is documented, and what believed, of Darwin's URLCache on disk, with room for so many bytes.
    static func urlCacheFacts(disk: Int) -> [PresetFact] {
        [
            PresetFact(.documented, "disk entries", "up to about 5 % of the limit: \(disk / 20) bytes"),
            PresetFact(.believed, "disk order", "LRU; the order is not published"),
            PresetFact(
                .believed, "disk names", "a database, with files for what is large; here YYCache's, of that form"),
            PresetFact(.documented, "lifetime", "by HTTP's headers: no-store is not stored; max-age, else Expires"),
            PresetFact(
                .believed, "lifetime without either", "a tenth of the time since Last-Modified, as RFC 9111 suggests"),
            PresetFact(.assumed, "lifetime where no headers were recorded", assumedLifetimeInWords),
            PresetFact(
                .assumed, "validation",
                "what is past its lifetime is fetched anew: a 304 would spare the transfer, not the round trip"),
        ]
    }

    static func urlCacheOnDisk(_ capacity: Int) -> String {
        """
        disk: ttl(max-size(lru(\(capacity)B), limit: \(capacity / 20)B), lifetime: \(assumedLifetime)); diskLifetime: \
        http; layout: sqlite
        """
    }

    /// What image servers commonly grant.
    private static let assumedLifetime = "1d"
    private static let assumedLifetimeInWords = "1 day"
}
