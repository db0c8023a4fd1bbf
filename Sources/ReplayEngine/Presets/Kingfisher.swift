extension CachePreset {
    static let kingfisher = [
        CachePreset(
            "kingfisher-8", .apple,
            "Kingfisher 8 with its defaults: NSCache below a lifetime of 300 s, files without a size limit for 7 days.",
            source: "Kingfisher 8.11.0 (July 2026), read in source", restsOnDarwinNSCache: true,
            facts: [
                PresetFact(.exact, "memory limit", "a quarter of physical memory, no limit of number"),
                PresetFact(.believed, "memory order", "that of Darwin's NSCache"),
                PresetFact(.exact, "memory cost", "the bitmap's bytes, width x height x 4"),
                PresetFact(
                    .exact, "memory lifetime",
                    "300 s, renewed by each hit; an expired read misses, and the object stays and costs until the sweep"
                ),
                PresetFact(.exact, "memory sweep", "every 120 s, by a timer that needs a run loop"),
                PresetFact(
                    .assumed, "memory sweep and order",
                    "there it looks at every object, in no order, which NSCache may take for a use; here it does not"),
                PresetFact(.exact, "disk limit", "none by default"),
                PresetFact(
                    .exact, "disk lifetime",
                    """
                    7 days, renewed by each read from disk, checked on read; expired files go on the way to the \
                    background
                    """
                ),
                PresetFact(.exact, "disk names", "SHA-256 of the key, in one folder"),
                PresetFact(
                    .exact, "disk dates",
                    "expiry in the modification date, last access in the creation date, whole seconds rounded up"),
                PresetFact(
                    .assumed, "creation dates", "Linux cannot set them: the file's access date stands for it here"),
                PresetFact(
                    .exact, "disk content",
                    "the image encoded again: JPEG at quality 1.0 for JPEG, PNG for PNG and for everything else"),
                PresetFact(
                    .assumed, "size of what is encoded again",
                    """
                    \(ImageSizes.jpegFactor) times what came as JPEG, \(ImageSizes.pngFactor) times as PNG, as \
                    measured on photographs; --decode does it really
                    """
                ),
                PresetFact(.exact, "fetches", "coalesced by URL; no limit of its own"),
                PresetFact(.documented, "connections", "6 to a host, URLSession's over HTTP/1.1"),
                PresetFact(.exact, "disk reads", "on one serial queue; concurrent ones of one key are not merged"),
                PresetFact(
                    .exact, "cancelled reads",
                    """
                    dropped, before they begin and after: nothing is promoted for a cell that is gone (8.8.1 and later)
                    """
                ),
                PresetFact(
                    .exact, "damaged file",
                    """
                    an error to whoever asks, and no download; reading it renews its lifetime
                    """),
                PresetFact(
                    .exact, "decoding", "when the image is first drawn, on the main lane: backgroundDecode is off"),
                PresetFact(.exact, "prefetch", "5 at a time; what is on disk already is not promoted"),
                PresetFact(.exact, "memory warning", "clears memory"),
                PresetFact(.believed, "background", "NSCache may drop what it holds; here it keeps it"),
                PresetFact(.assumed, "cancelling", "cells cancel when they vanish, as the documentation recommends"),
            ]
        ) { device in
            """
            memory: ttl(nscache(cost: \(device.memory(0.25))B, model: lru), lifetime: 300s, sweep: 120s, \
            extendOnAccess: true, removeOnRead: false); \
            cost: decoded; holds: decoded; \
            disk: ttl(unbounded, lifetime: 7d, extendOnAccess: true, removeOnRead: false, granularity: 1s); \
            layout: sha256; keepsAccessDates: true; wholeSeconds: true; diskContent: jpegOrPNG; atomicWrites: false; \
            connections: 100; connectionsPerHost: 6; prefetchConnections: 5; prefetchPromotes: false; \
            cancelOnDisappear: true; \
            cancelledReads: dropped; keepsDamaged: true; decodeOnMainLane: true
            """
        }
    ]
}
