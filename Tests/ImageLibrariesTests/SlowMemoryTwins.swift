// The memory tiers of image libraries as their own code has them, in arrays and linear searches: nothing of the
// policies, of the tier or of the presets' specifications is used here. What each does is taken from the libraries'
// sources.

/// What is stored under a key.
struct TwinImage {
    /// Tells one store from another.
    var version: Int
    var encodedBytes: Int
    var pixels: Int
    /// What it really takes up.
    var payloadBytes: Int
    /// Microseconds; where the app says itself when it expires.
    var expiration: Int64?

    var bitmapBytes: Int { pixels * 4 }
}

struct TwinFinding: Equatable {
    var version: Int
    /// Delivered past its lifetime.
    var isStale = false
}

/// Times are microseconds, and never fall.
protocol MemoryTwin {
    mutating func get(_ key: String, at time: Int64) -> TwinFinding?
    mutating func put(_ image: TwinImage, _ key: String, at time: Int64)
    /// Lets its timers run.
    mutating func wait(until time: Int64)
    mutating func memoryWarning()
    mutating func enterBackground()
    mutating func trim(to cost: Int)

    var held: [TwinImage] { get }
    func holds(_ key: String) -> Bool
    /// When something will expire, or is swept: tests like to be there.
    func moments(after time: Int64) -> [Int64]
}

extension MemoryTwin {
    mutating func wait(until time: Int64) {}
    mutating func enterBackground() {}
    mutating func trim(to cost: Int) {}
    func moments(after time: Int64) -> [Int64] { [] }
}

struct TwinEntry {
    var key: String
    var image: TwinImage
    var cost: Int
    var uses = 0
    var isMarked = false
    /// When it expires, or was accessed.
    var date: Int64 = 0
}

extension [TwinEntry] {
    func index(of key: String) -> Int? { firstIndex { $0.key == key } }
    var cost: Int { map(\.cost).reduce(0, +) }

    @discardableResult
    mutating func take(_ key: String) -> TwinEntry? { index(of: key).map { remove(at: $0) } }
}

/// A twin that holds one list.
protocol ListTwin: MemoryTwin {
    var entries: [TwinEntry] { get set }
}

extension ListTwin {
    var held: [TwinImage] { entries.map(\.image) }
    func holds(_ key: String) -> Bool { entries.index(of: key) != nil }
    mutating func memoryWarning() { entries = [] }
}

// MARK: - Foundation's NSCache

/// By one of the orders that are believed of it, or that of swift-corelibs-foundation. A limit of 0 is none.
struct SlowNSCache: ListTwin {
    enum Order: String { case lru, fifo, frequency, corelibs }

    var order: Order
    var costLimit = 0
    var countLimit = 0
    /// What the app passes as cost.
    var cost: (TwinImage) -> Int = { _ in 0 }
    /// Who leaves first, first.
    var entries: [TwinEntry] = []

    /// Apple's class removes its objects. The class of swift-corelibs-foundation does not know of the background.
    mutating func enterBackground() { if order != .corelibs { entries = [] } }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        touch(key).map { TwinFinding(version: $0.image.version) }
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        set(TwinEntry(key: key, image: image, cost: cost(image)))
    }

    /// A read, as the class sees it.
    mutating func touch(_ key: String) -> TwinEntry? {
        guard let index = entries.index(of: key) else { return nil }
        var entry = entries[index]
        if order == .lru || order == .frequency {
            entry.uses += 1
            entries.remove(at: index)
            entries.append(entry)
        }
        return entry
    }

    mutating func set(_ entry: TwinEntry) {
        if order == .corelibs {
            if let index = entries.index(of: entry.key), entries[index].cost == entry.cost {
                entries[index] = entry
            } else {
                entries.take(entry.key)
                entries.insert(entry, at: entries.firstIndex { $0.cost >= entry.cost } ?? entries.count)
            }
        } else {
            entries.take(entry.key)
            entries.append(entry)
        }
        while costLimit > 0, entries.cost > costLimit { evict() }
        while countLimit > 0, entries.count > countLimit { evict() }
    }

    private mutating func evict() {
        guard order == .frequency else {
            entries.removeFirst()
            return
        }
        // Of the oldest quarter, at most eight, who was used least; those it was preferred to lose a use.
        let candidates = entries.prefix(max(1, min(8, entries.count / 4)))
        let fewest = candidates.map(\.uses).min() ?? 0
        let victim = candidates.firstIndex { $0.uses == fewest } ?? 0
        for index in 0..<victim { entries[index].uses -= 1 }
        entries.remove(at: victim)
    }
}

/// NSCache whose objects have a lifetime that is kept beside them.
///
/// Kingfisher's own sweep and its reads of expired objects ask NSCache for the object, and so are uses of it in an
/// NSCache that counts them; in what order the sweep comes to them, a hash table decides. Neither is imitated: here as
/// in the presets only hits are uses.
struct SlowExpiringNSCache: MemoryTwin {
    enum ExpiredRead { case misses, removes, delivers }

    var cache: SlowNSCache
    var lifetime: Int64
    var sweep: Int64
    var slides = false
    var expiredRead: ExpiredRead
    private var lastSweep: Int64 = 0

    init(_ cache: SlowNSCache, lifetime: Int64, sweep: Int64, slides: Bool = false, expiredRead: ExpiredRead) {
        (self.cache, self.lifetime, self.sweep, self.slides, self.expiredRead) = (
            cache, lifetime, sweep, slides, expiredRead
        )
    }

    var held: [TwinImage] { cache.held }
    func holds(_ key: String) -> Bool { cache.holds(key) }
    mutating func memoryWarning() { cache.memoryWarning() }
    mutating func enterBackground() { cache.enterBackground() }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard let index = cache.entries.index(of: key) else { return nil }
        if cache.entries[index].date <= time {
            switch expiredRead {
            case .misses: return nil
            case .removes:
                cache.entries.remove(at: index)
                return nil
            case .delivers: return cache.touch(key).map { TwinFinding(version: $0.image.version, isStale: true) }
            }
        }
        if slides { cache.entries[index].date = time + lifetime }
        return cache.touch(key).map { TwinFinding(version: $0.image.version) }
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        cache.set(TwinEntry(key: key, image: image, cost: cache.cost(image), date: image.expiration ?? time + lifetime))
    }

    mutating func wait(until time: Int64) {
        let tick = time / sweep * sweep
        guard tick > lastSweep else { return }
        lastSweep = tick
        cache.entries.removeAll { $0.date <= tick }
    }

    func moments(after time: Int64) -> [Int64] {
        cache.entries.map(\.date).filter { $0 > time } + [(time / sweep + 1) * sweep]
    }
}

/// Thumbnails and full images in an NSCache each. Thumbnails' keys begin with `0`.
struct SlowSplitNSCache: MemoryTwin {
    var thumbnails: SlowNSCache
    var full: SlowNSCache

    var held: [TwinImage] { thumbnails.held + full.held }
    func holds(_ key: String) -> Bool { key.hasPrefix("0") ? thumbnails.holds(key) : full.holds(key) }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        key.hasPrefix("0") ? thumbnails.get(key, at: time) : full.get(key, at: time)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        if key.hasPrefix("0") { thumbnails.put(image, key, at: time) } else { full.put(image, key, at: time) }
    }

    mutating func memoryWarning() {
        thumbnails.memoryWarning()
        full.memoryWarning()
    }

    mutating func enterBackground() {
        thumbnails.enterBackground()
        full.enterBackground()
    }
}

// MARK: - Libraries with caches of their own

/// A list, oldest first. Nuke 12 moves what is read to its end; from 13.0.5 on a read or an overwrite leaves a mark,
/// and the one whose turn it is to leave goes to the end without it.
struct SlowNuke: ListTwin {
    var isClock: Bool
    var limit: Int
    var entries: [TwinEntry] = []

    mutating func enterBackground() { trim(to: Int(Double(limit) * 0.1)) }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard let index = entries.index(of: key) else { return nil }
        if isClock { entries[index].isMarked = true } else { entries.append(entries.remove(at: index)) }
        return TwinFinding(version: entries[isClock ? index : entries.count - 1].image.version)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        let cost = image.bitmapBytes
        guard limit > 2_147_483_647 || cost < Int(0.1 * Double(limit)) else { return }
        var entry = TwinEntry(key: key, image: image, cost: cost)
        if isClock, let index = entries.index(of: key) {
            entry.isMarked = true
            entries[index] = entry
        } else {
            entries.take(key)
            entries.append(entry)
        }
        trim(to: limit)
    }

    mutating func trim(to cost: Int) {
        while entries.cost > cost {
            var oldest = entries.removeFirst()
            if oldest.isMarked {
                oldest.isMarked = false
                entries.append(oldest)
            }
        }
    }
}

/// YYMemoryCache, newest first: no limit but age, which the sweep every 5 s alone looks at, from the end of the list.
struct SlowYYMemoryCache: ListTwin {
    /// nil: none. An object leaves when it was not used for so long. (YYMemoryCache wants more than that, by a
    /// microsecond.)
    var age: Int64?
    private static let interval: Int64 = 5_000_000
    var entries: [TwinEntry] = []
    private var lastSweep: Int64 = 0

    init(age: Int64?) { self.age = age }

    mutating func enterBackground() { entries = [] }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard var entry = entries.take(key) else { return nil }
        let isStale = age.map { time - entry.date >= $0 } ?? false
        entry.date = time
        entries.insert(entry, at: 0)
        return TwinFinding(version: entry.image.version, isStale: isStale)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        entries.take(key)
        entries.insert(TwinEntry(key: key, image: image, cost: 0, date: time), at: 0)
    }

    mutating func wait(until time: Int64) {
        let tick = time / Self.interval * Self.interval
        guard let age, tick > lastSweep else { return }
        lastSweep = tick
        while let last = entries.last, tick - last.date >= age { entries.removeLast() }
    }

    func moments(after time: Int64) -> [Int64] {
        guard let age else { return [] }
        return entries.map { $0.date + age }.filter { $0 > time } + [(time / Self.interval + 1) * Self.interval]
    }
}

/// PINMemoryCache without limits.
struct SlowPINMemoryCache: ListTwin {
    var entries: [TwinEntry] = []

    mutating func enterBackground() { entries = [] }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        entries.index(of: key).map { TwinFinding(version: entries[$0].image.version) }
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        entries.take(key)
        entries.append(TwinEntry(key: key, image: image, cost: 0))
    }
}

/// AlamofireImage's: above 100 MB the longest unused leave until 60 MB are left.
struct SlowAlamofireImage: ListTwin {
    private static let capacity = 100_000_000
    private static let preferred = 60_000_000
    var entries: [TwinEntry] = []
    private var accesses: Int64 = 0

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard let index = entries.index(of: key) else { return nil }
        accesses += 1
        entries[index].date = accesses
        return TwinFinding(version: entries[index].image.version)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        accesses += 1
        entries.take(key)
        entries.append(TwinEntry(key: key, image: image, cost: image.bitmapBytes, date: accesses))
        guard entries.cost > Self.capacity else { return }
        let surplus = entries.cost - Self.preferred
        var purged = 0
        for entry in entries.sorted(by: { $0.date < $1.date }) where purged < surplus {
            entries.take(entry.key)
            purged += entry.cost
        }
    }
}

/// A map in the order of accesses, oldest first, as Android's libraries and Flutter have it.
struct SlowAndroidCache: ListTwin {
    enum Library { case glide, coil, fresco, flutter, picasso }

    var library: Library
    var limit: Int
    var entries: [TwinEntry] = []

    init(_ library: Library, limit: Int) { (self.library, self.limit) = (library, limit) }

    /// From Android 14 on, no call reaches an app in the foreground. Flutter's clears memory.
    mutating func memoryWarning() { if library == .flutter { entries = [] } }
    /// Fresco's default registry trims nothing, and Picasso has none.
    mutating func enterBackground() { if library != .fresco, library != .picasso { entries = [] } }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard let entry = entries.take(key) else { return nil }
        entries.append(entry)
        return TwinFinding(version: entry.image.version)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        let cost = image.bitmapBytes
        switch library {
        // Refused, and an older image of that name stays.
        case .glide: if cost >= limit { return }
        case .flutter: if cost > limit { return }
        // Refused, and an older one goes.
        case .coil, .fresco, .picasso:
            if cost > limit {
                entries.take(key)
                return
            }
        }
        entries.take(key)
        entries.append(TwinEntry(key: key, image: image, cost: cost))
        while entries.cost > limit || library == .fresco && entries.count > 256 { entries.removeFirst() }
    }
}

/// React Native's on Apple's systems: an NSCache that takes no image above its limit for single ones.
struct SlowRCTImageCache: MemoryTwin {
    var cache: SlowNSCache
    var entryLimit: Int

    var held: [TwinImage] { cache.held }
    func holds(_ key: String) -> Bool { cache.holds(key) }
    mutating func memoryWarning() { cache.memoryWarning() }
    mutating func enterBackground() { cache.memoryWarning() }
    mutating func get(_ key: String, at time: Int64) -> TwinFinding? { cache.get(key, at: time) }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        if image.bitmapBytes <= entryLimit { cache.put(image, key, at: time) }
    }
}

// MARK: - URLCache

/// Responses in memory, oldest first: Darwin's by what is believed of it, or that of swift-corelibs-foundation, which
/// keeps an older response where the new one is as large as its capacity or larger. A reader does not use what is
/// past its lifetime, and drops it.
struct SlowURLCache: ListTwin {
    var isCorelibs: Bool
    var capacity: Int
    var entryLimit: Int
    var lifetime: Int64
    var entries: [TwinEntry] = []

    mutating func memoryWarning() { if !isCorelibs { entries = [] } }

    mutating func get(_ key: String, at time: Int64) -> TwinFinding? {
        guard let index = entries.index(of: key) else { return nil }
        let entry = entries[index]
        if entry.date <= time {
            entries.remove(at: index)
        } else if !isCorelibs {
            entries.append(entries.remove(at: index))
        }
        return entry.date <= time ? nil : TwinFinding(version: entry.image.version)
    }

    mutating func put(_ image: TwinImage, _ key: String, at time: Int64) {
        if isCorelibs, image.encodedBytes > entryLimit { return }
        entries.take(key)
        if image.encodedBytes > entryLimit { return }
        entries.append(
            TwinEntry(key: key, image: image, cost: image.encodedBytes, date: image.expiration ?? time + lifetime))
        while entries.cost > capacity { entries.removeFirst() }
    }

    func moments(after time: Int64) -> [Int64] { entries.map(\.date).filter { $0 > time } }
}
