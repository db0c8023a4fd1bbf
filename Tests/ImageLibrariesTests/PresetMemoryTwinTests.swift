import Basics
import CachePolicies
import CacheTiers
import Foundation
import SessionModel
import Testing

@testable import ImageLibraries
@testable import MeasuredTiers
@testable import ReplayEngine

/// Compares the memory tier of every preset, created from its specification as in a replay, with a slow twin of its
/// library. Every read has the same result, and after every operation both hold the same number of objects and bytes.
@Suite("The memory tiers of presets and slow twins of their libraries")
struct PresetMemoryTwinTests {
    /// A preset on a device, with one model of NSCache if it uses that class.
    struct Case: CustomTestStringConvertible, Sendable {
        var preset: String
        /// The memory of the device, in bytes; nil for the default device.
        var ram: Int?
        var model: NSCacheModelChoice

        var testDescription: String { "\(preset), \(ram.map { "\($0) bytes" } ?? "6 GB"), \(model.rawValue)" }

        /// Those whose library has a memory tier.
        static let all = CachePreset.all.filter { (try? CacheConfiguration($0).memory)?.ifNotNone != nil }.flatMap {
            preset in
            // A small device too, where its memory changes the specification.
            let devices =
                preset.specification(Device(memory: 40_000)) == preset.specification(Device()) ? [nil] : [nil, 40_000]
            return devices.flatMap { ram in
                (preset.restsOnDarwinNSCache ? NSCacheModelChoice.allCases : [.lru]).map {
                    Case(preset: preset.name, ram: ram, model: $0)
                }
            }
        }
    }

    @Test("A preset's tier behaves as its library does", arguments: Case.all)
    func presets(of chosen: Case) throws {
        let cache = try CacheConfiguration(specification: chosen.preset + (chosen.ram.map { "; ram: \($0)B" } ?? ""))
            .with(chosen.model).resolvingShares(in: CacheContext(PolicyContext()))
        let ram = chosen.ram ?? 6_000_000_000
        let library = try #require(
            Library(chosen.preset, ram: ram, SlowNSCache.Order(rawValue: chosen.model.rawValue) ?? .lru),
            "\(chosen.preset) has no twin; add the behavior of its library's memory cache to Library.init")
        for seed in 1...3 { try compare(cache, library, seed: UInt64(seed)) }
    }

    @Test("NSCache of swift-corelibs-foundation, as a tier")
    func corelibs() throws {
        let cache = try CacheConfiguration("memory: nscache(cost: 9000B, count: 14, model: corelibs); cost: decoded")
        let twin = SlowNSCache(order: .corelibs, costLimit: 9_000, countLimit: 14) { $0.bitmapBytes }
        for seed in 1...3 { try compare(cache, Library(twin, limit: 9_000), seed: UInt64(seed)) }
    }

    /// A library's memory cache, on a device with a given memory.
    struct Library {
        var twin: any MemoryTwin
        /// The limit, in bytes of cost; nil if there is none that can be reached.
        var limit: Int?
        /// The largest number of objects; nil without a limit.
        var mostObjects: Int?
        /// Whether the app can set the expiration of each object.
        var takesExpirations = false
        /// The lifetime of objects, in microseconds. The test skips over it.
        var lifetime: Int64 = 60_000_000
        /// Whether the limit can be reached, so that objects are evicted.
        var binds: Bool

        init(
            _ twin: any MemoryTwin, limit: Int? = nil, mostObjects: Int? = nil, binds: Bool? = nil,
            takesExpirations: Bool = false,
            lifetime: Int64 = 60_000_000
        ) {
            (self.twin, self.limit, self.mostObjects, self.takesExpirations, self.lifetime) = (
                twin, limit, mostObjects, takesExpirations, lifetime
            )
            self.binds = binds ?? (limit != nil || mostObjects != nil)
        }

        /// Returns nil for a preset whose library has no twin.
        init?(_ preset: String, ram: Int, _ order: SlowNSCache.Order) {
            let (second, bitmap) = (Int64(1_000_000), { (image: TwinImage) in image.bitmapBytes })
            switch preset {
            case "kingfisher-8":
                let cache = SlowNSCache(order: order, costLimit: ram / 4, cost: bitmap)
                self.init(
                    SlowExpiringNSCache(
                        cache, lifetime: 300 * second, sweep: 120 * second, slides: true, expiredRead: .misses),
                    limit: ram / 4, takesExpirations: true, lifetime: 300 * second)
            case "nuke-12":
                let limit = min(ram / (ram <= 512 * 1_024 * 1_024 ? 10 : 5), 512 * 1_024 * 1_024)
                self.init(SlowNuke(isClock: false, limit: limit), limit: limit)
            case "nuke-13", "nuke-default":
                let limit = min(Int(Double(ram) * 0.15), 768 * 1_024 * 1_024)
                self.init(SlowNuke(isClock: true, limit: limit), limit: limit)
            case "sdwebimage-5", "sdwebimage-5.19", "hyperoslo-7": self.init(SlowNSCache(order: order))
            case "yycache": self.init(SlowYYMemoryCache(age: nil))
            case "yywebimage":
                self.init(SlowYYMemoryCache(age: 12 * 3_600 * second), lifetime: 12 * 3_600 * second)
            case "pincache-3", "pinremoteimage": self.init(SlowPINMemoryCache())
            case "alamofireimage-4": self.init(SlowAlamofireImage(), limit: 100_000_000)
            // Two screens at 4 bytes per pixel; a fifth and a quarter of a memory class of 256 MiB.
            case "glide":
                self.init(SlowAndroidCache(.glide, limit: 1_080 * 2_400 * 4 * 2), limit: 1_080 * 2_400 * 4 * 2)
            case "coil-3": self.init(SlowAndroidCache(.coil, limit: 53_687_091), limit: 53_687_091)
            case "flutter-3", "cached-network-image-3":
                self.init(SlowAndroidCache(.flutter, limit: 104_857_600), limit: 104_857_600)
            // A seventh of a memory class of 256 MiB, and 15 % of 512 MiB: neither clears memory.
            case "picasso-2", "picasso-3":
                self.init(SlowAndroidCache(.picasso, limit: 38_347_922), limit: 38_347_922)
            case "coil-3-ios": self.init(SlowAndroidCache(.picasso, limit: 80_530_636), limit: 80_530_636)
            case "rn-image-ios":
                let cache = SlowNSCache(order: order, costLimit: 20_971_520, cost: bitmap)
                self.init(SlowRCTImageCache(cache: cache, entryLimit: 2_097_152), limit: 20_971_520)
            case "fast-image-ios": self.init(SlowNSCache(order: order))
            case "fast-image-android":
                self.init(SlowAndroidCache(.glide, limit: 1_080 * 2_400 * 4 * 2), limit: 1_080 * 2_400 * 4 * 2)
            case "rn-image-android":
                self.init(SlowAndroidCache(.fresco, limit: 67_108_864), limit: 67_108_864, mostObjects: 256)
            case "fresco": self.init(SlowAndroidCache(.fresco, limit: 67_108_864), limit: 67_108_864, mostObjects: 256)
            case "urlcache":
                self.init(
                    SlowURLCache(
                        isCorelibs: false, capacity: 4_000_000, entryLimit: 200_000, lifetime: 86_400 * second),
                    // The images that one entry may have are too few to reach the limit.
                    limit: 4_000_000, binds: false, takesExpirations: true, lifetime: 86_400 * second)
            case "corelibs-urlcache":
                self.init(
                    SlowURLCache(
                        isCorelibs: true, capacity: 4_194_304, entryLimit: 4_194_303, lifetime: 86_400 * second),
                    limit: 4_194_304, takesExpirations: true, lifetime: 86_400 * second)
            case "two-tier", "two-tier-prefetching", "two-tier-as-written", "coalescing-memory",
                "coalescing-memory-as-written":
                self.init(SlowNSCache(order: order))
            case "ttl-two-tier":
                let cache = SlowNSCache(order: order, costLimit: ram / 4, cost: bitmap)
                self.init(
                    SlowExpiringNSCache(cache, lifetime: 300 * second, sweep: 240 * second, expiredRead: .removes),
                    limit: ram / 4,
                    takesExpirations: true, lifetime: 300 * second)
            case "ttl-two-tier-as-written":
                let cache = SlowNSCache(order: order, costLimit: ram / 4)
                self.init(
                    SlowExpiringNSCache(cache, lifetime: 300 * second, sweep: 240 * second, expiredRead: .delivers),
                    limit: ram / 4, binds: false,
                    takesExpirations: true, lifetime: 300 * second)
            case "split-md5", "split-md5-as-written", "split-md5-gated", "split-md5-gated-as-written":
                let halves = SlowSplitNSCache(
                    thumbnails: SlowNSCache(order: order, countLimit: 100),
                    full: SlowNSCache(order: order, countLimit: 20))
                self.init(halves, mostObjects: 120)
            case "nscache-100mb":
                self.init(
                    SlowNSCache(order: order, costLimit: 100 * 1_024 * 1_024, cost: bitmap), limit: 100 * 1_024 * 1_024)
            case "nscache-100mb-as-written":
                self.init(
                    SlowNSCache(order: order, costLimit: 100 * 1_024 * 1_024), limit: 100 * 1_024 * 1_024, binds: false)
            default: return nil
            }
        }
    }
}

extension PresetMemoryTwinTests {
    /// Returns the key that a preset's library uses: every fifth character, host and path, or the whole key.
    private static func name(_ key: String, _ preset: String?) -> String {
        switch preset {
        case "two-tier-as-written":
            var name = ""
            for (index, character) in key.enumerated() where index % 5 == 0 && character != "/" {
                name.append(character)
            }
            return name
        case "corelibs-urlcache": return String(key.prefix { $0 != "?" })
        default: return key
        }
    }

    private func compare(_ cache: CacheConfiguration, _ library: Library, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var twin = library.twin
        let tier = MemoryTier(try PolicyContext().policy(cache.memory), entryRule: cache.memoryRules.entryRule)
        let limit = library.limit ?? 4_000
        // Many keys and small images reach the limit on the number of objects; else few keys and larger images.
        let isCounted = library.mostObjects != nil && (library.limit == nil || seed % 2 == 0)
        let keys = isCounted ? 400 : 24
        let images = Self.images(upTo: limit, areSmall: isCounted, &random)
        let sizes = Self.sizes(of: images, width: Self.width(for: limit))
        let operations = isCounted ? 6_000 : 2_500
        var time: Int64 = 0
        var stored: [WeakPayload] = []
        var tally = (hits: 0, misses: 0, stale: 0, renewed: 0, backgrounds: 0, mostObjects: 0)
        for operation in 0..<operations {
            Self.pass(&time, library, twin, &random)
            let number = random.below(keys)
            let key = "https://example.com/\(number / 2 * 7_919)/large.jpg?w=\(number % 2 + 1)"
            let variant = UInt8(random.below(4) == 0 ? 0 : 1)
            let (tierKey, twinKey) = (
                cache.memoryRules.memoryKey.key(key), "\(variant)\(Self.name(key, cache.preset))"
            )
            twin.wait(until: time)
            var same = true
            // Rare for tests that must collect hundreds of objects.
            switch random.below(isCounted ? 3_000 : 400) {
            case 0: tier.advance(to: time)
            case 1:
                tier.advance(to: time)
                try relieve(tier, cache.memoryRules.onWarning)
                twin.memoryWarning()
            case 2, 3:
                tier.advance(to: time)
                try relieve(tier, cache.memoryRules.onBackground)
                twin.enterBackground()
                tally.backgrounds += 1
            case 4 where twin is SlowNuke:
                let cost = random.below(library.limit ?? 0)
                try tier.trim(to: cost)
                twin.trim(to: cost)
            case _ where random.below(5) < 2:
                let index = random.below(images.count)
                var image = images[index]
                image.version = stored.count
                image.payloadBytes = 8 + random.below(9)
                if library.takesExpirations, random.below(6) == 0 {
                    image.expiration =
                        random.below(5) == 0 ? .max / 4 : time + 1 + Int64(random.below(Int(2 * library.lifetime)))
                }
                if twin.holds(twinKey) { tally.renewed += 1 }
                let payload = Self.payload(of: image)
                stored.append(WeakPayload(payload))
                let cost = sizes.cost(index, cache.memoryRules.cost, holding: cache.memoryRules.holds)
                let kept = tier.store(
                    payload, for: tierKey, counting: (payload.count, cost), variant: variant, at: time,
                    expiration: image.expiration)
                twin.put(image, twinKey, at: time)
                same = kept == twin.holds(twinKey)
            default:
                let hit = tier.payload(for: tierKey, variant: variant, at: time)
                let expected = twin.get(twinKey, at: time)
                same = hit.map { TwinFinding(version: Self.version(of: $0.payload), isStale: $0.isStale) } == expected
                if let expected { expected.isStale ? (tally.stale += 1) : (tally.hits += 1) } else { tally.misses += 1 }
            }
            let held = twin.held
            tally.mostObjects = max(tally.mostObjects, held.count)
            let expected = Occupancy(objects: held.count, bytes: held.map(\.payloadBytes).reduce(0, +))
            guard same, tier.occupancy == expected else {
                let place = "\(cache.name), seed \(seed), operation \(operation) on \(twinKey) at \(time)"
                Issue.record("\(place): the tier holds \(tier.occupancy), the library \(expected)")
                return
            }
        }
        // Exactly the removed payloads are freed.
        #expect(stored.count { $0.payload != nil } == tier.occupancy.objects)
        // The sequence covered every kind of operation.
        #expect(tally.hits > 50 && tally.misses > 50 && tally.renewed > 30 && tally.backgrounds > 0, "\(tally)")
        #expect(!library.binds || tier.counts.evictions > 50)
        if isCounted { #expect(tally.mostObjects == library.mostObjects) }
        if twin is SlowExpiringNSCache { #expect(tier.counts.expirations > 20) }
        if let expiring = twin as? SlowExpiringNSCache, expiring.expiredRead == .delivers { #expect(tally.stale > 10) }
    }

    private func relieve(_ tier: MemoryTier, _ action: PressureAction) throws {
        switch action {
        case .keep: break
        case .clear: tier.clear()
        case .trim(let cost): try tier.trim(to: cost)
        case .trimToLimit: Issue.record("the share of the limit is not resolved")
        case .trimToShare(let share): try tier.trim(to: Int(Double(tier.cost) * share))
        }
    }

    /// Advances the time, mostly by a little. Sometimes the new time is the moment of an expiration or sweep, or one
    /// microsecond before or after it.
    private static func pass(
        _ time: inout Int64, _ library: Library, _ twin: any MemoryTwin, _ random: inout SplitMix64
    ) {
        switch random.below(100) {
        case 0..<50: break
        case 50..<86: time += Int64(random.below(2_000_000))
        case 86..<90: time += Int64(random.below(Int(library.lifetime / 5)))
        case 90..<95:
            let moments = twin.moments(after: time)
            guard !moments.isEmpty else { break }
            let moment = moments[random.below(moments.count)] + Int64(random.below(3) - 1)
            // Some objects never expire.
            if moment > time, moment < .max / 8 { time = moment }
        case 96: time += Int64(random.below(Int(2 * library.lifetime)))
        default: time += Int64(random.below(20_000_000))
        }
    }

    /// Returns images of about a tenth of the limit, a quarter of the limit, the limit itself, and random smaller
    /// sizes. Hundreds of small images fit into the limit, for limits on the number of objects.
    private static func images(upTo limit: Int, areSmall: Bool, _ random: inout SplitMix64) -> [TwinImage] {
        let row = 4 * width(for: limit)
        return (0..<300).map { _ in
            let bytes =
                switch random.below(20) {
                case 0 where !areSmall: limit + row * (random.below(5) - 2)
                case 1 where !areSmall: limit + random.below(limit)
                case 2...4 where !areSmall: limit / 10 + row * (random.below(5) - 2)
                case 5 where !areSmall: limit / 4 + row * (random.below(5) - 2)
                case _ where areSmall: random.below(max(limit / 300, 30))
                default: random.below(limit / 5)
                }
            let pixels = max(1, bytes / row) * row / 4
            return TwinImage(
                version: 0, encodedBytes: max(1, random.below(4) == 0 ? bytes : bytes / 3), pixels: pixels,
                payloadBytes: 0)
        }
    }

    /// Returns the width of images of up to twice the limit in bytes, so that no side exceeds 2^20 pixels.
    private static func width(for limit: Int) -> Int { [1, 64, 1_024].first { limit / 2 / $0 <= 1 << 20 } ?? 1 }

    /// Returns the sizes of the images as a replay knows them.
    private static func sizes(of images: [TwinImage], width: Int) -> ImageSizes {
        var builder = TraceBuilder()
        for (number, image) in images.enumerated() {
            let object = builder.object("\(number)")
            builder.update(object) {
                ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (image.encodedBytes, width, image.pixels / width)
            }
            builder.append(TraceEvent(time: Int64(number), .appear(object, .full)))
        }
        let trace = builder.finish()
        return ImageSizes(trace, sizes: trace.resolvedSizes())
    }

    private static func payload(of image: TwinImage) -> Payload {
        Payload(count: image.payloadBytes) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes.storeBytes(of: image.version, as: Int.self)
        }
    }

    private static func version(of payload: Payload) -> Int { payload.bytes.load(as: Int.self) }
}

private struct WeakPayload {
    weak var payload: Payload?
    init(_ payload: Payload) { self.payload = payload }
}

extension SplitMix64 {
    /// Returns a number from 0 to `limit` - 1. Unlike ``next(below:)``, it takes limits above 2^32.
    fileprivate mutating func below(_ limit: Int) -> Int { Int(next() >> 1) % limit }
}
