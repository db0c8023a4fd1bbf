extension CachePreset {
    static let sdWebImage = [
        CachePreset.onDarwinNSCache(
            "sdwebimage-5", .apple,
            """
            SDWebImage 5.20 and later with its defaults: NSCache and files without limits. Files expire 7 days after \
            the last read.
            """,
            source: "SDWebImage 5.21.5, read in source",
            facts: sdWebImageFacts(
                age: "7 days after the last read from disk. Since version 5.20 a read renews the lifetime.")
        ) { _ in sdWebImageSpecification(extendOnAccess: true) },
        CachePreset.onDarwinNSCache(
            "sdwebimage-5.19", .apple,
            """
            SDWebImage before 5.20 with its defaults: NSCache and files without limits. Files expire 7 days after the \
            write.
            """,
            source: "SDWebImage 5.19, from the source and changelog of 5.21.5",
            facts: sdWebImageFacts(age: "7 days after the write. A read does not renew the lifetime.")
        ) { _ in sdWebImageSpecification(extendOnAccess: false) },
    ]

    private static func sdWebImageFacts(age: String) -> [PresetFact] {
        [
            PresetFact(.exact, "memory limit", "None by default. Only memory pressure bounds it."),
            PresetFact(
                .believed, "memory order",
                "The eviction order of Darwin's NSCache. It matters where an app sets a limit."),
            PresetFact(.exact, "memory cost", "The bytes of the bitmap, with each different frame."),
            recordedFrames,
            PresetFact(.exact, "memory warning", "Clears memory. The library itself does nothing in the background."),
            PresetFact(.exact, "disk limit", "None by default."),
            PresetFact(.exact, "disk lifetime", age),
            PresetFact(
                .exact, "disk expiry",
                """
                Only the cleanup removes expired files, when the app enters the background and when it ends. Reads do \
                not check ages.
                """),
            PresetFact(
                .exact, "disk sizes",
                "Where an app sets a limit, allocated sizes count, which are whole blocks of the file system."),
            PresetFact(.exact, "disk names", "MD5 of the URL, with the URL's extension, in one folder."),
            PresetFact(.exact, "disk content", "The original bytes, written atomically."),
            PresetFact(.exact, "fetches", "6 at a time, first in first out, coalesced by URL."),
            PresetFact(
                .exact, "disk reads", "On one serial queue. Concurrent reads of the same key are not merged."),
            PresetFact(
                .exact, "validation", "None by default: fetches bypass URLCache, and files have no HTTP lifetime."),
            PresetFact(
                .documented, "validation with refreshCached",
                """
                Each request shows the stored image, and asks through URLCache for the current one. The rules \
                diskLifetime: http and diskRevalidate: cacheThenNetwork come close. They are not part of this preset.
                """),
            PresetFact(
                .exact, "failed URLs",
                """
                A URL whose image cannot be decoded is not fetched again before a restart. A trace can record such \
                images, but few traces do.
                """),
            PresetFact(.exact, bodies, "Not stored. See failed URLs."),
            PresetFact(
                .exact, "decoding",
                "In the background, one at a time within each operation. The preset has 6 decoding lanes."),
            PresetFact(.exact, "prefetch", "3 at a time, at low priority: all other requests start first."),
            PresetFact(
                .exact, "cancelling",
                "A fetch ends with its last handler. A cell that disappears cancels its request."),
        ]
    }

    private static func sdWebImageSpecification(extendOnAccess: Bool) -> String {
        """
        \(sdWebImageMemory); countsFrames: true; \(sdWebImageDisk(extendOnAccess: extendOnAccess)); \
        \(sdWebImagePipeline); undecodable: blocked
        """
    }

    static let sdWebImageMemory = "memory: nscache(cost: 0B, model: lru); cost: decoded; holds: decoded"

    static func sdWebImageDisk(extendOnAccess: Bool) -> String {
        """
        disk: ttl(unbounded, lifetime: 7d, extendOnAccess: \(extendOnAccess), checkOnRead: false); \
        layout: md5-extension; keepsAccessDates: true; diskBlock: 4KiB; sweepOnTerminate: true
        """
    }

    static let sdWebImagePipeline = """
        connections: 6; prefetchConnections: 3; prefetchLast: true; cancelOnDisappear: true; decodeLanes: 6
        """
}
