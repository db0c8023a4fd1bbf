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
                    .assumed, "pipeline", "PINCache fetches nothing. The preset has 6 connections, coalesced by URL."),
                lazyDecoding,
            ]
        ) { _ in "memory: unbounded; cost: none; \(pinSpecification); connections: 6; decodeOnMainLane: true" },
        CachePreset(
            "pinremoteimage", .apple, "PINRemoteImage with PINCache 3 and its defaults.",
            source: "PINRemoteImage and PINCache 3.0.4, read in source",
            facts: pinDiskFacts + [
                PresetFact(
                    .exact, "memory cost", "The encoded and the decoded bytes together. There is no limit by default."),
                PresetFact(.exact, "fetches", "10 at a time, coalesced by URL."),
                PresetFact(.exact, "retries", "Up to 3, with growing delays. The preset waits 4 s, 8 s and 16 s."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            """
            memory: unbounded; cost: encodedAndDecoded; \(pinSpecification); \
            connections: 10; retries: 3; retryDelay: 4s; cancelOnDisappear: true
            """
        },
    ]

    private static let pinDiskFacts = [
        PresetFact(.exact, "memory warning, background", "Both clear memory, asynchronously."),
        PresetFact(
            .exact, "disk limit",
            "50 MiB. Each store trims to it by the modification date. A read renews that date."),
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
        holds: decoded; memoryOnBackground: clear; disk: trim(50MiB, order: lru); diskEntryLimit: 50MiB; \
        layout: escaped; keepsAccessDates: true
        """
}
