import Basics
import CachePolicies
import ReplayEngine

/// A cache that apps really use, as a configuration: a library with the defaults of one version, or a design that is
/// written by hand.
///
/// A preset is data. It has a specification that a user could have written, and the source of each figure in it.
public struct CachePreset: Sendable {
    public enum Family: String, Sendable, CaseIterable {
        case apple = "Libraries for Apple's systems"
        case android = "Libraries for Android"
        case crossPlatform = "Libraries for Flutter, React Native and Compose"
        case browser = "Browsers"
        case handWritten = "Designs written by hand"
    }

    /// The name, with the version whose behaviour it has: `kingfisher-8`.
    public let name: String
    public let family: Family
    /// A short description.
    public let summary: String
    /// The versions and dates of the software or documentation that was read.
    public let source: String
    public let facts: [PresetFact]
    /// Whether the memory tier is Darwin's NSCache. Apple has not published its eviction order, so a replay runs the
    /// preset with each plausible model once a limit binds.
    public private(set) var restsOnDarwinNSCache = false
    let specification: @Sendable (Device) -> String

    init(
        _ name: String, _ family: Family, _ summary: String, source: String, facts: [PresetFact],
        _ specification: @escaping @Sendable (Device) -> String
    ) {
        self.name = name
        self.family = family
        self.summary = summary
        self.source = source
        self.facts = facts
        self.specification = specification
    }

    /// Creates a preset whose memory tier is Darwin's NSCache, which is empty after the app has entered the background.
    static func onDarwinNSCache(
        _ name: String, _ family: Family, _ summary: String, source: String, facts: [PresetFact],
        _ specification: @escaping @Sendable (Device) -> String
    ) -> CachePreset {
        var preset = CachePreset(name, family, summary, source: source, facts: facts + [backgroundOfNSCache]) {
            "\(specification($0)); memoryOnBackground: clear"
        }
        preset.restsOnDarwinNSCache = true
        return preset
    }

    private static let backgroundOfNSCache = PresetFact(
        .believed, "NSCache in the background",
        """
        Removes all objects but those with NSDiscardableContent. Reports of 2015 to 2024 agree, and Apple does not \
        document it.
        """)

    /// The decoding of caches that leave it to the system or to the app.
    static let lazyDecoding = PresetFact(.assumed, "decoding", "When the image is first drawn, on the main lane.")

    /// The objects that an app stores that has a cache and fetches by itself.
    static let storesImagesAlone = PresetFact(
        .assumed, bodies, "Not stored: the app stores what it could decode. The next request fetches again.")

    /// The parameter of facts on responses whose status is a success and whose body is not an image.
    static let bodies = "bodies that are no image"

    /// The behaviour of caches that count all frames where the number is unknown.
    static let recordedFrames = PresetFact(
        .assumed, "frames of animated images", "One, where the session does not record how many an image has.")

    /// Every preset, in the order of the list.
    public static let all: [CachePreset] =
        kingfisher + nuke + sdWebImage + yyKit + pinterest + otherAppleLibraries + urlCaches + androidLibraries
        + picasso + flutter + reactNative + compose + crossPlatformDisk + handWritten

    /// Returns the preset with the given name.
    ///
    /// - Throws: A `SpecError` that lists the existing versions or the nearest name.
    public static func named(_ name: String) throws -> CachePreset {
        if let preset = all.first(where: { $0.name == name }) { return preset }
        let stem = stem(of: name)
        let versions = all.map(\.name).filter { self.stem(of: $0) == stem || $0.hasPrefix("\(stem)-") }
        if !stem.isEmpty, !versions.isEmpty {
            throw SpecError(
                "there is no preset '\(name)'; the presets of \(stem) are: \(versions.joined(separator: ", "))",
                in: name)
        }
        let hint =
            nearestName(to: name, among: all.map(\.name)).map { "did you mean '\($0)'?" }
            ?? "`cachereplay list caches` lists the presets, `cachereplay list policies` the policies"
        throw SpecError("there is no preset or policy '\(name)'; \(hint)", in: name)
    }

    /// Whether the name is another version of a preset, or is close to a preset's name.
    static func isNear(_ name: String) -> Bool {
        all.contains { stem(of: $0.name) == stem(of: name) } || nearestName(to: name, among: all.map(\.name)) != nil
    }

    /// Returns the name without its version.
    private static func stem(of name: String) -> String {
        guard let dash = name.lastIndex(of: "-"),
            name[name.index(after: dash)...].allSatisfy({ $0.isNumber || $0 == "." })
        else { return name }
        return String(name[..<dash])
    }
}

/// One parameter of a preset, and how certain its value is.
public struct PresetFact: Sendable {
    public enum Certainty: String, Sendable, CaseIterable {
        /// The library's own classes ran on the same requests as the preset, and every request had the same outcome.
        case executed
        /// Read in the source code of that version.
        case exact
        /// Stated by the vendor.
        case documented
        /// Observed or concluded by others, and not confirmed.
        case believed
        /// Chosen for the preset, because the library leaves it open or a trace does not record it.
        case assumed
    }

    public let parameter: String
    /// The value, in short sentences.
    public let value: String
    public let certainty: Certainty
    /// The library and version that ran, for facts that are executed.
    public let library: String?

    init(_ certainty: Certainty, _ parameter: String, _ value: String) {
        self.parameter = parameter
        self.value = value
        self.certainty = certainty
        library = nil
    }

    /// Creates a fact that a run of the library's own classes confirms.
    init(executed library: String, _ parameter: String, _ value: String) {
        self.parameter = parameter
        self.value = value
        certainty = .executed
        self.library = library
    }
}

extension NSCacheModelChoice {
    /// Why there are several models, in sentences.
    public static let explanation = """
        The memory tier is Darwin's NSCache. Apple documents neither its eviction order nor how strictly it enforces \
        its limits. lru, fifo and frequency are plausible models. A replay runs all of them once a limit binds.
        """
}
