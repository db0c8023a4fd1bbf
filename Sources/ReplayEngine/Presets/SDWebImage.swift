extension CachePreset {
    static let sdWebImage = [
        CachePreset(
            "sdwebimage-5", .apple,
            """
            SDWebImage 5.20 and later with its defaults: NSCache and files without limits, files for 7 days after \
            their last read.
            """,
            source: "SDWebImage 5.21.5, read in source", restsOnDarwinNSCache: true,
            facts: sdWebImageFacts(age: "7 days after the last read from disk, which since 5.20 renews it")
        ) { _ in sdWebImageSpecification(extendOnAccess: true) },
        CachePreset(
            "sdwebimage-5.19", .apple,
            "SDWebImage before 5.20 with its defaults: the same, files for 7 days after they were written.",
            source: "SDWebImage 5.19, by the source and changelog of 5.21.5", restsOnDarwinNSCache: true,
            facts: sdWebImageFacts(age: "7 days after it was written; reads do not renew it")
        ) { _ in sdWebImageSpecification(extendOnAccess: false) },
    ]

    private static func sdWebImageFacts(age: String) -> [PresetFact] {
        [
            PresetFact(.exact, "memory limit", "none by default: only the system's pressure bounds it"),
            PresetFact(.believed, "memory order", "that of Darwin's NSCache, which matters where a limit is set"),
            PresetFact(.exact, "memory cost", "the bitmap's bytes"),
            PresetFact(.exact, "memory warning", "clears memory"),
            PresetFact(.exact, "disk limit", "none by default"),
            PresetFact(.exact, "disk lifetime", age),
            PresetFact(
                .exact, "disk expiry", "by the cleanup on the way to the background alone: never checked on read"),
            PresetFact(.exact, "disk names", "MD5 of the URL with the URL's extension, in one folder"),
            PresetFact(.exact, "disk content", "the original bytes, written atomically"),
            PresetFact(.exact, "fetches", "6 at a time, first in first out, coalesced by URL"),
            PresetFact(.exact, "disk reads", "on one serial queue; concurrent ones of one key are not merged"),
            PresetFact(
                .exact, "failed URLs",
                "undecodable ones are not asked for again before a restart; a trace may tell of such, few do"),
            PresetFact(.exact, "decoding", "in the background, one at a time within each operation: 6 here"),
            PresetFact(.exact, "prefetch", "3 at a time"),
            PresetFact(.exact, "cancelling", "with the last handler; cells cancel when they vanish"),
        ]
    }

    private static func sdWebImageSpecification(extendOnAccess: Bool) -> String {
        """
        memory: nscache(cost: 0B, model: lru); cost: decoded; holds: decoded; \
        disk: ttl(unbounded, lifetime: 7d, extendOnAccess: \(extendOnAccess), checkOnRead: false); layout: \
        md5-extension; keepsAccessDates: true; \
        connections: 6; prefetchConnections: 3; cancelOnDisappear: true; blocksUndecodable: true; decodeLanes: 6
        """
    }
}
