import Foundation

/// `run.json`: what a reader needs to trust the results and to repeat them.
public struct RunDescription: Codable, Sendable, Equatable {
    /// Name to version: `cachereplay`, `swift`, `libcurl`, …
    public var versions: [String: String]
    /// The command with all its arguments, exactly.
    public var command: [String]
    /// In the order in which they were given, which is the order of the rows too.
    public var traces: [TraceSource]
    public var caches: [CacheSource]
    public var seed: UInt64
    /// `virtual` or `wall`.
    public var clock: String
    /// `measured` or `modelled`.
    public var timing: String
    public var repeats: Int
    public var machine: MachineDescription
    public var start: Date
    /// nil while the run goes on, and for good when it was interrupted.
    public var end: Date?

    public struct TraceSource: Codable, Sendable, Equatable {
        public var name: String
        public var path: String
        /// In hexadecimal, of the file as it lies on the disk.
        public var sha256: String

        public init(name: String, path: String, sha256: String) {
            self.name = name
            self.path = path
            self.sha256 = sha256
        }
    }

    public struct CacheSource: Codable, Sendable, Equatable {
        public var name: String
        /// Written out in full, every default included.
        public var specification: String

        public init(name: String, specification: String) {
            self.name = name
            self.specification = specification
        }
    }

    public init(
        versions: [String: String], command: [String], traces: [TraceSource], caches: [CacheSource], seed: UInt64,
        clock: String, timing: String, repeats: Int, machine: MachineDescription = .current(), start: Date
    ) {
        self.versions = versions
        self.command = command
        self.traces = traces
        self.caches = caches
        self.seed = seed
        self.clock = clock
        self.timing = timing
        self.repeats = repeats
        self.machine = machine
        self.start = start
    }
}

/// The machine that the figures were measured on.
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
