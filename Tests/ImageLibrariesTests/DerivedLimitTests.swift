import Basics
import CachePolicies
import Foundation
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// The limits that a library derives from its limits: the largest entry, and what is kept in the background.
@Suite("Limits that a library derives from its limits")
struct DerivedLimitTests {
    /// An image of 3,000,000 bytes and as many bytes of bitmap, requested at 0 and 2 s, and after a relaunch.
    @Test(
        "URLCache stores responses up to 5 % of its limit, whatever that is",
        arguments: [
            // 5 % of 20 MB are 1 MB; of 10 GB 500 MB, and of 512 MB 25.6 MB.
            ("urlcache", "---"), ("urlcache; memory: 512MB; disk: 10GB", "-MD"), ("urlcache; disk: 10GB", "-DD"),
            // 10 MB, and 1.5 MB. The bitmap is above the 2 MiB of React Native, and below the limit of Alamofire.
            ("rn-image-ios", "---"), ("rn-image-ios; disk: 200MB", "-DD"),
            ("alamofireimage-4", "-MD"), ("alamofireimage-4; disk: 30MB", "-M-"),
            // 7.5 MiB, and 2.5 MB.
            ("nuke-default", "-MD"), ("nuke-default; disk: 50MB", "-M-"),
            // PINCache writes no file above its limit, and Chromium none above an eighth and 5 MiB.
            ("pincache-3; disk: 4MB", "-MD"), ("pincache-3; disk: 2MB", "-M-"),
            ("chromium; disk: 4MB", "-DD"), ("chromium; disk: 2MB", "---"),
        ])
    func largeResponse(cache: String, outcomes: String) throws {
        var builder = TraceBuilder()
        let image = builder.object("A")
        builder.update(image) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (3_000_000, 750_000, 1) }
        for (second, action) in [
            (0, .appear(image, .full)), (1, .disappear(image, .full)), (2, .appear(image, .full)),
            (3, .disappear(image, .full)), (4, .terminate), (6, .appear(image, .full)),
        ] as [(Int64, TraceEvent.Action)] {
            builder.append(TraceEvent(time: second * 1_000_000, action))
        }
        var job = ReplayJob(trace: "large", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.instant)
        let requests = try job.runRecordingRequests(builder.finish(keepingTimes: true)).requests
        let letters = requests.map { $0.outcome == .memoryHit ? "M" : $0.outcome == .diskHit ? "D" : "-" }.joined()
        #expect(letters == outcomes)
    }

    /// The derived limits of a tier, in bytes.
    private func derived(_ cache: CacheConfiguration, _ tier: String) throws -> [Int] {
        let cache = try cache.resolvingShares(in: CacheContext(PolicyContext()))
        guard tier == "memory" else { return [cache.diskRules.entryRule?.limit].compactMap(\.self) }
        let actions = [cache.memoryRules.onWarning, cache.memoryRules.onBackground]
        let trims = actions.compactMap { if case .trim(let bytes) = $0 { bytes } else { nil } }
        return [cache.memoryRules.entryRule?.limit].compactMap(\.self) + trims
    }

    @Test("For each preset and random limits, a derived limit is at most that limit, and grows with it")
    func invariant() throws {
        var random = SplitMix64(seed: 56)
        var derivedLimits = 0
        for preset in CachePreset.all {
            for tier in ["memory", "disk"] {
                for _ in 0..<20 {
                    let bits = 1 + random.next(below: 24)
                    let limit = 1_000 * (1 + random.next(below: 1 << bits))
                    func cache(_ limit: Int) throws -> CacheConfiguration {
                        try CacheConfiguration(specification: preset.name).sweeping(
                            SweptValue(parameter: tier, value: "\(limit)B"))
                    }
                    guard let one = try? cache(limit) else { break }
                    let written = try CacheConfiguration(specification: "\(preset.name); \(tier): \(limit)B")
                    let (values, doubled) = (try derived(one, tier), try derived(cache(2 * limit), tier))
                    #expect(try derived(written, tier) == values)
                    for (value, next) in zip(values, doubled) {
                        derivedLimits += 1
                        #expect(value <= limit && next <= 2 * limit, "\(preset.name) \(tier)=\(limit)")
                        // Below a limit is one byte less; Chromium's least entry is 5 MiB.
                        let grows = (2 * value...2 * value + 2).contains(next) || value <= 5 << 20 && next >= value
                        #expect(grows, "\(preset.name) \(tier)=\(limit): \(value), then \(next)")
                    }
                    if let setting = try SettingAsCode(one) {
                        let sentences = setting.unsupported.filter {
                            $0.contains("ntryLimit") || $0.contains("memoryOn")
                        }
                        #expect(sentences.isEmpty, "\(preset.name): \(sentences)")
                    }
                }
            }
        }
        #expect(derivedLimits >= 400)
    }

    @Test(
        "A limit of an entry is a size, or a share of the tier's limit",
        arguments: [
            ("80MB", 80_000_000), ("10% of limit", 100), ("below 10% of limit", 99), ("below 100% of limit", 999),
            ("12.5% of limit, at least 300B", 300), ("12.5% of limit, at least 9kB", 1_000), ("none", nil),
        ] as [(String, Int?)])
    func forms(text: String, limit: Int?) throws {
        let cache = try CacheConfiguration("memory: lru(1kB); entryLimit: \(text)")
        #expect(Rule.named("entryLimit")?.text(in: cache) == text)
        let resolved = try cache.resolvingShares(in: CacheContext(PolicyContext()))
        #expect(resolved.memoryRules.entryRule?.limit == limit)
        let same = try JSONDecoder().decode(CacheConfiguration.self, from: JSONEncoder().encode(cache))
        #expect(same == cache)
    }

    @Test(
        "A text that is no limit of an entry is refused",
        arguments: ["10%", "5 objects", "0% of limit", "101% of limit", "10% of limit, at least 5%", "limit"])
    func wrong(text: String) {
        let error = #expect(throws: SpecError.self) { try CacheConfiguration("lru(1kB); entryLimit: \(text)") }
        #expect(error?.message.contains("a share of the tier's limit such as 10% of limit") == true)
    }

    @Test("A share of a limit that is a share of the working set is known with the trace")
    func shareOfShare() throws {
        let cache = try CacheConfiguration(specification: "nuke-13; memory: 5%")
        let workload = PolicyContext(workload: Workload(uniqueBytes: 1_000_000, objects: 10))
        let rules = try cache.resolvingShares(in: CacheContext(workload)).memoryRules
        #expect(rules.entryRule?.limit == 4_999 && rules.onBackground == .trim(to: 5_000))
    }
}
