import ReplayEngine

extension CachePreset {
    private static let kingfisherVersion = "Kingfisher 8.11.0"

    static let kingfisher = [
        CachePreset.onDarwinNSCache(
            "kingfisher-8", .apple,
            "Kingfisher 8 with its defaults: NSCache with a lifetime of 300 s, and files for 7 days without a limit.",
            source: "Kingfisher 8.11.0 (July 2026), read in source and run",
            facts: [
                PresetFact(
                    .exact, "memory limit", "A quarter of physical memory. The number of objects has no limit."),
                PresetFact(.believed, "memory order", "The eviction order of Darwin's NSCache."),
                PresetFact(
                    .exact, "memory cost", "The bytes of the bitmap: width x height x 4, for each different frame."),
                CachePreset.recordedFrames,
                PresetFact(
                    executed: kingfisherVersion, "memory lifetime",
                    """
                    300 s. Each hit renews it. A read of an expired object is a miss. The object stays, with its \
                    cost, until the sweep.
                    """),
                PresetFact(
                    executed: kingfisherVersion, "memory sweep", "Every 120 s, by a timer that needs a run loop."),
                PresetFact(
                    .assumed, "memory sweep and order",
                    """
                    In Kingfisher the sweep reads every object, in no defined order, and NSCache may count this as a \
                    use. In a replay the sweep does not change the order.
                    """),
                PresetFact(.exact, "disk limit", "None by default."),
                PresetFact(
                    executed: kingfisherVersion, "disk trim",
                    """
                    Where an app sets a limit: in the background, from the limit on, down to half of it. The file \
                    that was read or written longest ago leaves first.
                    """),
                PresetFact(
                    .assumed, "end of the app",
                    "Kingfisher also starts a cleanup then, on a queue. In a replay the app ends before it runs."),
                PresetFact(
                    executed: kingfisherVersion, "disk lifetime",
                    """
                    7 days. Each read from disk renews it. A read checks it. Expired files are removed when the app \
                    enters the background.
                    """),
                PresetFact(.exact, "disk names", "SHA-256 of the key, in one folder."),
                PresetFact(
                    executed: kingfisherVersion, "disk dates",
                    """
                    The modification date is the expiration date. The creation date is the date of the last access. \
                    Dates are whole seconds, rounded up.
                    """),
                PresetFact(
                    .assumed, "creation dates",
                    "Linux cannot set a creation date. The preset uses the file's access date instead."),
                PresetFact(
                    .exact, "disk content",
                    "The image, encoded again: a JPEG as JPEG of quality 1.0, all else as PNG. A GIF stays as it is."),
                PresetFact(
                    .assumed, "size of encoded images",
                    """
                    \(ImageSizes.jpegFactor) times the original as JPEG, and \(ImageSizes.pngFactor) times as PNG, as \
                    measured with photographs. A measured run that decodes encodes images, and files have their \
                    real sizes.
                    """),
                PresetFact(.exact, "fetches", "Coalesced by URL. Kingfisher sets no limit."),
                PresetFact(.documented, "connections", "6 per host, the limit of URLSession over HTTP/1.1."),
                PresetFact(
                    .exact, "disk reads", "On one serial queue. Concurrent reads of the same key are not merged."),
                PresetFact(
                    .exact, "cancelled reads",
                    """
                    Dropped before they begin, and after they end. No image is promoted for a cell that has \
                    disappeared (8.8.1 and later).
                    """),
                PresetFact(
                    .exact, "damaged file",
                    "The request fails, and the image is not downloaded. The read renews the lifetime of the file."),
                PresetFact(
                    .exact, "decoding",
                    "When the image is first drawn, on the main lane, because backgroundDecode is off."),
                PresetFact(.exact, bodies, "Not stored. The next request fetches again."),
                PresetFact(.exact, "prefetch", "5 at a time. An image that is already on disk is not promoted."),
                PresetFact(.exact, "memory warning", "Clears memory."),
                PresetFact(
                    .documented, "background",
                    """
                    Memory is purged, by NSCache and not by code of Kingfisher. keepWhenEnteringBackground, which is \
                    off by default, keeps the objects that are stored while it is on: memoryOnBackground: keep.
                    """),
                PresetFact(
                    .assumed, "cancelling",
                    "A cell that disappears cancels its request, as the documentation recommends."),
            ]
        ) { device in
            """
            memory: ttl(nscache(cost: \(device.memory(0.25))B, model: lru), lifetime: 300s, sweep: 120s, \
            extendOnAccess: true, removeOnRead: false); cost: decoded; holds: decoded; countsFrames: true; \
            disk: ttl(unbounded, lifetime: 7d, extendOnAccess: true, removeOnRead: false, granularity: 1s); \
            layout: sha256; keepsAccessDates: true; wholeSeconds: true; diskContent: jpegOrPNG; \
            atomicWrites: false; \
            connections: 100; connectionsPerHost: 6; prefetchConnections: 5; prefetchInto: memoryIfFetched; \
            cancelOnDisappear: true; cancelledReads: dropped; keepsDamaged: true; decodeOnMainLane: true
            """
        }
    ]
}
