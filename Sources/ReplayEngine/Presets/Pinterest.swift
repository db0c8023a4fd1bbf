extension CachePreset {
    static let pinterest = [
        CachePreset(
            "pincache-3", .apple,
            "PINCache 3 with its defaults: memory without a limit, 50 MiB of files, oldest first.",
            source: "PINCache 3.0.4, read in source",
            facts: pinDiskFacts + [
                PresetFact(.exact, "memory limit", "none by default; costs are the caller's, and few pass one"),
                PresetFact(.assumed, "pipeline", "PINCache fetches nothing: 6 connections, coalesced by URL"),
                lazyDecoding,
            ]
        ) { _ in "memory: unbounded; cost: none; \(pinSpecification); connections: 6; decodeOnMainLane: true" },
        CachePreset(
            "pinremoteimage", .apple, "PINRemoteImage over PINCache 3 with its defaults.",
            source: "PINRemoteImage and PINCache 3.0.4, read in source",
            facts: pinDiskFacts + [
                PresetFact(.exact, "memory cost", "encoded and decoded bytes together; no limit by default"),
                PresetFact(.exact, "fetches", "10 at a time, coalesced by URL"),
                PresetFact(.exact, "retries", "up to 3, at growing distances: 4 s, 8 s, 16 s here"),
                PresetFact(.assumed, "cancelling", "cells cancel when they vanish"),
            ]
        ) { _ in
            """
            memory: unbounded; cost: encodedAndDecoded; \(pinSpecification); connections: 10; retries: 3; retryDelay: \
            4s; cancelOnDisappear: true
            """
        },
    ]

    private static let pinDiskFacts = [
        PresetFact(.exact, "memory warning, background", "both clear memory, asynchronously"),
        PresetFact(
            .exact, "disk limit", "50 MiB, trimmed to after each store, by the modification date, which a read renews"),
        PresetFact(
            .exact, "disk entries", "those above the limit are not written, and an older file of that key stays"),
        PresetFact(
            .exact, "disk lifetime", "30 days, which stay without effect unless a lifetime is asked for: none here"),
        PresetFact(
            .exact, "disk names",
            "the key with its special characters escaped; longer than 255 bytes they are never written"),
    ]

    private static let pinSpecification = """
        holds: decoded; memoryOnBackground: clear; disk: trim(50MiB, order: lru); diskEntryLimit: 50MiB; layout: \
        escaped; keepsAccessDates: true
        """
}
