extension CachePreset {
    static let otherAppleLibraries = [
        CachePreset(
            "alamofireimage-4", .apple,
            "AlamofireImage 4 with its defaults: 100 MB of bitmaps, cut to 60 MB, over a URLCache of 150 MiB.",
            source: "AlamofireImage 4.4.0, read in source; URLCache by Apple's documentation",
            facts: [
                PresetFact(
                    .exact, "memory limit",
                    "100,000,000 bytes; above it, the longest unused leave until 60,000,000 are left"),
                PresetFact(.exact, "memory cost", "width x height x 4"),
                PresetFact(.exact, "memory warning", "clears memory; the background does nothing"),
                PresetFact(.exact, "disk", "URLCache of 150 MiB on disk"),
                PresetFact(
                    .assumed, "URLCache in memory",
                    "20 MiB of responses besides, which spare a read from disk: not part of this preset"),
                PresetFact(.exact, "fetches", "4 at a time, first in first out, coalesced by URL"),
                PresetFact(.assumed, "cancelling", "cells cancel when they vanish"),
            ] + urlCacheFacts(disk: 150 << 20)
        ) { _ in
            """
            memory: trim(100000000B, order: lru, to: 0.6); cost: decoded; holds: decoded; \
            \(urlCacheOnDisk(150 << 20)); \
            connections: 4; cancelOnDisappear: true
            """
        },
        CachePreset(
            "hyperoslo-7", .apple,
            "hyperoslo Cache 7 with its defaults: NSCache that is never told a cost, and files for ever.",
            source: "Cache 7.4.0, read in source", restsOnDarwinNSCache: true,
            facts: [
                PresetFact(.exact, "memory limit", "none; a limit of cost would not bind, because none is passed"),
                PresetFact(
                    .believed, "memory order",
                    """
                    that of Darwin's NSCache, which matters where a limit of number is set
                    """),
                PresetFact(.exact, "disk limit", "none by default, and trimmed by hand only"),
                PresetFact(.exact, "disk lifetime", "never by default; where one is set, reads do not check it"),
                PresetFact(.exact, "disk names", "MD5 of the key with its extension, in one folder"),
                PresetFact(.assumed, "pipeline", "it fetches nothing: 6 connections, coalesced by URL"),
                lazyDecoding,
            ]
        ) { _ in
            """
            memory: nscache(cost: 0B, model: lru); cost: none; holds: decoded; disk: unbounded; layout: md5-extension; \
            connections: 6; decodeOnMainLane: true
            """
        },
    ]
}
