import Foundation
import ReplayEngine
import ResultColumns

/// `run.json`: the facts that a reader needs to trust results and to repeat them.
///
/// Facts of one kind of command are members too: `manifest.caches` of a replay.
@dynamicMemberLookup
public struct Manifest<Facts: ManifestFacts>: Codable, Sendable, Equatable {
    /// Versions by name: `cachereplay`, `swift`, `libcurl`, …
    public var versions: [String: String]
    /// The command with all its arguments.
    public var command: [String]
    /// The traces in the order of the command line, which is the order of the rows.
    public var traces: [TraceSource]
    /// Whether the CSV files are safe in spreadsheet programs (`--csv-safe`); nil if their texts are exact.
    public var csvSafe: Bool?
    /// The inputs besides the traces. nil in folders of versions that did not record them.
    public var inputs: RunInputs?
    public var machine: MachineDescription
    public var start: Date
    /// The end of the command, or nil while it runs and after an interruption.
    public var end: Date?
    /// The part of the whole that these results are; nil for the whole.
    public var shard: ShardSource?
    /// The traces that could not be read, and were left out; nil without such traces.
    public var skipped: [SkippedSource]?
    /// The facts of one kind of command.
    public var facts: Facts

    public init(
        versions: [String: String], command: [String], traces: [TraceSource], inputs: RunInputs?, start: Date,
        _ facts: Facts
    ) {
        self.versions = versions
        self.command = command
        self.traces = traces
        self.inputs = inputs
        machine = .current()
        self.start = start
        self.facts = facts
    }

    private enum CodingKeys: CodingKey {
        case kind, versions, command, traces, csvSafe, inputs, machine, start, end, shard, skipped
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let kind =
            Facts.kind == nil
            ? try values.decodeIfPresent(String.self, forKey: .kind) : try values.decode(String.self, forKey: .kind)
        guard kind == Facts.kind else {
            throw DecodingError.dataCorruptedError(
                forKey: .kind, in: values, debugDescription: "the facts of another kind of command")
        }
        versions = try values.decode([String: String].self, forKey: .versions)
        command = try values.decode([String].self, forKey: .command)
        traces = try values.decode([TraceSource].self, forKey: .traces)
        facts = try Facts(from: decoder)
        csvSafe = try values.decodeIfPresent(Bool.self, forKey: .csvSafe)
        inputs = try values.decodeIfPresent(RunInputs.self, forKey: .inputs)
        machine = try values.decode(MachineDescription.self, forKey: .machine)
        start = try values.decode(Date.self, forKey: .start)
        end = try values.decodeIfPresent(Date.self, forKey: .end)
        shard = try values.decodeIfPresent(ShardSource.self, forKey: .shard)
        skipped = try values.decodeIfPresent([SkippedSource].self, forKey: .skipped)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(Facts.kind, forKey: .kind)
        try values.encode(versions, forKey: .versions)
        try values.encode(command, forKey: .command)
        try values.encode(traces, forKey: .traces)
        try values.encodeIfPresent(csvSafe, forKey: .csvSafe)
        try values.encodeIfPresent(inputs, forKey: .inputs)
        try values.encode(machine, forKey: .machine)
        try values.encode(start, forKey: .start)
        try values.encodeIfPresent(end, forKey: .end)
        try values.encodeIfPresent(shard, forKey: .shard)
        try values.encodeIfPresent(skipped, forKey: .skipped)
        try facts.encode(to: encoder)
    }

    public subscript<Value>(dynamicMember member: WritableKeyPath<Facts, Value>) -> Value {
        get { facts[keyPath: member] }
        set { facts[keyPath: member] = newValue }
    }

    /// Returns this manifest with the inputs of earlier results that are kept, but not made now: their traces, after
    /// the present ones, and their plugins.
    func keeping(_ earlier: Manifest) -> Manifest {
        var all = self
        let names = Set(traces.map(\.name))
        all.traces += earlier.traces.filter { !names.contains($0.name) }
        all.inputs = inputs?.keeping(earlier.inputs)
        all.facts = facts.keeping(earlier.facts)
        return all
    }
}

/// What `run.json` says of one kind of command alone. Its members are beside those of all commands.
public protocol ManifestFacts: Codable, Sendable, Equatable {
    /// The member `kind`; nil if `run.json` has none.
    static var kind: String? { get }
    /// The SHA-256 of costs that are not the standard ones.
    var costsChecksum: String? { get }
    /// The limits of figures by the name of the trace.
    var budgets: [String: [String]]? { get }
    /// Returns these facts with those of earlier results that are kept, but not made now.
    func keeping(_ earlier: Self) -> Self
}

extension ManifestFacts {
    public var costsChecksum: String? { nil }
    public var budgets: [String: [String]]? { nil }
    public func keeping(_ earlier: Self) -> Self { self }
}

/// The facts of a replay.
public struct ReplayFacts: ManifestFacts {
    public static let kind: String? = nil

    /// The caches in the order of the command line, which is the order of the rows.
    public var caches: [CacheSource]
    public var seed: UInt64
    /// `virtual` or `wall`.
    public var clock: String
    /// `measured`, `modelled` or `instant`, with `+decode` behind it where images are decoded, and `+costs:CHECKSUM`
    /// where the costs are not the standard ones.
    public var timing: String
    public var repeats: Int
    /// The costs of modelled timing; nil for the standard costs, and for timing without costs.
    public var costs: CostsSource?
    /// The width of the steps of the timelines in seconds; 0 without timelines. nil: a second.
    public var timeline: Int?
    /// The regular expression that finds the user of a session in the name of its trace (`--user-from`); nil if users
    /// are those of the headers.
    public var userFrom: String?
    /// The text of the events that were injected into all traces; nil for none.
    public var injected: String?
    /// The networks in the order of the command line, by their names in results; nil for ``auto`` alone.
    public var networks: [String]?
    /// The smallest difference that counts in what is said about the results; nil for the standard one.
    public var relevanceThreshold: Tolerance?
    /// The limits of figures (`--budget`) by the name of the trace, or under an empty name for all; nil without limits.
    public var budgets: [String: [String]]?
    /// The number of finished runs at the end, and of those that failed.
    public var runs: Int?
    public var failed: Int?
    public var costsChecksum: String? { costs?.sha256 }

    /// The limits of ``budgets``.
    public var limits: [FigureBudget] {
        get {
            (budgets ?? [:]).sorted { $0.key < $1.key }.flatMap { trace, texts in
                texts.compactMap { try? FigureBudget($0, trace: trace.isEmpty ? nil : trace) }
            }
        }
        set {
            let texts = Dictionary(grouping: newValue) { $0.trace ?? "" }.mapValues { $0.map(\.description) }
            budgets = texts.isEmpty ? nil : texts
        }
    }

    /// The network that is shared or recorded, as the recording allows.
    public static let auto = "auto"

    /// Whether a trace can have runs over several networks.
    var hasSeveralNetworks: Bool { networks?.count ?? 1 > 1 }

    /// Returns the names that a network of ``networks`` can have in results.
    public static func names(ofNetwork network: String) -> [String] {
        network == auto ? ["shared", "recorded"] : [network]
    }

    /// Returns the member of ``networks`` by which runs over a network were chosen.
    ///
    /// Sessions of ``auto`` belong together, whichever network it is in each. A replay that is extended can have
    /// ``auto`` beside a network that it can be. It is then unknown which of both was meant, and that network is
    /// returned.
    func chosenNetwork(_ name: String) -> String {
        let automatic = Self.names(ofNetwork: Self.auto)
        guard let networks, networks.contains(Self.auto), automatic.contains(name) else { return name }
        return networks.contains(where: { automatic.contains($0) }) ? name : Self.auto
    }

    public func keeping(_ earlier: Self) -> Self {
        var all = self
        let names = ((networks ?? [Self.auto]) + (earlier.networks ?? [Self.auto])).unique()
        all.networks = names == [Self.auto] ? nil : names
        return all
    }

    public init(
        caches: [CacheSource], seed: UInt64, clock: String, timing: String, repeats: Int, costs: CostsSource? = nil
    ) {
        self.caches = caches
        self.seed = seed
        self.clock = clock
        self.timing = timing
        self.repeats = repeats
        self.costs = costs
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
}

/// The facts of a simulation.
public struct SimulationFacts: ManifestFacts {
    public static let kind: String? = "simulation"

    public var policies: [PolicySource]
    /// The capacities as the command line has them.
    public var capacities: [String]
    /// The options on which the figures depend. Results with other settings belong to another simulation.
    public var settings: [String: String]
    public var jobs: Int
    /// The rows of `miss_ratio.csv` and of `curve.csv` at the end; nil while the simulation runs, and in folders of
    /// versions that did not record them.
    public var rows: Int?
    public var curvePoints: Int?
    /// The rows of `miss_ratio_over_time.csv` at the end; nil without any.
    public var parts: Int?
    /// The rows of `least_misses.csv` at the end; nil without any.
    public var leastMisses: Int?
    /// The policies that a trace does not suit, and that have no row of it; nil without any.
    public var leftOut: [LeftOut]?

    public init(policies: [PolicySource], capacities: [String], settings: [String: String], jobs: Int) {
        self.policies = policies
        self.capacities = capacities
        self.settings = settings
        self.jobs = jobs
    }

    public struct PolicySource: Codable, Sendable, Equatable {
        public var name: String
        /// The policy's canonical text, with every default.
        public var specification: String

        public init(name: String, specification: String) {
            self.name = name
            self.specification = specification
        }
    }

    /// A policy that a trace does not suit.
    public struct LeftOut: Codable, Sendable, Hashable {
        public var trace: String
        public var policy: String
        /// The capacity that the policy does not support, such as `64MB`; nil if the policy has no row at all.
        public var capacity: String?
        /// A clause without a full stop.
        public var reason: String

        public init(trace: String, policy: String, capacity: String?, reason: String) {
            self.trace = trace
            self.policy = policy
            self.capacity = capacity
            self.reason = reason
        }

        /// A sentence for readers of results.
        public var sentence: String {
            let place = capacity.map { " at \($0)" } ?? ""
            return "\(policy)\(place) is left out of \(trace): \(reason)."
        }
    }
}

/// A trace of which there are results.
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
    /// The number of shards.
    public var count: Int
    /// The number of traces of the whole replay.
    public var traces: Int
    /// The SHA-256, in hexadecimal, of what determines the whole replay: traces, caches and settings.
    public var plan: String

    /// The largest number of shards.
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

extension Manifest<ReplayFacts> {
    /// Returns a function from the name of a trace to the input that changed since its runs were made, or to nil if
    /// they are reusable now.
    ///
    /// The runs of a trace that is not replayed now are reusable, so that a replay can be extended trace by trace.
    static func change(from old: Self?, to new: Self) -> (_ trace: String) -> InputChange? {
        guard let old else { return { _ in .unrecorded } }
        let versions = (old.versions["cachereplay"] ?? "unknown", new.versions["cachereplay"] ?? "unknown")
        if versions.0 != versions.1 { return { _ in .version(from: versions.0, to: versions.1) } }
        if let change = RunInputs.change(from: old.inputs, to: new.inputs) { return { _ in change } }
        if (old.timeline ?? 1) != (new.timeline ?? 1) { return { _ in .timeline } }
        if old.userFrom != new.userFrom { return { _ in .users } }
        if old.injected != new.injected { return { _ in .injectedEvents } }
        let earlier = TraceSource.byName(old.traces)
        let present = TraceSource.byName(new.traces)
        return { trace in
            guard let now = present[trace] else { return nil }
            return now.change(since: earlier[trace])
        }
    }
}

extension TraceSource {
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

/// The inputs, besides the traces, on which the figures of all runs depend.
///
/// `--resume` compares them with the inputs of the earlier runs, and repeats runs whose inputs changed.
public struct RunInputs: Codable, Sendable, Equatable {
    /// The SHA-256 of the program's executable file, in hexadecimal.
    public var program: String
    /// The SHA-256 of each plugin's library file, by the name of its policy.
    public var plugins: [String: String]
    /// The SHA-256 of the index of the kept bodies, or nil without `--bodies`.
    public var bodies: String?

    public init(program: String, plugins: [String: String] = [:], bodies: String? = nil) {
        self.program = program
        self.plugins = plugins
        self.bodies = bodies
    }
}

/// An input of earlier results that is different now.
public enum InputChange: Hashable, Sendable, CustomStringConvertible {
    /// There is no record of the earlier inputs: `run.json` is missing or has none.
    case unrecorded
    case version(from: String, to: String)
    case program
    case plugin(policy: String)
    case bodies
    case timeline
    case users
    case injectedEvents
    case traceContent(String)
    case traceFormat(String, from: String, to: String)

    /// The change as a clause: `the content of the trace feed changed`.
    public var description: String {
        switch self {
        case .unrecorded: "the folder does not record the inputs of the earlier results"
        case .version(let old, let new): "the version of cachereplay changed from \(old) to \(new)"
        case .program: "the program's executable file changed"
        case .plugin(let policy): "the plugin of the policy \(policy) changed"
        case .bodies: "the kept bodies (--bodies) changed"
        case .timeline: "the steps of the timelines (--timeline) changed"
        case .users: "the origin of the users (--user-from) changed"
        case .injectedEvents: "the injected events (--memory-warning-at, --background-at, --relaunch-at) changed"
        case .traceContent(let trace): "the content of the trace \(trace) changed"
        case .traceFormat(let trace, let old, let new):
            "the format in which the trace \(trace) is read changed from \(old) to \(new)"
        }
    }
}

extension RunInputs {
    /// Returns these inputs with the plugins of earlier results that are kept, but that are not loaded now.
    func keeping(_ earlier: RunInputs?) -> RunInputs {
        var all = self
        all.plugins.merge(earlier?.plugins ?? [:]) { now, _ in now }
        return all
    }

    /// Returns the first difference that affects all earlier results, or nil.
    ///
    /// A plugin that only one side has is no difference: earlier results did not use it, or it is not used now.
    static func change(from old: RunInputs?, to new: RunInputs?) -> InputChange? {
        guard let old, let new else { return .unrecorded }
        if old.program != new.program { return .program }
        for (policy, hash) in new.plugins.sorted(by: { $0.key < $1.key }) {
            if let earlier = old.plugins[policy], earlier != hash { return .plugin(policy: policy) }
        }
        return old.bodies == new.bodies ? nil : .bodies
    }
}

/// The results that `--resume` does not reuse because of one change.
public struct RepeatedResults: Sendable, Equatable {
    public var change: InputChange
    /// The number of runs, or of rows of a simulation.
    public var count: Int
}

extension [RepeatedResults] {
    /// Returns the changes with their counts, in the order in which they first occur.
    static func counting(_ changes: [InputChange]) -> Self {
        var all: Self = []
        for change in changes {
            if let index = all.firstIndex(where: { $0.change == change }) {
                all[index].count += 1
            } else {
                all.append(RepeatedResults(change: change, count: 1))
            }
        }
        return all
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
