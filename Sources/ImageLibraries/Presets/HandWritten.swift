import ReplayEngine

/// Five published designs. Each is a preset as its author intended it, and a preset `…-as-written` with its mistakes.
extension CachePreset {
    static let handWritten = [
        CachePreset.onDarwinNSCache(
            "two-tier", .handWritten, "NSCache without limits, and one folder of files.",
            source: publishedDesign,
            facts: twoTierFacts + [
                PresetFact(
                    .assumed, "as intended", "The whole URL is the key. The downloaded bytes are written to disk.")
            ]
        ) { _ in "\(twoTier); layout: md5" },
        CachePreset.onDarwinNSCache(
            "two-tier-prefetching", .handWritten,
            "two-tier behind a UICollectionView whose prefetching data source asks for the next two rows.",
            source: publishedDesign,
            facts: twoTierFacts.filter { $0.parameter != "coalescing" } + [
                PresetFact(
                    .documented, "prefetch",
                    """
                    A collection view tells its prefetching data source which cells come next, and which it no longer \
                    expects. An app cancels those.
                    """),
                PresetFact(
                    .assumed, "prefetch distance",
                    "2 rows. Apple does not document how far ahead a collection view asks."),
                PresetFact(.assumed, "prefetch priority", "All other requests start first."),
                PresetFact(
                    .assumed, "as intended",
                    "The whole URL is the key, the downloaded bytes are written to disk, and requests are coalesced."),
            ]
        ) { _ in
            """
            \(twoTierTiers); layout: md5; prefetch: rows(2); prefetchLast: true
            """
        },
        CachePreset.onDarwinNSCache(
            "two-tier-as-written", .handWritten,
            "two-tier with its mistakes: keys of every fifth character, and files that are encoded again.",
            source: publishedDesign,
            facts: twoTierFacts + [
                PresetFact(
                    .exact, "mistake: key",
                    """
                    Every fifth character of the URL, without slashes. Different URLs can share a key, and a cell can \
                    show the image of another cell.
                    """),
                PresetFact(
                    .exact, "mistake: content", "The decoded image, encoded again as JPEG of quality 1.0."),
                PresetFact(
                    .assumed, "size of encoded images",
                    """
                    \(ImageSizes.jpegFactor) times the original, as measured with photographs. A measured run that \
                    decodes encodes images, and files have their real sizes.
                    """),
            ]
        ) { _ in "\(twoTier); memoryKey: everyFifth; layout: every-fifth; diskContent: jpeg" },
        CachePreset.onDarwinNSCache(
            "ttl-two-tier", .handWritten,
            "NSCache of a quarter of memory with a lifetime of 300 s, and files for 7 days.",
            source: kingfisherDesign,
            facts: ttlTwoTierFacts + [
                PresetFact(
                    .assumed, "as intended",
                    "The bytes of the bitmap are passed as the cost. A read checks the lifetime.")
            ]
        ) {
            """
            memory: ttl(nscache(cost: \($0.memory(0.25))B, model: lru), lifetime: 300s, sweep: 240s); \
            cost: decoded; \(ttlTwoTierDisk)
            """
        },
        CachePreset.onDarwinNSCache(
            "ttl-two-tier-as-written", .handWritten,
            "ttl-two-tier with its mistakes: it passes no costs, and reads do not check the lifetime.",
            source: kingfisherDesign,
            facts: ttlTwoTierFacts + [
                PresetFact(.exact, "mistake: cost", "No cost is passed, so the limit has no effect."),
                PresetFact(
                    .exact, "mistake: lifetime",
                    "Only the sweep checks it. Images are delivered up to 240 s after they expire."),
            ]
        ) {
            """
            memory: ttl(nscache(cost: \($0.memory(0.25))B, model: lru), lifetime: 300s, sweep: 240s, \
            checkOnRead: false); cost: none; \(ttlTwoTierDisk)
            """
        },
        CachePreset.onDarwinNSCache(
            "split-md5", .handWritten,
            "100 thumbnails and 20 full images in memory, 256 folders of files, and one connection.",
            source: publishedDesign,
            facts: splitFacts + [
                PresetFact(
                    .assumed, "as intended", "Files are written atomically, and not read on the main lane.")
            ]
        ) { _ in split },
        CachePreset.onDarwinNSCache(
            "split-md5-as-written", .handWritten,
            "split-md5 with its mistakes: disk reads block the main lane, and writes can be incomplete.",
            source: publishedDesign, facts: splitFacts + splitMistakes
        ) { _ in "\(split); diskOnMainLane: true; atomicWrites: false" },
        CachePreset.onDarwinNSCache(
            "split-md5-gated", .handWritten, "split-md5 that fetches nothing while the list moves.",
            source: publishedDesign, facts: splitFacts + [gateFact]
        ) { _ in "\(split); fetchWhileScrolling: false" },
        CachePreset.onDarwinNSCache(
            "split-md5-gated-as-written", .handWritten,
            "split-md5-as-written that fetches nothing while the list moves.",
            source: publishedDesign, facts: splitFacts + splitMistakes + [gateFact]
        ) { _ in "\(split); diskOnMainLane: true; atomicWrites: false; fetchWhileScrolling: false" },
        CachePreset.onDarwinNSCache(
            "coalescing-memory", .handWritten,
            "NSCache without limits, and one fetch for all requests that wait for the same image.",
            source: publishedDesign,
            facts: coalescingFacts + [
                PresetFact(
                    .assumed, "as intended",
                    "All waiting requests receive the result, failures included. Their list is then removed.")
            ]
        ) { _ in coalescing },
        CachePreset.onDarwinNSCache(
            "coalescing-memory-as-written", .handWritten,
            """
            coalescing-memory with its mistakes: the list of waiting requests is never removed, and only the first \
            request receives a failure.
            """,
            source: publishedDesign,
            facts: coalescingFacts + [
                PresetFact(
                    .exact, "mistake: waiting list",
                    """
                    The list of waiting requests is never removed. After an eviction, the next request joins the list \
                    and waits forever.
                    """),
                PresetFact(.exact, "mistake: failures", "Only the first waiting request receives a failure."),
            ]
        ) { _ in "\(coalescing); keepsWaiters: true; failureReaches: first" },
        CachePreset.onDarwinNSCache(
            "nscache-100mb", .handWritten, "NSCache of 100 MiB, and files.",
            source: publishedDesign,
            facts: nsCacheFacts + [
                PresetFact(
                    .assumed, "as intended",
                    """
                    The bytes of the bitmap are passed as the cost. Fetched images are written under their whole URL.
                    """)
            ]
        ) { _ in
            """
            memory: nscache(cost: 100MiB, model: lru); cost: decoded; holds: decoded; \
            disk: unbounded; layout: md5; connections: 6; decodeOnMainLane: true
            """
        },
        CachePreset.onDarwinNSCache(
            "nscache-100mb-as-written", .handWritten,
            "nscache-100mb with its mistakes: it passes no costs, and never writes files.",
            source: publishedDesign,
            facts: nsCacheFacts + [
                PresetFact(.exact, "mistake: cost", "No cost is passed, so the limit of 100 MiB has no effect."),
                PresetFact(
                    .exact, "mistake: disk",
                    "This code never writes to disk. A lookup finds only files of other code, and in a replay none."),
                PresetFact(
                    .exact, "mistake: names",
                    "The URL's path names the file. URLs that differ only in their query share one file."),
            ]
        ) { _ in
            """
            memory: nscache(cost: 100MiB, model: lru); cost: none; holds: decoded; \
            disk: unbounded; layout: path; store: memoryOnly; connections: 6; decodeOnMainLane: true
            """
        },
    ]

    private static let publishedDesign = "a published design, described in words"
    private static let kingfisherDesign = "a published design after Kingfisher, described in words"

    private static let orderFact = PresetFact(
        .believed, "memory order", "The eviction order of Darwin's NSCache, where a limit binds.")
    private static let connectionsFact = PresetFact(.assumed, "connections", "6. Cells do not cancel requests.")

    private static let twoTierFacts = [
        orderFact, connectionsFact, lazyDecoding, storesImagesAlone,
        PresetFact(.exact, "memory limit", "None."),
        PresetFact(.exact, "disk", "One folder, without a limit or a lifetime. An existing file is never overwritten."),
        PresetFact(.exact, "promotion", "A disk hit is stored in memory again."),
        PresetFact(.exact, "coalescing", "None."),
    ]
    private static let twoTierTiers = """
        memory: nscache(cost: 0B, model: lru); cost: none; holds: decoded; \
        disk: unbounded; overwrites: false; connections: 6; decodeOnMainLane: true
        """
    private static let twoTier = "\(twoTierTiers); coalesce: false"

    private static let ttlTwoTierFacts = [
        orderFact, connectionsFact, lazyDecoding, storesImagesAlone,
        PresetFact(.exact, "memory limit", "A quarter of physical memory."),
        PresetFact(.exact, "memory lifetime", "300 s after the store, with a sweep every 240 s."),
        PresetFact(
            .exact, "disk",
            "7 days, kept in the modification date. Expired files are removed when the app enters the background."),
        PresetFact(.assumed, "disk names, coalescing", "MD5 of the URL. Coalesced by URL."),
    ]
    private static let ttlTwoTierDisk =
        "holds: decoded; disk: ttl(unbounded, lifetime: 7d); layout: md5; connections: 6; decodeOnMainLane: true"

    private static let splitFacts = [
        orderFact, lazyDecoding, storesImagesAlone,
        PresetFact(.exact, "memory limit", "100 thumbnails and 20 full images."),
        PresetFact(.exact, "disk", "MD5 names in 256 folders, without a limit or a lifetime."),
        PresetFact(.exact, "connections", "1, first in first out."),
        PresetFact(.assumed, "coalescing", "By URL. Reads from disk are not coalesced."),
        PresetFact(.exact, "memory warning", "Clears memory."),
    ]
    private static let gateFact = PresetFact(
        .exact, "gate",
        """
        Nothing is fetched while the list is dragged or decelerates. When the list rests, the visible images are \
        fetched.
        """)
    private static let splitMistakes = [
        PresetFact(.exact, "mistake: main lane", "Disk lookups run on the main lane and delay scrolling."),
        PresetFact(.exact, "mistake: writes", "Not atomic. A crash can leave an incomplete file."),
    ]
    private static let split = """
        memory: split(thumbnail: nscache(count: 100, model: lru), full: nscache(count: 20, model: lru)); \
        cost: none; holds: decoded; \
        disk: unbounded; layout: md5-fanout; connections: 1; decodeOnMainLane: true
        """

    private static let coalescingFacts = [
        orderFact, connectionsFact, lazyDecoding, storesImagesAlone,
        PresetFact(.exact, "memory limit", "None. The cost is the encoded bytes."),
        PresetFact(.exact, "disk", "None. The network session is ephemeral."),
        PresetFact(.exact, "coalescing", "By URL."),
    ]
    private static let coalescing =
        "memory: nscache(cost: 0B, model: lru); cost: encoded; holds: decoded; connections: 6; decodeOnMainLane: true"

    private static let nsCacheFacts = [
        orderFact, connectionsFact, lazyDecoding, storesImagesAlone,
        PresetFact(.exact, "memory limit", "100 MiB."),
        PresetFact(.exact, "promotion", "Images from disk and network are stored in memory."),
        PresetFact(.assumed, "coalescing", "By URL."),
    ]
}
