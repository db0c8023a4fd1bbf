import Advising
import Basics
import Foundation
import ImageLibraries
import ReplayEngine
import Runs

/// The caches that are compared.
extension AdviseCommand {
    /// The libraries of new apps, in their present versions, whose memory has a limit in bytes.
    private static let everyday = ["kingfisher-8", "nuke-13", "sdwebimage-5", "glide", "coil-3", "fresco"]

    /// The libraries of new apps of a platform; of any, those of iOS and Android.
    private static func everyday(on platform: AppPlatform) -> [String] {
        switch platform {
        case .flutter: ["flutter-3", "cached-network-image-3"]
        case .compose: ["coil-3-ios", "coil-3"]
        default: everyday
        }
    }

    /// Returns the cache of `--keep`, and those of `--for`: specifications, and those of YAML files.
    func namedCaches() throws -> [CacheConfiguration] {
        let kept = try keep.map { try CacheConfiguration(specification: $0, registry: CacheReplay.policies) }
        guard let caches else { return [kept].compactMap(\.self) }
        let others = try SimulateCommand.list(caches).filter { !$0.isEmpty }.flatMap { item in
            guard item.hasSuffix(".yaml") || item.hasSuffix(".yml") else {
                return [try CacheConfiguration(specification: item, registry: CacheReplay.policies)]
            }
            let named = try ConfigFile(contentsOf: item).caches
            guard !named.isEmpty else {
                throw CommandFailure(.badData, "\(item): names no cache; write them under the key caches.")
            }
            return named
        }
        guard !others.isEmpty else { throw CommandFailure(.usage, "--for names no cache; write --for nuke-13.") }
        var names: Set<String> = []
        for cache in others where !names.insert(cache.name).inserted {
            throw CommandFailure(.usage, "--for names \(cache.name) twice; name it once.")
        }
        return [kept].compactMap(\.self) + others.filter { $0.name != kept?.name }
    }

    /// Returns the caches of the options; without `--for`, those of `--keep` and the libraries of new apps.
    ///
    /// - Throws: ``CommandFailure`` for a cache that no app of the platform can have.
    func bases(_ named: [CacheConfiguration], on platform: AppPlatform) throws -> [CacheConfiguration] {
        for (place, cache) in named.enumerated() where !cache.isAvailable(on: platform) {
            let option = keep != nil && place == 0 ? "--keep" : "--for"
            let others = Self.everyday(on: platform).filter {
                (try? CachePreset.named($0).platforms.contains(platform)) == true
            }
            let remedy = others.first.map { "name another one, such as \($0)," } ?? "write a policy, such as lru(64MB),"
            throw CommandFailure(
                .usage,
                """
                \(option) \(cache.name): apps for \(platform.title ?? "all systems") cannot have this cache; \
                \(remedy) or give --platform any.
                """)
        }
        var bases = named
        if caches == nil {
            bases += try Self.everyday(on: platform).filter { name in !named.contains { $0.preset == name } }
                .map { try CacheConfiguration(specification: $0) }.filter { $0.isAvailable(on: platform) }
        }
        guard !bases.isEmpty else {
            throw CommandFailure(
                .usage,
                """
                --platform \(platform.rawValue): no preset of such an app is known; name what its cache is like, such \
                as --for "lru(100MB)", or give --platform any.
                """)
        }
        return try appRules.applied(to: nscache.applied(to: bases))
    }
}
