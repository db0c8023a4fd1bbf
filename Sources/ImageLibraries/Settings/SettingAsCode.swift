import Basics
import CachePolicies
import ReplayEngine

/// The code of an app that gives a library the limits, lifetimes and connections of a cache.
///
/// The code sets the values in which a cache differs from its preset, and nothing else. The names of its statements
/// are from the library's own source or documentation; see ``source``.
public struct SettingAsCode: Sendable, Equatable {
    public enum Language: String, Sendable, CaseIterable {
        case swift, kotlin, dart, typescript
        /// The options of a program.
        case shell

        /// The name in titles, behind `in`.
        public var title: String {
            switch self {
            case .swift: "Swift"
            case .kotlin: "Kotlin"
            case .dart: "Dart"
            case .typescript: "TypeScript"
            case .shell: "a shell"
            }
        }
    }

    /// The library's name without a version.
    public let library: String
    public let language: Language
    /// The statements; empty if no value differs, or if none can be set.
    public let code: String
    /// The file or the page in which the names of the library were read, with its version or commit.
    public let source: String
    /// The values that differ and that the code does not set, each a sentence, with the reason if the library has one.
    public let unsupported: [String]

    /// Derives the code for a cache that is based on a preset.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - device: The device of the preset, whose defaults the preset has.
    /// - Returns: nil if the cache is not based on a preset, or if no statements of the preset's library are known.
    /// - Throws: `SpecError` if the preset is not a valid cache.
    public init?(_ cache: CacheConfiguration, on device: Device = Device()) throws {
        guard let name = cache.preset, let library = LibrarySetting.all.first(where: { $0.presets.contains(name) })
        else { return nil }
        let preset = try CacheConfiguration(CachePreset.named(name), on: device)
        var statements: [LibrarySetting.Statement] = []
        var missing: [String] = []
        for (tier, own, asked) in [
            ("memory", preset.memory, cache.memory), ("disk", preset.disk ?? .none, cache.disk ?? .none),
        ] where own != asked {
            let (before, after) = (TierValues(own), TierValues(asked))
            for value in after.values where !before.values.contains(value) {
                // Without a lifetime, nothing ever expires.
                if value.isNever, !before.values.contains(where: { $0.kind == .lifetime }) { continue }
                if let statement = library.statement(tier, value) {
                    statements.append(statement)
                } else {
                    missing.append(library.lack(tier, value))
                }
            }
            for value in before.values
            where !value.isNever && !after.values.contains(where: { $0.kind == value.kind }) {
                missing.append("No statement is known that removes the \(value.kind.rawValue) of \(tier).")
            }
            if before.shape != after.shape {
                missing.append("The library decides what leaves \(tier), not \(asked).")
            }
        }
        for rule in Rule.all where rule.text(in: preset) != rule.text(in: cache) {
            if let statement = library.statement(rule, rule.text(in: cache)) {
                statements.append(statement)
            } else {
                missing.append(library.lack(rule, rule.text(in: cache)))
            }
        }
        self.library = library.name
        language = library.language
        source = library.source
        unsupported = missing
        code = statements.isEmpty ? "" : library.code(statements)
    }
}

/// A limit or a lifetime of a tier.
struct TierValue: Equatable {
    enum Kind: String { case bytes = "limit in bytes", objects = "limit of objects", lifetime = "lifetime" }

    let kind: Kind
    /// Bytes, objects, or microseconds; nil for a share of a working set, and for a lifetime without end.
    package let number: Int64?
    /// The value as written.
    let text: String
    /// The lifetime of objects that never expire.
    var isNever: Bool { text == "never" }

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
            case ("lifetime", .spec(let word)) where word.name == "never":
                values.append(TierValue(kind: .lifetime, number: nil, text: word.name))
            default: shape += "\(argument.label ?? ""): \(argument.value) "
            }
        }
        shape += ")"
    }

    private mutating func addLimit(_ text: String) {
        switch try? Size(text) {
        // 0 stands for no limit, and so does the largest limit that a specification can have.
        case .bytes(0), .objects(0), .bytes(PolicySpec.noLimit): break
        case .bytes(let bytes): values.append(TierValue(kind: .bytes, number: Int64(bytes), text: text))
        case .objects(let objects): values.append(TierValue(kind: .objects, number: Int64(objects), text: text))
        case .share, nil: values.append(TierValue(kind: .bytes, number: nil, text: text))
        }
    }
}
