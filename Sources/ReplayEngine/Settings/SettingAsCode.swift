import Basics
import CachePolicies

/// The code of an app that gives a library the limits and lifetimes of a cache.
///
/// The code sets the values in which a cache differs from its preset, and nothing else. The names of its statements
/// are from the library's own source or documentation; see ``source``.
public struct SettingAsCode: Sendable, Equatable {
    public enum Language: String, Sendable { case swift, kotlin }

    public let language: Language
    /// The statements; empty if no value differs, or if none can be set.
    public let code: String
    /// The file or the page in which the names of the library were read, with its version or commit.
    public let source: String
    /// The values that differ and that the code does not set, each a sentence.
    public let unsupported: [String]

    /// Derives the code for a cache that is based on a preset.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - device: The device of the preset. Its defaults are those of this device.
    /// - Returns: nil if the cache is not based on a preset, or if no statements of the preset's library are known.
    /// - Throws: `SpecError` if the preset is not a valid cache.
    public init?(_ cache: CacheConfiguration, on device: Device = Device()) throws {
        guard let name = cache.preset, let library = LibrarySetting.all.first(where: { $0.presets.contains(name) })
        else { return nil }
        let preset = try CacheConfiguration(CachePreset.named(name), on: device)
        var lines: [String] = []
        var missing: [String] = []
        for (tier, own, asked) in [
            ("memory", preset.memory, cache.memory), ("disk", preset.disk ?? .none, cache.disk ?? .none),
        ] where own != asked {
            let (before, after) = (TierValues(own), TierValues(asked))
            for value in after.values where !before.values.contains(value) {
                if let statement = library.statement(tier, value) {
                    lines.append(statement)
                } else {
                    missing.append(
                        "No statement is known that sets the \(value.kind.rawValue) of \(tier): \(value.text).")
                }
            }
            for value in before.values where !after.values.contains(where: { $0.kind == value.kind }) {
                missing.append("No statement is known that removes the \(value.kind.rawValue) of \(tier).")
            }
            if before.shape != after.shape {
                missing.append("The library decides what leaves \(tier), not \(asked).")
            }
        }
        for rule in Rule.all where rule.text(in: preset) != rule.text(in: cache) {
            missing.append("No statement is known that sets \(rule.name): \(rule.text(in: cache)).")
        }
        language = library.language
        source = library.source
        unsupported = missing
        code = lines.isEmpty ? "" : library.code(lines)
    }
}

/// A limit or a lifetime of a tier.
struct TierValue: Equatable {
    enum Kind: String { case bytes = "limit in bytes", objects = "limit of objects", lifetime = "lifetime" }

    let kind: Kind
    /// Bytes, objects, or microseconds; nil for a share of a working set.
    let number: Int64?
    /// The value as written.
    let text: String

    static func == (one: TierValue, other: TierValue) -> Bool {
        one.kind == other.kind && one.number == other.number && (one.number != nil || one.text == other.text)
    }
}

/// The limits and lifetimes of a policy, and the policy without them.
struct TierValues {
    private(set) var values: [TierValue] = []
    /// The names of the policies and their other arguments.
    private(set) var shape = ""

    init(_ spec: PolicySpec) { add(spec) }

    private mutating func add(_ spec: PolicySpec) {
        shape += "\(spec.name)("
        for argument in spec.arguments {
            switch (argument.label, argument.value) {
            case (nil, .spec(let inner)): add(inner)
            case (nil, .quantity(let text)), ("cost", .quantity(let text)), ("count", .quantity(let text)):
                addLimit(argument.label == "count" ? "\(text) objects" : text)
            case ("lifetime", .quantity(let text)):
                values.append(TierValue(kind: .lifetime, number: try? TimeSpan.microseconds(text), text: text))
            default: shape += "\(argument.label ?? ""): \(argument.value) "
            }
        }
        shape += ")"
    }

    private mutating func addLimit(_ text: String) {
        switch try? Size(text) {
        // 0 stands for no limit.
        case .bytes(0), .objects(0): break
        case .bytes(let bytes): values.append(TierValue(kind: .bytes, number: Int64(bytes), text: text))
        case .objects(let objects): values.append(TierValue(kind: .objects, number: Int64(objects), text: text))
        case .share, nil: values.append(TierValue(kind: .bytes, number: nil, text: text))
        }
    }
}

/// The statements of a library.
struct LibrarySetting: Sendable {
    let presets: [String]
    let language: SettingAsCode.Language
    let source: String
    /// The lines before the statements, and after them.
    let before: [String]
    let after: [String]
    /// The statements with `#` in place of a number, by tier and kind. A lifetime is in seconds.
    let statements: [String: String]

    /// Returns the statement that sets a value; nil if none is known, or if the value is not a number.
    func statement(_ tier: String, _ value: TierValue) -> String? {
        guard let statement = statements["\(tier) \(value.kind.rawValue)"], let number = value.number else {
            return nil
        }
        if value.kind == .lifetime {
            // Fractions of a second would need another literal.
            guard number % 1_000_000 == 0 else { return nil }
            return statement.replacing("#", with: "\(number / 1_000_000)")
        }
        return statement.replacing("#", with: "\(number)")
    }

    func code(_ lines: [String]) -> String { (before + lines + after).joined(separator: "\n") + "\n" }

    static let all = [
        LibrarySetting(
            presets: ["kingfisher-8"], language: .swift,
            source: """
                onevcat/Kingfisher: Sources/Cache/MemoryStorage.swift at ccb87f940e147346a70313e0b1ae8035aeb986d6, and \
                Sources/Cache/DiskStorage.swift at 7719aef8e0437a98ccbb544a0b3ebfee0aa60871
                """,
            before: ["import Kingfisher", "", "let cache = ImageCache.default"], after: [],
            statements: [
                "memory limit in bytes": "cache.memoryStorage.config.totalCostLimit = #",
                "memory limit of objects": "cache.memoryStorage.config.countLimit = #",
                "memory lifetime": "cache.memoryStorage.config.expiration = .seconds(#)",
                "disk limit in bytes": "cache.diskStorage.config.sizeLimit = #",
                "disk lifetime": "cache.diskStorage.config.expiration = .seconds(#)",
            ]),
        LibrarySetting(
            presets: ["sdwebimage-5", "sdwebimage-5.19"], language: .swift,
            source: """
                SDWebImage/SDWebImage: SDWebImage/Core/SDImageCacheConfig.h at 0b10fcb54484b618a53386670bff38176a203290
                """,
            before: ["import SDWebImage", "", "let config = SDImageCache.shared.config"], after: [],
            statements: [
                "memory limit in bytes": "config.maxMemoryCost = #",
                "memory limit of objects": "config.maxMemoryCount = #",
                "disk limit in bytes": "config.maxDiskSize = #", "disk lifetime": "config.maxDiskAge = #",
            ]),
        LibrarySetting(
            presets: ["nuke-12", "nuke-13", "nuke-default"], language: .swift,
            source: """
                kean/Nuke: Sources/Nuke/Caching/ImageCache.swift at 043fe772efe235451d25aa34c5e77445a7476a40
                """,
            before: ["import Nuke", ""], after: [],
            statements: [
                "memory limit in bytes": "ImageCache.shared.costLimit = #",
                "memory limit of objects": "ImageCache.shared.countLimit = #",
                "memory lifetime": "ImageCache.shared.ttl = #",
            ]),
        LibrarySetting(
            presets: ["coil-3"], language: .kotlin,
            source: """
                coil-kt/coil: coil-core/src/commonMain/kotlin/coil3/memory/MemoryCache.kt at \
                24729abeed40a3d1c8d3ded5b3a7847d43abd6f5
                """,
            before: ["import coil3.memory.MemoryCache", "", "val memoryCache = MemoryCache.Builder()"],
            after: ["    .build()"], statements: ["memory limit in bytes": "    .maxSizeBytes(#L)"]),
    ]
}
