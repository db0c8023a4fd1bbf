extension CachePreset {
    static let yyKit = [
        CachePreset(
            "yycache", .apple,
            "YYCache with its defaults: LRU and SQLite without limits, and costs that are never passed.",
            source: "YYCache master of August 2017, read in source",
            facts: yyDiskFacts + [
                PresetFact(
                    .exact, "memory limit",
                    """
                    none by default; a limit of cost would not bind, because YYCache passes 0
                    """),
                PresetFact(.exact, "memory warning, background", "both clear memory"),
                PresetFact(.assumed, "pipeline", "YYCache fetches nothing: 6 connections, coalesced by URL"),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: unbounded; cost: none; holds: decoded; memoryOnBackground: clear; disk: unbounded; layout: sqlite; \
            connections: 6; decodeOnMainLane: true
            """
        },
        CachePreset(
            "yywebimage", .apple,
            "YYWebImage with its defaults: 12 hours in memory, SQLite without limits, no coalescing.",
            source: "YYWebImage and YYCache, masters of 2017, read in source",
            facts: yyDiskFacts + [
                PresetFact(
                    .exact, "memory lifetime", "12 hours, renewed by each hit, checked by a sweep every 5 s alone"),
                PresetFact(
                    .exact, "memory cost", "the bitmap's bytes, 0 for what is promoted from disk in the background"),
                PresetFact(.exact, "memory warning, background", "both clear memory"),
                PresetFact(.exact, "fetches", "no limit, not coalesced"),
                PresetFact(.documented, "connections", "6 to a host, URLSession's over HTTP/1.1"),
                PresetFact(.assumed, "cancelling", "cells cancel when they vanish"),
            ]
        ) { _ in
            """
            memory: ttl(unbounded, lifetime: 12h, sweep: 5s, extendOnAccess: true, checkOnRead: false); cost: decoded; \
            holds: decoded; \
            memoryOnBackground: clear; disk: unbounded; layout: sqlite; connections: 100; connectionsPerHost: 6; \
            coalesce: false; cancelOnDisappear: true
            """
        },
    ]

    private static let yyDiskFacts = [
        PresetFact(
            .exact, "disk", "SQLite in WAL mode; values above 20,480 bytes are files named by the MD5 of their key"),
        PresetFact(
            .exact, "disk limit", "none by default; where one is set, it is trimmed to every 60 s, in batches of 16"),
        PresetFact(.exact, "disk order", "last access in whole seconds, ties in order of insertion"),
        PresetFact(.exact, "disk damage", "a database that does not open is wiped"),
    ]
}
