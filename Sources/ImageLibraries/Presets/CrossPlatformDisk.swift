/// Caches of cross-platform frameworks and of browsers whose disk has an order of its own.
extension CachePreset {
    static let crossPlatformDisk = [
        CachePreset(
            "cached-network-image-3", .crossPlatform,
            "Flutter's cached_network_image: ImageCache of 100 MiB, and flutter_cache_manager's files by count and day.",
            source: """
                flutter_cache_manager 3.4.1 (515cc9e), cached_network_image 3.4.0 (1c9d86a) and Flutter of 2024 \
                (00606bf, 90e4a12), read in source
                """,
            facts: flutterMemoryFacts + cacheManagerFacts
        ) { _ in
            """
            \(flutterMemory); \
            disk: idle-trim(count: 200, idle: 1d, lifetime: 30d, delay: 10s, batch: 100); \
            diskLifetime: maxAge; diskRevalidate: staleThenNetwork; diskFailures: removed; undecodable: stored; \
            layout: md5-extension; atomicWrites: false; \
            connections: 10; connectionsPerHost: none; coalesceDisk: true; cancelOnDisappear: false
            """
        },
        CachePreset(
            "chromium", .browser,
            "Chromium's HTTP cache on disk, outside of Windows: up to 1280 MiB, by age times size and by HTTP's rules.",
            source: """
                Chromium, net/disk_cache and Blink's MemoryCache, files of 2024 to about M145 without a dated commit, \
                read in source
                """,
            facts: chromiumFacts
        ) { _ in
            let size = ChromiumDisk.preferredSize(free: ChromiumDisk.assumedFree, isWindows: false)
            return """
                memory: none; promote: false; \
                disk: ttl(trim(\(size)B, order: age-size, granularity: 1s, from: 0.95, to: 0.9), lifetime: 1d); \
                diskEntryLimit: 12.5% of limit, at least 5MiB; diskOversize: removed; \
                diskLifetime: http; diskRevalidate: conditional; undecodable: stored; layout: sha1; \
                keepsAccessDates: true; \
                connections: none; connectionsPerHost: 6; cancelOnDisappear: false
                """
        },
    ]

    private static let cacheManagerFacts = [
        PresetFact(
            .exact, "coalescing", "Of the whole load by key, its read from disk included, and of downloads by key."),
        PresetFact(
            .exact, "cancelling", "A cell that disappears cancels nothing: its image is loaded, and enters memory."),
        PresetFact(
            .exact, "disk limit",
            """
            200 rows, and no limit in bytes. 10 s after a read of the database, of the rows untouched for a day those \
            beyond 200 leave, 100 at a time, the later touched first; and rows untouched for 30 days.
            """),
        PresetFact(
            .exact, "touches", "A write, and the first read in each process. Later reads touch nothing."),
        PresetFact(
            .assumed, "order of rows untouched for 30 days",
            "The earliest touched first. The query states no order."),
        PresetFact(
            .exact, "systems", "iOS, Android and macOS. On Windows and Linux, a file of JSON has no rule of a day."),
        PresetFact(
            .exact, "lifetime",
            "max-age above 0, 0 s with no-cache, and otherwise 7 days. no-store and all other headers are ignored."),
        PresetFact(
            .assumed, "no-cache beside max-age", "No lifetime. In the library, the last of the two counts."),
        PresetFact(
            .assumed, "lifetime where no headers were recorded", "None that ends: such a file is not validated."),
        PresetFact(
            .exact, "validation",
            """
            A file past its lifetime is shown at once, and the origin is asked with the ETag alone. A 304 delivers the \
            file again, so it is decoded twice.
            """),
        PresetFact(
            .exact, "404 on validation", "Removes the file. Other errors keep it."),
        PresetFact(
            .exact, bodies,
            """
            Stored like an image: each later request fails without a fetch, until the lifetime ends. The request after \
            that fails too, while the file is replaced.
            """),
        PresetFact(
            .exact, "writes", "In place, and the row afterwards. A download that breaks off leaves a file for ever."),
        PresetFact(.assumed, "files without a row", "Take up no room in the preset."),
        PresetFact(.exact, "disk names", "Random, in one folder, with a row for each. The preset names files by MD5."),
        PresetFact(.exact, "connections", "10 downloads at once, first in first out, without a limit per host."),
        PresetFact(.exact, "retries", "None."),
        PresetFact(.assumed, "decoding", "One image at a time, off the main lane."),
    ]

    private static let chromiumFacts = [
        PresetFact(
            .exact, "memory",
            """
            Blink finds an image in memory only while a document uses it, by a weak map. This is not part of this \
            preset: each request reads from disk and decodes.
            """),
        PresetFact(
            .exact, "disk size",
            """
            From the free space when the cache is created: 80 % of less than 100 MiB, then 80 MiB, a tenth, 200 MiB, \
            and a hundredth. Outside of Windows four times that, at most a fifth of the free space and 1280 MiB; on \
            Windows at most 320 MiB.
            """),
        PresetFact(
            .assumed, "free space",
            "64 GiB, so 1280 MiB. disk: sets another size."),
        PresetFact(
            .exact, "disk order",
            """
            Above 95 % of the size, down to 90 %: first the entry with the highest product of the seconds since its \
            last use and its bytes with 512 more. Reads renew the time, in whole seconds.
            """),
        PresetFact(
            .exact, "disk entries",
            "An entry of more than an eighth of the size, and of more than 5 MiB, is not stored; an older one leaves."),
        PresetFact(
            .assumed, "size of an entry", "The bytes of the body. The headers and the key also count in Chromium."),
        PresetFact(
            .assumed, "dates after a crash",
            "Exact. Chromium writes its index of dates 20 s after a change, and loses them if it ends before."),
        PresetFact(
            .exact, "prioritised entries", "Newer builds can shield some from eviction. Not part of this preset."),
        PresetFact(.documented, "keys", "Partitioned by the site of the page. A trace is taken as one site."),
        PresetFact(
            .documented, "lifetime",
            "By HTTP's headers. A response with no-store is not stored. A stale one is validated before it is shown."),
        PresetFact(
            .documented, bodies,
            "Stored by their headers, like any response: a request that finds one fails, without a fetch."),
        PresetFact(
            .believed, "stale-while-revalidate",
            "Chromium obeys it. The preset does not; diskRevalidate: staleWhileRevalidate does."),
        PresetFact(.assumed, "lifetime where no headers were recorded", "1 day."),
        PresetFact(.assumed, "disk names", "One file for each URL. Chromium also has one index."),
        PresetFact(.documented, "connections", "6 per host over HTTP/1.1."),
        PresetFact(.exact, "coalescing", "Of requests of one document for one URL."),
        PresetFact(
            .assumed, "cancelling",
            "A cell that disappears keeps its request: its element stays in the document while it is out of view."),
    ]
}

/// The size of Chromium's disk cache.
enum ChromiumDisk {
    /// The free space of the volume that the preset assumes, in bytes: 64 GiB.
    static let assumedFree = 64 << 30

    private static let standard = 80 << 20

    /// Returns the size of the cache for the free space when it is created: `PreferredCacheSize` of
    /// `net/disk_cache/cache_util.cc`. Both in bytes.
    ///
    /// Windows has the sizes of 2012. Elsewhere they are four times as large since 2024, as long as that is at most a
    /// fifth of the free space.
    static func preferredSize(free: Int, isWindows: Bool) -> Int {
        let scale = isWindows ? 1 : 4
        var size = unscaledSize(free: free)
        if size < free / 5 { size = min(size * scale, free / 5) }
        return min(size, 4 * standard * scale)
    }

    private static func unscaledSize(free: Int) -> Int {
        switch free {
        case ..<(standard / 4 * 5): free / 5 * 4 + free % 5 * 4 / 5
        case ..<(standard * 10): standard
        case ..<(standard * 25): free / 10
        case ..<(standard * 250): standard * 5 / 2
        default: free / 100
        }
    }
}
