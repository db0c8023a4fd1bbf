import Foundation
import ReplayEngine

/// Calls a cache whose functions are synchronous.
final class SynchronousCalls<Cache: ImageCaching>: OwnCacheStore {
    private var cache: Cache
    private let conversion: ImageConversion<Cache.Image>
    private let images: SessionImages
    private let names: KeyNames
    private let watch: CallWatch

    init(
        _ cache: Cache, _ conversion: ImageConversion<Cache.Image>, _ images: SessionImages, _ names: KeyNames,
        _ watch: CallWatch
    ) {
        self.cache = cache
        self.conversion = conversion
        self.images = images
        self.names = names
        self.watch = watch
    }

    func find(_ key: OwnCacheKey) throws -> OwnCacheAnswer {
        let number = key.number
        watch.begin(.find, number)
        defer { watch.end() }
        guard let image = try cache.image(forKey: names.text(number)) else { return .nothing }
        return conversion.identify(image).map { .image(OwnCacheKey($0)) } ?? .unknown
    }

    func store(_ image: OwnCacheKey, under key: OwnCacheKey, cost: Int) throws {
        let made = conversion.make(images.image(image))
        watch.begin(.store, key.number)
        defer { watch.end() }
        try cache.store(made, forKey: names.text(key.number), cost: cost)
    }

    func remove(_ key: OwnCacheKey) throws {
        watch.begin(.remove, key.number)
        defer { watch.end() }
        try cache.removeImage(forKey: names.text(key.number))
    }

    func notice(_ event: SystemEvent) throws {
        defer { watch.end() }
        switch event {
        case .memoryWarning:
            watch.begin(.memoryWarning, 0)
            try cache.didReceiveMemoryWarning()
        case .background:
            watch.begin(.background, 0)
            try cache.didEnterBackground()
        case .relaunch:
            watch.begin(.removeAll, 0)
            try cache.removeAllImages()
        }
    }

    var heldBytes: Int? {
        get throws {
            watch.begin(.heldBytes, 0)
            defer { watch.end() }
            return try cache.heldBytes
        }
    }
}

/// Calls a cache of data on disk. A relaunch keeps its files.
final class DataCalls<Cache: DataCaching>: OwnCacheStore {
    private var cache: Cache
    private let images: SessionImages
    private let names: KeyNames
    private let watch: CallWatch

    init(_ cache: Cache, _ images: SessionImages, _ names: KeyNames, _ watch: CallWatch) {
        self.cache = cache
        self.images = images
        self.names = names
        self.watch = watch
    }

    func find(_ key: OwnCacheKey) throws -> OwnCacheAnswer {
        watch.begin(.find, key.number)
        defer { watch.end() }
        guard let data = try cache.data(forKey: names.text(key.number)) else { return .nothing }
        return SessionData.id(of: data).map { .image(OwnCacheKey($0)) } ?? .unknown
    }

    func store(_ image: OwnCacheKey, under key: OwnCacheKey, cost: Int) throws {
        let data = ImageConversion<Data>.data.make(images.image(image))
        watch.begin(.store, key.number)
        defer { watch.end() }
        try cache.store(data, forKey: names.text(key.number))
    }

    func remove(_ key: OwnCacheKey) throws {
        watch.begin(.remove, key.number)
        defer { watch.end() }
        try cache.removeData(forKey: names.text(key.number))
    }

    func notice(_ event: SystemEvent) {}

    var heldBytes: Int? {
        get throws {
            watch.begin(.heldBytes, 0)
            defer { watch.end() }
            return try cache.heldBytes
        }
    }
}
