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
                lazyDecoding,
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
                PresetFact(.exact, "retries", "Up to 3, after powers of 4: 4 s, 16 s and 64 s."),
                PresetFact(.assumed, "cancelling", "A cell that disappears cancels its request."),
            ]
        ) { _ in
            """
            memory: unbounded; cost: encodedAndDecoded; \(pinSpecification); \
            connections: 10; retries: 3; retryDelay: 4s; retryFactor: 4; cancelOnDisappear: true
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
        holds: decoded; memoryOnBackground: clear; disk: trim(50MiB, order: lru); diskEntryLimit: 50MiB; \
        layout: escaped; keepsAccessDates: true; diskBlock: 4KiB
        """
}
