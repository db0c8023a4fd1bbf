import Basics
import Foundation
import ReplayEngine

/// `run.json`: the facts that a reader needs to trust the results and to repeat them.
public struct RunDescription: Codable, Sendable, Equatable {
    /// Versions by name: `cachereplay`, `swift`, `libcurl`, …
    public var versions: [String: String]
    /// The command with all its arguments.
    public var command: [String]
    /// The traces in the order of the command line, which is the order of the rows.
    public var traces: [TraceSource]
    /// The caches in the order of the command line, which is the order of the rows.
    public var caches: [CacheSource]
    public var seed: UInt64
    /// `virtual` or `wall`.
    public var clock: String
    /// `measured`, `modelled` or `instant`, with `+decode` behind it where images are decoded, and `+costs:CHECKSUM`
    /// where the costs are not the standard ones.
    public var timing: String
    /// The costs of modelled timing. nil if they are the standard ones, or if there are none.
    public var costs: CostsSource?
    public var repeats: Int
    /// The width of the steps of the timelines in seconds; 0 without timelines. nil: a second.
    public var timeline: Int?
    /// The regular expression that finds the user of a session in the name of its trace (`--user-from`); nil if users
    /// are those of the headers.
    public var userFrom: String?
    /// Whether the CSV files are safe in spreadsheet programs (`--csv-safe`); nil if their texts are exact.
    public var csvSafe: Bool?
    /// The inputs besides the traces. nil in folders of versions that did not record them.
    public var inputs: RunInputs?
    public var machine: MachineDescription
    public var start: Date
    /// The end of the replay, or nil while it runs and after an interruption.
    public var end: Date?

    /// The part of a replay that these results are; nil for a whole replay.
    public var shard: ShardSource?
    /// The number of finished runs at the end, and of those that failed.
    public var runs: Int?
    public var failed: Int?
    /// The traces that could not be read, and were left out; nil if there are none.
    public var skipped: [Skipped]?

    /// A trace that could not be read.
    public struct Skipped: Codable, Sendable, Equatable {
        public var path: String
        public var reason: String

        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    public struct TraceSource: Codable, Sendable, Equatable {
        public var name: String
        public var path: String
        /// The SHA-256 of the file as it is on the disk, in hexadecimal.
        public var sha256: String
        /// The name of the format in which the file is read. nil in folders of versions that did not record it.
        public var format: String?
        /// The place of the trace in the whole replay, from 0; nil in results that are no shard.
        public var position: Int?
        /// What the trace's header says about the session. nil in folders of versions that did not record it.
        public var session: Session?

        public init(name: String, path: String, sha256: String, format: String? = nil, session: Session? = nil) {
            self.name = name
            self.path = path
            self.sha256 = sha256
            self.format = format
            self.session = session
        }
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

    public struct CacheSource: Codable, Sendable, Equatable {
        public var name: String
        /// The cache's canonical text, with every default, by the name of the trace: sizes that are shares of a trace
        /// differ between traces. Empty if the traces were not read before the first run; each result has its own.
        public var specifications: [String: String]
        /// The name of the preset that the cache is derived from. nil for other caches, and in folders of versions that
        /// did not record it.
        public var preset: String?

        public init(name: String, specifications: [String: String], preset: String? = nil) {
            self.name = name
            self.specifications = specifications
            self.preset = preset
        }
    }

    /// Costs that replace the standard ones.
    public struct CostsSource: Codable, Sendable, Equatable {
        /// The path of their file.
        public var path: String?
        /// The SHA-256 of every constant in its standard notation, in hexadecimal.
        public var sha256: String
        /// Every constant by name.
        public var constants: [String: String]

        public init(path: String?, _ costs: CostModel) {
            self.path = path
            sha256 = costs.checksum
            let all = CostModel.Constant.all.map { ($0.name, $0.unit.text($0.value(in: costs))) }
            constants = Dictionary(uniqueKeysWithValues: all)
        }
    }

    public init(
        versions: [String: String], command: [String], traces: [TraceSource], caches: [CacheSource], seed: UInt64,
        clock: String, timing: String, costs: CostsSource? = nil, repeats: Int, csvSafe: Bool? = nil,
        inputs: RunInputs?,
        machine: MachineDescription = .current(), start: Date
    ) {
        self.costs = costs
        self.versions = versions
        self.command = command
        self.traces = traces
        self.caches = caches
        self.seed = seed
        self.clock = clock
        self.timing = timing
        self.repeats = repeats
        self.csvSafe = csvSafe
        self.inputs = inputs
        self.machine = machine
        self.start = start
    }
}

extension RunDescription {
    /// Returns this description with the inputs of earlier runs that are kept, but not made now: their traces, after
    /// the present ones, and their plugins.
    func keeping(_ earlier: RunDescription) -> RunDescription {
        var all = self
        let names = Set(traces.map(\.name))
        all.traces += earlier.traces.filter { !names.contains($0.name) }
        all.inputs = inputs?.keeping(earlier.inputs)
        return all
    }

    /// Returns a function from the name of a trace to the input that changed since its runs were made, or to nil if
    /// they are reusable now.
    ///
    /// The runs of a trace that is not replayed now are reusable, so that a replay can be extended trace by trace.
    static func change(from old: RunDescription?, to new: RunDescription) -> (_ trace: String) -> InputChange? {
        guard let old else { return { _ in .unrecorded } }
        let versions = (old.versions["cachereplay"] ?? "unknown", new.versions["cachereplay"] ?? "unknown")
        if versions.0 != versions.1 { return { _ in .version(from: versions.0, to: versions.1) } }
        if let change = RunInputs.change(from: old.inputs, to: new.inputs) { return { _ in change } }
        if (old.timeline ?? 1) != (new.timeline ?? 1) { return { _ in .timeline } }
        if old.userFrom != new.userFrom { return { _ in .users } }
        let earlier = TraceSource.byName(old.traces)
        let present = TraceSource.byName(new.traces)
        return { trace in
            guard let now = present[trace] else { return nil }
            return now.change(since: earlier[trace])
        }
    }
}

extension RunDescription.TraceSource {
    fileprivate static func byName(_ sources: [Self]) -> [String: Self] {
        Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the difference from an earlier source of this trace, or nil when there is none.
    func change(since earlier: Self?) -> InputChange? {
        guard let earlier else { return .unrecorded }
        if earlier.sha256 != sha256 { return .traceContent(name) }
        // The format of a trace is unknown until it is read; equal bytes are recognised alike.
        guard let format, earlier.format != format else { return nil }
        return .traceFormat(name, from: earlier.format ?? "unknown", to: format)
    }
}

/// The machine on which the figures were measured.
public struct MachineDescription: Codable, Sendable, Equatable {
    public var system: String
    public var architecture: String
    public var processors: Int
    public var memoryBytes: UInt64

    /// The machine in a phrase: `x86_64, 2 processors, 25.3 GB, Debian GNU/Linux 12`.
    var summary: String {
        "\(architecture), \(processors) processors, \(HumanText.bytes(Double(memoryBytes))), \(system)"
    }

    /// Returns the machine on which this process runs.
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
