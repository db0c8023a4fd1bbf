import Foundation

/// A trace with results.
public struct TraceSource: Codable, Sendable, Equatable {
    public var name: String
    public var path: String
    /// The SHA-256 of the file as it is on the disk, in hexadecimal.
    public var sha256: String
    /// The name of the format in which the file is read; nil until it is read.
    public var format: String?
    /// The place of the trace in the whole replay, from 0; nil in results that are no shard.
    public var position: Int?
    /// The session, by the trace's header; nil until it is read.
    public var session: Session?

    public init(name: String, path: String, sha256: String, format: String? = nil, session: Session? = nil) {
        self.name = name
        self.path = path
        self.sha256 = sha256
        self.format = format
        self.session = session
    }

    /// The origin of a session, as the header of its trace states it.
    public struct Session: Codable, Sendable, Equatable {
        public var title: String?
        /// The program that recorded or made the trace.
        public var recorder: String?
        /// The date at which the recording began, as the trace writes it.
        public var started: String?
        /// Whether a model made the trace.
        public var synthetic: Bool
        /// Whether a program operated the app, and not a person.
        public var scripted: Bool

        public init(title: String?, recorder: String?, started: String?, synthetic: Bool, scripted: Bool) {
            self.title = title
            self.recorder = recorder
            self.started = started
            self.synthetic = synthetic
            self.scripted = scripted
        }
    }
}

/// The part of a replay that a shard made.
public struct ShardSource: Codable, Sendable, Equatable {
    /// Counted from 1.
    public var number: Int
    public var count: Int
    public var traces: Int
    /// The SHA-256, in hexadecimal, of what determines the whole replay: traces, caches and settings.
    public var plan: String

    public static let most = 100_000

    public init(number: Int, count: Int, traces: Int, plan: String) {
        (self.number, self.count, self.traces, self.plan) = (number, count, traces, plan)
    }

    /// - Throws: `DecodingError` for numbers that no shard has.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys, _ range: ClosedRange<Int>) throws -> Int {
            let number = try values.decode(Int.self, forKey: key)
            guard range.contains(number) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: values,
                    debugDescription: "expected \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        count = try number(.count, 1...Self.most)
        self.number = try number(.number, 1...count)
        traces = try number(.traces, 0...Int.max)
        plan = try values.decode(String.self, forKey: .plan)
    }
}

/// The machine on which the figures were measured.
public struct MachineDescription: Codable, Sendable, Equatable {
    public var system: String
    public var architecture: String
    public var processors: Int
    public var memoryBytes: UInt64

    public static func current() -> MachineDescription {
        #if arch(x86_64)
        let architecture = "x86_64"
        #elseif arch(arm64)
        let architecture = "arm64"
        #else
        let architecture = "other"
        #endif
        let process = ProcessInfo.processInfo
        return MachineDescription(
            system: process.operatingSystemVersionString, architecture: architecture,
            processors: process.processorCount, memoryBytes: process.physicalMemory)
    }
}

/// A trace that could not be read.
public struct SkippedSource: Codable, Sendable, Equatable {
    public var path: String
    public var reason: String

    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
