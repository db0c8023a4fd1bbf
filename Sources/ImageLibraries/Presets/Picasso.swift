extension CachePreset {
    static let picasso = [
        CachePreset(
            "picasso-2", .android, "Picasso 2.8 with its defaults, over Wi-Fi: a seventh of the app's memory.",
            source: "Picasso 2.8, read in source",
            facts: picassoFacts + [
                PresetFact(
                    .exact, "threads", "4 over Wi-Fi, 3 over LTE, 2 over 3G and 1 over 2G. The preset has 4."),
                PresetFact(.exact, "Picasso 2.5.2", "An image above the limit empties memory. Not in this preset."),
            ]
        ) { device in picassoSpecification(device, threads: 4) },
        CachePreset(
            "picasso-3", .android, "Picasso 3 with its defaults: a seventh of the app's memory, and OkHttp's cache.",
            source: "square/picasso, 3.0.0-SNAPSHOT at e94d611 of November 2024, read in source",
            facts: picassoFacts + [PresetFact(.exact, "threads", "3.")]
        ) { device in picassoSpecification(device, threads: 3) },
    ]

    private static let picassoFacts = [
        PresetFact(.exact, "memory limit", "A seventh of the memory class: 14.29 %."),
        PresetFact(.exact, "memory order", "LRU."),
        PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
        PresetFact(
            .exact, "memory entries",
            "An entry larger than the limit is refused. An older entry of the same key is removed."),
        PresetFact(.exact, "memory warning, background", "Neither has an effect."),
        PresetFact(
            .exact, "keys",
            """
            URL, size and transformations: each size of a view is an image of its own. In a session that does not \
            record sizes, an image has one size, and a thumbnail another.
            """),
        PresetFact(
            .exact, "disk",
            "OkHttp's cache: 2 % of the volume, at least 5 MiB and at most 50 MiB. The preset has 50 MiB."),
        PresetFact(.exact, "lifetime on disk", "By HTTP's headers."),
        PresetFact(.assumed, "lifetime where no headers were recorded", "1 day."),
        PresetFact(
            .exact, "coalescing",
            """
            By key: two sizes of one URL are two fetches. In the preset, a thumbnail and its image without sizes share \
            one.
            """),
        PresetFact(
            .exact, "retries",
            """
            After an attempt without a response, one more, 500 ms later. A response with any status of an error, such \
            as \
            404, fails at once.
            """),
        PresetFact(
            .assumed, "last attempt",
            "500 ms after the second attempt, Picasso asks the disk alone. The preset fails without that."),
        PresetFact(
            .exact, bodies,
            "Stored by their headers, like any response: a request that finds one fails, without a fetch."),
        PresetFact(
            .assumed, "another attempt for bodies that are no image",
            """
            None. Picasso asks again after 500 ms, and finds the same body on disk. Where its headers forbid to store \
            it, Picasso fetches again.
            """),
        PresetFact(
            .exact, "cancelling",
            "A load that runs is finished and its bitmap is stored; one that waits is dropped. The preset drops none."),
        PresetFact(
            .assumed, "device", "A memory class of 256 MiB. memoryClass: sets another one."),
    ]

    private static func picassoSpecification(_ device: Device, threads: Int) -> String {
        let limit = max(device.memoryClass / 7, 1)
        return """
            memory: lru(\(limit)B); cost: decoded; holds: decoded; entryLimit: 100% of limit; oversize: removed; \
            memorySizes: each; memoryOnBackground: keep; memoryOnWarning: keep; \
            disk: ttl(lru(50MiB), lifetime: 1d); diskLifetime: http; diskRevalidate: conditional; \
            undecodable: stored; keepsAccessDates: true; connections: \(threads); \
            retries: 1; retriesAfter: noResponse; retryDelay: 500ms; retryFactor: 1; cancelOnDisappear: false
            """
    }
}
