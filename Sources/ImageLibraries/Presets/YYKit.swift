extension CachePreset {
    static let yyKit = [
        CachePreset(
            "yycache", .apple,
            "YYCache with its defaults: LRU and SQLite without limits, and no costs.",
            source: "YYCache master of August 2017, read in source",
            facts: yyDiskFacts + [
                PresetFact(
                    .exact, "memory limit",
                    "None by default. A cost limit has no effect, because YYCache passes a cost of 0."),
                PresetFact(.exact, "memory warning, background", "Both clear memory."),
                PresetFact(
                    .assumed, "pipeline", "YYCache fetches nothing. The preset has 6 connections, coalesced by URL."),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: unbounded; cost: none; holds: decoded; memoryOnBackground: clear; \
            disk: unbounded; layout: sqlite; connections: 6; decodeOnMainLane: true
            """
        },
        CachePreset(
            "yywebimage", .apple,
            "YYWebImage with its defaults: 12 hours in memory, SQLite without limits, and no coalescing.",
            source: "YYWebImage and YYCache, masters of 2017, read in source",
            facts: yyDiskFacts + [
                PresetFact(
                    .exact, "memory lifetime",
                    "12 hours. Each hit renews it. Only a sweep every 5 s checks it."),
                PresetFact(
                    .exact, "memory cost",
                    "The bytes of the bitmap. An image that is promoted from disk in the background has a cost of 0."),
                PresetFact(.exact, "memory warning, background", "Both clear memory."),
                PresetFact(.exact, "fetches", "Without a limit, and not coalesced."),
                PresetFact(.documented, "connections", "6 per host, the limit of URLSession over HTTP/1.1."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            """
            memory: ttl(unbounded, lifetime: 12h, sweep: 5s, extendOnAccess: true, checkOnRead: false); \
            cost: decoded; holds: decoded; memoryOnBackground: clear; \
            disk: unbounded; layout: sqlite; \
            connections: 100; connectionsPerHost: 6; coalesce: false; cancelOnDisappear: true
            """
        },
    ]

    private static let yyDiskFacts = [
        PresetFact(
            .exact, "disk",
            "SQLite in WAL mode. A value larger than 20,480 bytes is a file, named by the MD5 of its key."),
        PresetFact(
            .exact, "disk limit",
            "None by default. Where an app sets a limit, a trim runs every 60 s, in batches of 16."),
        PresetFact(.exact, "disk order", "By the last access in whole seconds, then by insertion."),
        PresetFact(.exact, "disk damage", "A database that cannot be opened is deleted."),
    ]
}
