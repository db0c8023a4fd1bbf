import Basics
import Foundation

/// The file of a probe, as `cachereplay probe nscache --output` writes it and `--nscache FILE` reads it.
public struct ProbeRecord: Codable, Sendable, Equatable {
    /// The version of this form.
    public static let version = 1

    /// ``version`` of the program that wrote the file.
    public var probe = Self.version
    /// The version of CacheReplay.
    public var cachereplay: String
    /// `NSCache` of the machine, or the command of a program.
    public var subject: String
    public var platform: Platform
    public var sequences: Int
    public var operations: Int
    public var answers: Int
    public var repeated: Int
    public var differing: Int
    public var overLimits: Int
    public var wrong: Int
    /// ``ProbeVerdict/word``.
    public var verdict: String
    /// The model that fits; nil without one, and if several fit.
    public var best: String?
    /// By the number of contradictions, the fewest first.
    public var models: [Model]

    /// The machine. Nothing in it identifies a person.
    public struct Platform: Codable, Sendable, Equatable {
        /// `Linux`, `macOS` …
        public var name: String
        public var version: String
        public var architecture: String
        /// `Foundation` or `swift-corelibs-foundation`; its release is that of the system, or of Swift.
        public var foundation: String
    }

    public struct Model: Codable, Sendable, Equatable {
        public var name: String
        public var contradicted: Int
        /// nil if no sequence contradicts the model, and for a class whose answers change from run to run.
        public var shortest: Contradiction?
    }

    public struct Contradiction: Codable, Sendable, Equatable {
        public var limits: ProbeLimits
        /// The operations, with the answers to reads.
        public var operations: [String]
    }

    enum CodingKeys: String, CodingKey {
        case probe, cachereplay, subject = "class", platform, sequences, operations, answers, repeated, differing
        case overLimits = "over_limits", wrong, verdict, best, models
    }

    /// - Parameters:
    ///   - probe: The probe.
    ///   - subject: What was probed.
    ///   - version: That of CacheReplay.
    public init(_ probe: Probe, of subject: String, version: String) {
        cachereplay = version
        self.subject = subject
        platform = .current
        (sequences, operations, answers) = (probe.sequences, probe.operations, probe.answers)
        (repeated, differing) = (probe.repeated, probe.differing)
        (overLimits, wrong) = (probe.overLimits, probe.wrong)
        verdict = probe.verdict.word
        if case .identified(let name) = probe.verdict { best = name }
        models = probe.comparisons.enumerated().sorted {
            ($0.element.contradicted, $0.offset) < ($1.element.contradicted, $1.offset)
        }.map { _, comparison in
            Model(
                name: comparison.model.name, contradicted: comparison.contradicted,
                shortest: comparison.shortest.map { .init(limits: $0.sequence.limits, operations: $0.lines) })
        }
    }
}

extension ProbeRecord.Platform {
    public static var current: Self {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        #if canImport(Darwin)
        let foundation = "Foundation"
        #else
        let foundation = "swift-corelibs-foundation"
        #endif
        return Self(
            name: system, version: "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)",
            architecture: architecture, foundation: foundation)
    }

    private static var system: String {
        #if os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(Linux)
        "Linux"
        #else
        "unknown"
        #endif
    }

    private static var architecture: String {
        #if arch(arm64)
        "arm64"
        #elseif arch(x86_64)
        "x86_64"
        #else
        "unknown"
        #endif
    }
}

extension ProbeRecord {
    /// Reads a file of a probe.
    ///
    /// - Throws: ``ProbeFailure`` that names the file, and what is wrong with it.
    public init(contentsOf path: String) throws {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw ProbeFailure("\(path): cannot be read: \(error.localizedDescription)")
        }
        struct Head: Decodable { var probe: Int? }
        guard let head = try? JSONDecoder().decode(Head.self, from: data), let version = head.probe else {
            throw ProbeFailure(
                "\(path): is no file of a probe; `cachereplay probe nscache --output \(path)` writes one")
        }
        guard version == Self.version else {
            throw ProbeFailure(
                "\(path): has the version \(version) of the form, and this program reads version \(Self.version)")
        }
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch {
            throw ProbeFailure("\(path): is a damaged file of a probe: \(Self.place(of: error))")
        }
    }

    private static func place(of error: any Error) -> String {
        func path(_ keys: [any CodingKey]) -> String {
            keys.isEmpty ? "the file" : keys.map(\.stringValue).joined(separator: "/")
        }
        return switch error {
        case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    /// The file's text.
    public func json() throws -> String {
        try JSONWriter.encoding(self, .spaced).text + "\n"
    }
}
