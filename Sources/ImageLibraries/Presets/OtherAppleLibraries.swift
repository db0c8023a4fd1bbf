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
        CachePreset(
            "hyperoslo-7", .apple,
            "hyperoslo Cache 7 with its defaults: NSCache that receives no costs, and files without a lifetime.",
            source: "Cache 7.4.0, read in source", restsOnDarwinNSCache: true,
            facts: [
                PresetFact(
                    .exact, "memory limit",
                    "None. A cost limit has no effect, because the library passes no costs."),
                PresetFact(
                    .believed, "memory order",
                    "The eviction order of Darwin's NSCache. It matters where an app limits the number of objects."),
                PresetFact(
                    .exact, "disk limit",
                    "None by default. Only the app trims. Allocated sizes count, which are whole blocks."),
                PresetFact(
                    .exact, "disk lifetime", "None by default. Where an app sets a lifetime, reads do not check it."),
                PresetFact(.exact, "disk names", "MD5 of the key, with the key's extension, in one folder."),
                PresetFact(
                    .assumed, "pipeline", "The library fetches nothing. The preset has 6 connections, coalesced by URL."
                ),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: nscache(cost: 0B, model: lru); cost: none; holds: decoded; \
            disk: unbounded; layout: md5-extension; diskBlock: 4KiB; connections: 6; decodeOnMainLane: true
            """
        },
    ]
}
