extension CachePreset {
    static let otherAppleLibraries = [
        CachePreset(
            "alamofireimage-4", .apple,
            "AlamofireImage 4 with its defaults: 100 MB of bitmaps, trimmed to 60 MB, and a URLCache of 150 MiB.",
            source: "AlamofireImage 4.4.0, read in source and run; URLCache from Apple's documentation",
            facts: [
                PresetFact(
                    executed: "AlamofireImage 4.4.0", "memory limit",
                    """
                    100,000,000 bytes. Above the limit, a trim removes the least recently used images until \
                    60,000,000 bytes are left.
                    """),
                PresetFact(.exact, "memory cost", "Width x height x 4."),
                PresetFact(
                    executed: "AlamofireImage 4.4.0", "memory warning",
                    "Clears memory. Entering the background has no effect."),
                PresetFact(.exact, "disk", "A URLCache with 150 MiB on disk."),
                PresetFact(
                    .assumed, "URLCache in memory",
                    "20 MiB of responses, which save reads from disk. They are not part of this preset."),
                PresetFact(
                    .exact, "fetches",
                    """
                    4 at a time, first in first out, coalesced by URL. The request that others join asks URLCache, so \
                    reads from disk are coalesced too.
                    """),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ] + urlCacheFacts(disk: 150 << 20)
        ) { _ in
            """
            memory: trim(100000000B, order: lru, to: 0.6); cost: decoded; holds: decoded; \
            \(urlCacheOnDisk(150 << 20)); connections: 4; coalesceDisk: true; cancelOnDisappear: true
            """
        },
        CachePreset.onDarwinNSCache(
            "hyperoslo-7", .apple,
            "hyperoslo Cache 7 with its defaults: NSCache that receives no costs, and files without a lifetime.",
            source: "Cache 7.4.0, read in source",
            facts: [
                PresetFact(
                    .exact, "memory limit",
                    "None. A cost limit has no effect, because the library passes no costs."),
                PresetFact(
                    .believed, "memory order",
                    "The eviction order of Darwin's NSCache. It matters where an app limits the number of objects."),
                PresetFact(.assumed, "memory warning", "Clears memory. The library leaves it to NSCache."),
                PresetFact(
                    .exact, "disk limit",
                    "None by default. Only the app trims. Allocated sizes count, which are whole blocks."),
                PresetFact(
                    .exact, "disk lifetime", "None by default. Where an app sets a lifetime, reads do not check it."),
                PresetFact(.exact, "disk names", "MD5 of the key, with the key's extension, in one folder."),
                PresetFact(
                    .assumed, "pipeline", "The library fetches nothing. The preset has 6 connections, coalesced by URL."
                ),
                storesImagesAlone, lazyDecoding,
            ]
        ) { _ in
            """
            memory: nscache(cost: 0B, model: lru); cost: none; holds: decoded; \
            disk: unbounded; layout: md5-extension; diskBlock: 4KiB; connections: 6; decodeOnMainLane: true
            """
        },
    ]
}

extension CachePreset {
    static let pinterest = [
        CachePreset(
            "pincache-3", .apple,
            "PINCache 3 with its defaults: memory without a limit, and 50 MiB of files, trimmed oldest first.",
            source: "PINCache 3.0.4, read in source",
            facts: pinDiskFacts + [
                PresetFact(
                    .exact, "memory limit", "None by default. The caller sets costs, and few callers do."),
                PresetFact(
                    .exact, "memory hits", "A hit in memory renews the date of the object's file, asynchronously."),
                PresetFact(
                    .assumed, "pipeline", "PINCache fetches nothing. The preset has 6 connections, coalesced by URL."),
                storesImagesAlone, lazyDecoding,
            ]
        ) { _ in
            """
            memory: unbounded; cost: none; \(pinSpecification); memoryHitsRenewFiles: true; connections: 6; \
            decodeOnMainLane: true
            """
        },
        CachePreset(
            "pinremoteimage", .apple, "PINRemoteImage with PINCache 3 and its defaults.",
            source: "PINRemoteImage and PINCache 3.0.4, read in source",
            facts: pinDiskFacts + [
                PresetFact(
                    .exact, "memory cost", "The encoded and the decoded bytes together. There is no limit by default."),
                PresetFact(.exact, "fetches", "10 at a time, coalesced by URL."),
                PresetFact(
                    .exact, "memory hits", "They do not renew files: PINRemoteImage asks the memory cache alone."),
                PresetFact(
                    .exact, "retries",
                    """
                    Up to 3, after powers of 4: 4 s, 16 s and 64 s. Only without a response, and with a status from \
                    500 \
                    on: a 404 fails at once.
                    """),
                PresetFact(
                    .exact, bodies, "Written, and removed as soon as decoding fails. The next request fetches again."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            """
            memory: unbounded; cost: encodedAndDecoded; \(pinSpecification); \
            connections: 10; retries: 3; retriesAfter: serverErrors; retryDelay: 4s; retryFactor: 4; \
            cancelOnDisappear: true
            """
        },
    ]

    private static let pinDiskFacts = [
        PresetFact(.exact, "memory warning, background", "Both clear memory, asynchronously."),
        PresetFact(
            .exact, "disk limit",
            """
            50 MiB of allocated sizes, which are whole blocks of the file system. Each store trims to it by the \
            modification date. A read renews that date.
            """),
        PresetFact(.assumed, "block", "4,096 bytes, the block of APFS."),
        PresetFact(
            .exact, "disk entries",
            "An entry larger than the limit is not written. An older file of the same key stays."),
        PresetFact(
            .exact, "disk lifetime",
            "30 days. The lifetime has no effect unless the app enables lifetimes. The preset does not."),
        PresetFact(
            .exact, "disk names",
            "The key with its special characters escaped. A name longer than 255 bytes is never written."),
    ]

    private static let pinSpecification = """
        holds: decoded; memoryOnBackground: clear; disk: trim(50MiB, order: lru); diskEntryLimit: 100% of limit; \
        layout: escaped; keepsAccessDates: true; diskBlock: 4KiB
        """
}

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
                storesImagesAlone, lazyDecoding,
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
                PresetFact(.exact, bodies, "Not stored. The next request fetches again."),
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
