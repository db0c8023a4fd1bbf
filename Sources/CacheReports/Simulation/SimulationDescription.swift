import Foundation

/// `run.json` of a simulation: the facts that a reader needs to trust the results and to repeat them.
public struct SimulationDescription: Codable, Sendable, Equatable {
    /// `simulation`, which the `run.json` of a replay does not have.
    public var kind = "simulation"
    public var versions: [String: String]
    /// The command with all its arguments.
    public var command: [String]
    public var traces: [RunDescription.TraceSource]
    public var policies: [PolicySource]
    /// The capacities as the command line has them.
    public var capacities: [String]
    /// The options on which the figures depend. Results with other settings belong to another simulation.
    public var settings: [String: String]
    /// Whether the CSV files are safe in spreadsheet programs (`--csv-safe`); nil if their texts are exact.
    public var csvSafe: Bool?
    /// The inputs besides the traces. nil in folders of versions that did not record them.
    public var inputs: RunInputs?
    public var jobs: Int
    public var machine: MachineDescription
    public var start: Date
    /// The part of a simulation that these results are; nil for a whole one.
    public var shard: RunDescription.ShardSource?
    /// The end of the simulation, or nil while it runs and after an interruption.
    public var end: Date?
    /// The rows of `miss_ratio.csv` and of `curve.csv` at the end; nil while the simulation runs, and in folders of
    /// versions that did not record them.
    public var rows: Int?
    public var curvePoints: Int?

    public struct PolicySource: Codable, Sendable, Equatable {
        public var name: String
        /// The policy's canonical text, with every default.
        public var specification: String

        public init(name: String, specification: String) {
            self.name = name
            self.specification = specification
        }
    }

    public init(
        versions: [String: String], command: [String], traces: [RunDescription.TraceSource],
        policies: [PolicySource], capacities: [String], settings: [String: String], csvSafe: Bool? = nil,
        inputs: RunInputs?,
        jobs: Int, machine: MachineDescription = .current(), start: Date
    ) {
        self.versions = versions
        self.command = command
        self.traces = traces
        self.policies = policies
        self.capacities = capacities
        self.settings = settings
        self.csvSafe = csvSafe
        self.inputs = inputs
        self.jobs = jobs
        self.machine = machine
        self.start = start
    }
}

extension SimulationDescription {
    /// Returns this description with the inputs of earlier rows that are kept, but not simulated now: their traces,
    /// after the present ones, and their plugins.
    func keeping(_ earlier: SimulationDescription) -> SimulationDescription {
        var all = self
        all.traces += earlier.traces.filter { old in !traces.contains { $0.name == old.name } }
        all.inputs = inputs?.keeping(earlier.inputs)
        return all
    }
}
