/// Libraries for Compose Multiplatform, on systems other than Android.
extension CachePreset {
    static let compose = [
        CachePreset(
            "coil-3-ios", .crossPlatform,
            "Coil 3 on iOS with its defaults: an LRU of 77 MiB, images that are shown, and at most 250 MiB of files.",
            source: "coil-kt/coil at a42b770 of August 2026, 3.5.0 and 64 commits, read in source",
            facts: [
                PresetFact(
                    .exact, "memory limit", "15 % of 512 MiB, whatever the device: 80,530,636 bytes."),
                PresetFact(.exact, "memory order", "LRU."),
                PresetFact(.exact, "memory cost", "The bytes of the bitmap."),
                PresetFact(
                    .exact, "memory entries",
                    "An entry larger than the limit is refused. An older entry of the same key is removed."),
                PresetFact(
                    .exact, "weak references",
                    """
                    An image that a view shows is found although it was evicted or refused. It does not enter the LRU \
                    again, and counts nothing.
                    """),
                PresetFact(.exact, "memory warning, background", "Neither has an effect."),
                PresetFact(
                    .exact, "sizes",
                    """
                    One entry per URL: a bitmap that is smaller than its view is a miss, and is replaced. In a session \
                    that does not record sizes of views, an image has one size, and a thumbnail another.
                    """),
                coilTolerance,
                PresetFact(
                    .exact, "disk",
                    """
                    2 % of the free space, at least 10 MiB and at most 250 MiB. The preset uses 250 MiB. LRU, recorded \
                    in a journal. SHA-256 names.
                    """),
                PresetFact(
                    .exact, "cached failures",
                    """
                    Since 3.4.0, answers of 404, 405, 410, 414 and 501 are stored too, and fail without a request \
                    until they are evicted.
                    """),
                coilBodies,
                PresetFact(.exact, "lifetime on disk", "None: HTTP's headers have no effect by default."),
                PresetFact(
                    .exact, "coalescing",
                    """
                    None: each request reads and fetches for itself. An app can opt in to one fetch for requests of \
                    the same key, since 3.4.0.
                    """),
                PresetFact(.exact, "cancelling", "A view that leaves the composition cancels its request."),
                PresetFact(.exact, "decoding", "Without a limit. The preset has 6 decoding lanes."),
                PresetFact(.assumed, "connections", "As many as the network allows."),
                PresetFact(.exact, "retries", "None."),
            ]
        ) { _ in
            """
            memory: lru(80530636B); cost: decoded; holds: decoded; entryLimit: 100% of limit; oversize: removed; \
            memorySizes: largest; sizeTolerance: 1; live: stays; memoryOnBackground: keep; memoryOnWarning: keep; \
            disk: trim(250MiB, order: lru); layout: sha256; keepsAccessDates: true; diskFailures: stored; \
            undecodable: stored; connections: none; coalesce: false; decodeLanes: 6; cancelOnDisappear: true
            """
        }
    ]
}
