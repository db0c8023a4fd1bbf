/// Foundation's URLCache: the cache of an app that uses no image cache.
extension CachePreset {
    static let urlCaches = [
        CachePreset(
            "urlcache", .apple,
            "Darwin's shared URLCache as documented: 4 MB of responses in memory and 20 MB on disk, by HTTP's rules.",
            source: "Apple's documentation and headers; the rest is believed or assumed",
            facts: [
                PresetFact(.documented, "memory limit", "4 MB, the limit of the shared cache."),
                PresetFact(.believed, "memory order", "LRU. Apple does not document the order."),
                PresetFact(
                    .believed, "memory entries",
                    "Up to about 5 % of the limit: 200000 bytes. Apple states this share for the disk alone."),
                PresetFact(
                    .documented, "memory content", "Responses as received. Every request decodes the image again."),
                PresetFact(.documented, "disk", "20 MB, the limit of the shared cache."),
                PresetFact(.assumed, "memory warning", "Clears memory."),
                PresetFact(.documented, "connections", "6 per host, the limit of URLSession over HTTP/1.1."),
                PresetFact(.assumed, "fetches", "Not coalesced. A cell that disappears cancels its request."),
                PresetFact(
                    .assumed, "public suite of HTTP caches",
                    """
                    As HTTPCaching has HTTP's rules. Darwin's class has not run through the suite: \
                    `scripts/checks/http-cases urlcache` runs it on a Mac.
                    """),
                lazyDecoding,
            ] + urlCacheFacts(disk: 20_000_000)
        ) { _ in
            """
            memory: ttl(lru(4MB), lifetime: \(assumedLifetime)); entryLimit: 5% of limit; oversize: removed; \
            memoryLifetime: http; \
            memoryRevalidate: conditional; cost: encoded; holds: encoded; \
            \(urlCacheOnDisk(20_000_000)); \
            connections: 100; connectionsPerHost: 6; coalesce: false; cancelOnDisappear: true; \
            decodeOnMainLane: true
            """
        },
        CachePreset(
            "corelibs-urlcache", .apple,
            """
            URLCache of swift-corelibs-foundation, called by the app: first in first out, one entry for all queries \
            of a path.
            """,
            source:
                """
                swift-corelibs-foundation of October 2024, read in source, and that of Swift 6.3, run; its URLSession \
                never stores a response, so the app must
                """,
            facts: [
                PresetFact(
                    executed: corelibsVersion, "memory",
                    """
                    4 MiB, first in first out. An entry as large as the capacity is refused, and an older entry of \
                    the same key stays.
                    """),
                PresetFact(
                    executed: corelibsVersion, "disk",
                    "20 MiB. The oldest write is evicted first. An entry as large as the capacity is refused."),
                PresetFact(
                    executed: corelibsVersion, "size of an entry",
                    """
                    The archive of the response: its body and about 1,210 bytes. It counts in memory too if there is \
                    a disk tier; without one, the body counts there.
                    """),
                PresetFact(
                    .assumed, "size of the archive",
                    "1,210 bytes beside the body. It grows with the URL and the headers by less than a tenth of that."),
                PresetFact(.assumed, "an older file of a refused entry", "Stays, as in memory."),
                PresetFact(
                    .exact, "keys",
                    """
                    Host, port and path. URLs that differ only in scheme or query share an entry, so a cell can show \
                    the image of another URL.
                    """),
                PresetFact(
                    .exact, "disk names", "Base64 of the key. A name longer than 255 bytes is never written."),
                PresetFact(
                    .assumed, "seconds in disk names",
                    "Foundation begins each name with the time of the write. The preset uses the file's date instead."),
                PresetFact(
                    .exact, "lifetime",
                    """
                    By HTTP's headers. A response with no-store, no-cache or Vary is not stored, nor is one that \
                    states no lifetime.
                    """),
                PresetFact(.assumed, "lifetime where no headers were recorded", "\(assumedLifetimeInWords)."),
                PresetFact(
                    executed: corelibsVersion, "validation",
                    "None. A response past its lifetime is a miss, and is fetched in full."),
                PresetFact(
                    .assumed, "stored twice",
                    """
                    A second store of a key can end the process at a later eviction. In a replay it is a store.
                    """),
                PresetFact(
                    executed: corelibsVersion, "public suite of HTTP caches",
                    """
                    In a session alone: 99 of the 300 cases that browsers run, 76 of 137 required ones; no response is \
                    ever used again. If the app stores each response: 162 and 105. If the app also asks the class \
                    itself: 140 and 44; the class then has no regard to headers. No case ended its process.
                    """),
                PresetFact(
                    executed: corelibsVersion, "lifetime, if the app stores each response",
                    """
                    The session obeys max-age, no-store and no-cache, and uses no response with Vary. It ignores Age \
                    and directives of requests, uses no response that has Expires without max-age, and uses one that \
                    states no lifetime. The preset differs in the last two: it has the rules of the source.
                    """),
                PresetFact(
                    .assumed, bodies,
                    "Stored: the app stores a response when it has arrived, and decodes it afterwards."),
                PresetFact(.exact, "memory warning, background", "Neither has an effect."),
                PresetFact(.assumed, "pipeline", "6 connections, not coalesced."),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: ttl(fifo(4MiB), lifetime: \(assumedLifetime)); entryLimit: below 100% of limit; oversize: ignored; \
            cost: file; holds: encoded; \
            memoryKey: hostPath; memoryLifetime: httpExplicit; memoryOnWarning: keep; \
            sweepOnBackground: false; \
            disk: ttl(fifo(20MiB), lifetime: \(assumedLifetime)); diskEntryLimit: below 100% of limit; \
            layout: host-path; diskOverhead: 1210B; diskLifetime: httpExplicit; undecodable: stored; \
            connections: 6; coalesce: false; decodeOnMainLane: true
            """
        },
    ]

    /// Returns the facts of Darwin's URLCache on disk, with the given capacity in bytes.
    static func urlCacheFacts(disk: Int) -> [PresetFact] {
        [
            PresetFact(.documented, "disk entries", "Up to about 5 % of the limit: \(disk / 20) bytes."),
            PresetFact(.believed, "disk order", "LRU. Apple does not document the order."),
            PresetFact(
                .believed, "disk names",
                "A database, with files for large entries. The preset uses YYCache's layout, which has this form."),
            PresetFact(
                .documented, "lifetime",
                "By HTTP's headers. A response with no-store is not stored. max-age takes precedence over Expires."),
            PresetFact(
                .believed, "lifetime without either",
                "A tenth of the time since Last-Modified, as RFC 9111 suggests."),
            PresetFact(.assumed, "lifetime where no headers were recorded", "\(assumedLifetimeInWords)."),
            PresetFact(
                .documented, bodies,
                "Stored by their headers, like any response: a request that finds one fails, without a fetch."),
            PresetFact(
                .documented, "validation",
                """
                URLSession asks the server before it uses a response past its lifetime, or one with no-cache. It uses \
                the stored response if that is current.
                """),
            PresetFact(
                .believed, "form of the validation",
                """
                A conditional request with the ETag and the date of Last-Modified. An answer of 304 renews the \
                lifetime. stale-while-revalidate and stale-if-error have no effect.
                """),
        ]
    }

    /// Returns the rules of Darwin's URLCache on disk, with the given capacity in bytes.
    static func urlCacheOnDisk(_ capacity: Int) -> String {
        """
        disk: ttl(lru(\(capacity)B), lifetime: \(assumedLifetime)); diskEntryLimit: 5% of limit; \
        diskOversize: removed; diskLifetime: http; diskRevalidate: conditional; undecodable: stored; layout: sqlite
        """
    }

    private static let corelibsVersion = "Foundation of Swift 6.3"
    /// A lifetime that image servers commonly grant.
    private static let assumedLifetime = "1d"
    private static let assumedLifetimeInWords = "1 day"
}
