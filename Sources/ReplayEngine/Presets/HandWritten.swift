/// Five published designs, each as it is written, with its slips, and as it was meant.
extension CachePreset {
    static let handWritten = [
        CachePreset(
            "two-tier", .handWritten, "NSCache without limits over one folder of files.",
            source: "a published design, described in words",
            restsOnDarwinNSCache: true,
            facts: twoTierFacts + [
                PresetFact(.assumed, "as intended", "the whole URL is the key, and the downloaded bytes are written")
            ]
        ) { _ in "\(twoTier); layout: md5" },
        CachePreset(
            "two-tier-as-written", .handWritten,
            "The same with its slips: keys of every fifth character, and files encoded again.",
            source: "a published design, described in words", restsOnDarwinNSCache: true,
            facts: twoTierFacts + [
                PresetFact(
                    .exact, "slip: key",
                    """
                    every fifth character of the URL, without slashes: different URLs may share one, and a cell shows \
                    another's image
                    """
                ),
                PresetFact(.exact, "slip: content", "the decoded image encoded again as JPEG of quality 1.0"),
                PresetFact(
                    .assumed, "size of what is encoded again",
                    "\(ImageSizes.jpegFactor) times what came, as measured on photographs; --decode does it really"),
            ]
        ) { _ in "\(twoTier); memoryKey: everyFifth; layout: every-fifth; diskContent: jpeg" },
        CachePreset(
            "ttl-two-tier", .handWritten, "NSCache of a quarter of memory below a lifetime of 300 s, files for 7 days.",
            source: "a published design after Kingfisher, described in words", restsOnDarwinNSCache: true,
            facts: ttlTwoTierFacts + [
                PresetFact(
                    .assumed, "as intended", "the bitmap's bytes are passed as cost, and a read checks the lifetime")
            ]
        ) {
            """
            memory: ttl(nscache(cost: \($0.memory(0.25))B, model: lru), lifetime: 300s, sweep: 240s); cost: decoded; \
            \(ttlTwoTierDisk)
            """
        },
        CachePreset(
            "ttl-two-tier-as-written", .handWritten,
            "The same with its slips: no cost is passed, and reads do not check the lifetime.",
            source: "a published design after Kingfisher, described in words", restsOnDarwinNSCache: true,
            facts: ttlTwoTierFacts + [
                PresetFact(.exact, "slip: cost", "none is passed: the limit never binds"),
                PresetFact(
                    .exact, "slip: lifetime", "checked by the sweep alone: images are delivered up to 240 s past it"),
            ]
        ) {
            """
            memory: ttl(nscache(cost: \($0.memory(0.25))B, model: lru), lifetime: 300s, sweep: 240s, checkOnRead: \
            false); cost: none; \(ttlTwoTierDisk)
            """
        },
        CachePreset(
            "split-md5", .handWritten,
            "100 thumbnails and 20 full images in memory over 256 folders of files; one connection.",
            source: "a published design, described in words", restsOnDarwinNSCache: true,
            facts: splitFacts + [
                PresetFact(.assumed, "as intended", "files are written atomically, and read off the main lane")
            ]
        ) { _ in split },
        CachePreset(
            "split-md5-as-written", .handWritten,
            "The same with its slips: disk reads hold up the main lane, writes may be torn.",
            source: "a published design, described in words", restsOnDarwinNSCache: true, facts: splitFacts + splitSlips
        ) { _ in "\(split); diskOnMainLane: true; atomicWrites: false" },
        CachePreset(
            "split-md5-gated", .handWritten, "split-md5 that fetches nothing while the list moves.",
            source: "a published design, described in words",
            restsOnDarwinNSCache: true,
            facts: splitFacts + [gateFact]
        ) { _ in "\(split); fetchWhileScrolling: false" },
        CachePreset(
            "split-md5-gated-as-written", .handWritten,
            "split-md5-as-written that fetches nothing while the list moves.",
            source: "a published design, described in words", restsOnDarwinNSCache: true,
            facts: splitFacts + splitSlips + [gateFact]
        ) { _ in "\(split); diskOnMainLane: true; atomicWrites: false; fetchWhileScrolling: false" },
        CachePreset(
            "coalescing-memory", .handWritten, "NSCache without limits, one fetch for all who wait.",
            source: "a published design, described in words",
            restsOnDarwinNSCache: true,
            facts: coalescingFacts + [
                PresetFact(.assumed, "as intended", "who waits is told, of failures too, and forgotten then")
            ]
        ) { _ in coalescing },
        CachePreset(
            "coalescing-memory-as-written", .handWritten,
            "The same with its slips: who waits is never forgotten, and failures reach the first alone.",
            source: "a published design, described in words", restsOnDarwinNSCache: true,
            facts: coalescingFacts + [
                PresetFact(
                    .exact, "slip: waiters",
                    """
                    their list is never removed: once the object was evicted, the next request joins it and waits for \
                    good
                    """
                ),
                PresetFact(.exact, "slip: failures", "only the first who waits hears of one"),
            ]
        ) { _ in "\(coalescing); keepsWaiters: true; failureReaches: first" },
        CachePreset(
            "nscache-100mb", .handWritten, "NSCache of 100 MiB over files.",
            source: "a published design, described in words",
            restsOnDarwinNSCache: true,
            facts: nsCacheFacts + [
                PresetFact(
                    .assumed, "as intended",
                    "the bitmap's bytes are passed as cost, and what was fetched is written under its whole URL")
            ]
        ) { _ in
            """
            memory: nscache(cost: 100MiB, model: lru); cost: decoded; holds: decoded; disk: unbounded; layout: md5; \
            connections: 6; decodeOnMainLane: true
            """
        },
        CachePreset(
            "nscache-100mb-as-written", .handWritten,
            "The same with its slips: no cost is passed, and nothing is ever written.",
            source: "a published design, described in words", restsOnDarwinNSCache: true,
            facts: nsCacheFacts + [
                PresetFact(.exact, "slip: cost", "none is passed: the 100 MiB never bind"),
                PresetFact(
                    .exact, "slip: disk",
                    "nothing on this path writes: a lookup finds what other code put there, here nothing"),
                PresetFact(
                    .exact, "slip: names", "the URL's path names the file: URLs that differ in their query share one"),
            ]
        ) { _ in
            """
            memory: nscache(cost: 100MiB, model: lru); cost: none; holds: decoded; disk: unbounded; layout: path; \
            store: memoryOnly; connections: 6; decodeOnMainLane: true
            """
        },
    ]

    private static let orderFact = PresetFact(
        .believed, "memory order", "that of Darwin's NSCache, where a limit binds")
    private static let connectionsFact = PresetFact(.assumed, "connections", "6; no cell cancels")

    private static let twoTierFacts = [
        orderFact, connectionsFact, lazyDecoding,
        PresetFact(.exact, "memory limit", "none"),
        PresetFact(.exact, "disk", "one folder, no limit, no lifetime; an existing file is never overwritten"),
        PresetFact(.exact, "promotion", "a disk hit is stored in memory again"),
        PresetFact(.exact, "coalescing", "none"),
    ]
    private static let twoTier = """
        memory: nscache(cost: 0B, model: lru); cost: none; holds: decoded; disk: unbounded; overwrites: false; \
        coalesce: false; connections: 6; decodeOnMainLane: true
        """

    private static let ttlTwoTierFacts = [
        orderFact, connectionsFact, lazyDecoding,
        PresetFact(.exact, "memory limit", "a quarter of physical memory"),
        PresetFact(.exact, "memory lifetime", "300 s after the store; a sweep every 240 s"),
        PresetFact(.exact, "disk", "7 days in the modification date; expired files go on the way to the background"),
        PresetFact(.assumed, "disk names, coalescing", "MD5 of the URL; coalesced by URL"),
    ]
    private static let ttlTwoTierDisk =
        "holds: decoded; disk: ttl(unbounded, lifetime: 7d); layout: md5; connections: 6; decodeOnMainLane: true"

    private static let splitFacts = [
        orderFact, lazyDecoding,
        PresetFact(.exact, "memory limit", "100 thumbnails, 20 full images"),
        PresetFact(.exact, "disk", "MD5 in 256 folders, no limit, no lifetime"),
        PresetFact(.exact, "connections", "1, first in first out"),
        PresetFact(.exact, "memory warning", "clears memory"),
    ]
    private static let gateFact = PresetFact(
        .exact, "gate", "while the list is dragged or slows down, nothing is fetched; when it rests, what is visible is"
    )
    private static let splitSlips = [
        PresetFact(.exact, "slip: main lane", "disk lookups run on it, and hold up the scroll itself"),
        PresetFact(.exact, "slip: writes", "not atomic: a crash can leave a torn file"),
    ]
    private static let split = """
        memory: split(thumbnail: nscache(count: 100, model: lru), full: nscache(count: 20, model: lru)); cost: none; \
        holds: decoded; \
        disk: unbounded; layout: md5-fanout; connections: 1; decodeOnMainLane: true
        """

    private static let coalescingFacts = [
        orderFact, connectionsFact, lazyDecoding,
        PresetFact(.exact, "memory limit", "none; the cost is the encoded bytes"),
        PresetFact(.exact, "disk", "none; the network session is ephemeral"),
        PresetFact(.exact, "coalescing", "by URL"),
    ]
    private static let coalescing =
        "memory: nscache(cost: 0B, model: lru); cost: encoded; holds: decoded; connections: 6; decodeOnMainLane: true"

    private static let nsCacheFacts = [
        orderFact, connectionsFact, lazyDecoding,
        PresetFact(.exact, "memory limit", "100 MiB"),
        PresetFact(.exact, "promotion", "what comes from disk or network is stored in memory"),
        PresetFact(.assumed, "coalescing", "by URL"),
    ]
}
