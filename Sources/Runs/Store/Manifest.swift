import Foundation

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
    /// The inputs besides the traces.
    public var inputs: RunInputs
    public var machine: MachineDescription
    public var start: Date
    /// The end of the command, or nil while it runs and after an interruption.
    public var end: Date?
    /// The part of the whole that these results are; nil for the whole.
    public var shard: ShardSource?
    /// The traces that could not be read, and were left out; nil without such traces.
    public var skipped: [SkippedSource]?
    public var facts: Facts

    public init(
        versions: [String: String], command: [String], traces: [TraceSource], inputs: RunInputs, start: Date,
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
        inputs = try values.decode(RunInputs.self, forKey: .inputs)
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
        try values.encode(inputs, forKey: .inputs)
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
        all.inputs = inputs.keeping(earlier.inputs)
        all.facts = facts.keeping(earlier.facts)
        return all
    }
}

/// The members of `run.json` for one kind of command. They are beside the members of all commands.
public protocol ManifestFacts: Codable, Sendable, Equatable {
    /// The member `kind`; nil if `run.json` has none.
    static var kind: String? { get }
    /// The SHA-256 of costs that are not the standard ones.
    var costsChecksum: String? { get }
    /// The limits of figures by the name of the trace.
    var budgets: [String: [String]]? { get }
    /// Returns these facts with the facts of earlier results that are kept, but not made now.
    func keeping(_ earlier: Self) -> Self
}

extension ManifestFacts {
    public var costsChecksum: String? { nil }
    public var budgets: [String: [String]]? { nil }
    public func keeping(_ earlier: Self) -> Self { self }
}
