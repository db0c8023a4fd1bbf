import Basics
import CachePolicies

/// A cache that people really use, as a configuration: a library at a version with its defaults, or a design that is
/// written by hand. It is data: a specification as a user could write it, and where each figure of it comes from.
public struct CachePreset: Sendable {
    public enum Family: String, Sendable, CaseIterable {
        case apple = "Libraries for Apple's systems"
        case android = "Libraries for Android"
        case handWritten = "Designs written by hand"
    }

    /// With the version that its behaviour belongs to: `kingfisher-8`.
    public let name: String
    public let family: Family
    /// In one sentence.
    public let summary: String
    /// What was read for it: versions and dates.
    public let source: String
    public let facts: [PresetFact]
    /// Its memory is Darwin's NSCache, whose order of eviction nobody has published: it is run with each plausible
    /// model once its limit binds.
    public let restsOnDarwinNSCache: Bool
    let specification: @Sendable (Device) -> String

    init(
        _ name: String, _ family: Family, _ summary: String, source: String, restsOnDarwinNSCache: Bool = false,
        facts: [PresetFact],
        _ specification: @escaping @Sendable (Device) -> String
    ) {
        self.name = name
        self.family = family
        self.summary = summary
        self.source = source
        self.restsOnDarwinNSCache = restsOnDarwinNSCache
        self.facts = facts
        self.specification = specification
    }

    /// Of caches that leave it to the system, or to the app.
    static let lazyDecoding = PresetFact(.assumed, "decoding", "when the image is first drawn, on the main lane")

    /// Every preset, in the order in which they are listed.
    public static let all: [CachePreset] =
        kingfisher + nuke + sdWebImage + yyKit + pinterest + otherAppleLibraries + urlCaches + androidLibraries
        + handWritten

    /// Throws a ``SpecError`` that lists the versions there are, or the nearest name.
    public static func named(_ name: String) throws -> CachePreset {
        if let preset = all.first(where: { $0.name == name }) { return preset }
        let stem = stem(of: name)
        let versions = all.map(\.name).filter { self.stem(of: $0) == stem || $0.hasPrefix("\(stem)-") }
        if !stem.isEmpty, !versions.isEmpty {
            throw SpecError(
                "there is no preset '\(name)'; of \(stem) there are: \(versions.joined(separator: ", "))", in: name)
        }
        let hint =
            nearestName(to: name, among: all.map(\.name)).map { "did you mean '\($0)'?" }
            ?? "`cachereplay caches` lists the presets, `cachereplay policies` the policies"
        throw SpecError("there is no preset or policy '\(name)'; \(hint)", in: name)
    }

    static func isNear(_ name: String) -> Bool {
        all.contains { stem(of: $0.name) == stem(of: name) } || nearestName(to: name, among: all.map(\.name)) != nil
    }

    /// The name without its version.
    private static func stem(of name: String) -> String {
        guard let dash = name.lastIndex(of: "-"),
            name[name.index(after: dash)...].allSatisfy({ $0.isNumber || $0 == "." })
        else { return name }
        return String(name[..<dash])
    }
}

/// One parameter of a preset: what it is, and how well that is known.
public struct PresetFact: Sendable {
    public enum Certainty: String, Sendable, CaseIterable {
        /// Read in the source of that version, or run.
        case exact
        /// Its vendor says so.
        case documented
        /// What people observed or concluded.
        case believed
        /// Chosen here: the thing itself leaves it open, or a trace does not tell.
        case assumed
    }

    public let parameter: String
    public let value: String
    public let certainty: Certainty

    init(_ certainty: Certainty, _ parameter: String, _ value: String) {
        self.parameter = parameter
        self.value = value
        self.certainty = certainty
    }
}

/// The device that a preset's limits are shares of.
public struct Device: Sendable, Equatable {
    /// Physical memory, in bytes.
    public var memory = 6_000_000_000
    /// What Android grants an app, in bytes.
    public var memoryClass = 256 << 20
    /// Pixels of the screen.
    public var screenPixels = 1080 * 2400

    public init() {}

    public init(memory: Int) { self.memory = memory }

    /// A share of physical memory, as a size in bytes.
    func memory(_ share: Double, atMost most: Int = .max) -> Int { min(Int(Double(memory) * share), most) }
}

/// What is believed of the order in which Darwin's NSCache evicts; the names are those of the policy `nscache`.
public enum NSCacheModelChoice: String, Codable, Sendable, CaseIterable {
    case lru, fifo, frequency

    public static let doubt = """
        rests on Darwin's NSCache. Apple documents neither its order of eviction nor how strict its limits are: lru, \
        fifo and frequency are \
        plausible models of it, no more
        """
}
