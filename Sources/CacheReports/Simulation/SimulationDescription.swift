import Foundation

/// `run.json` of a simulation: what a reader needs to trust the results and to repeat them.
public struct SimulationDescription: Codable, Sendable, Equatable {
    /// Tells it from a replay's.
    public var kind = Self.kind
    public var versions: [String: String]
    /// The command with all its arguments, exactly.
    public var command: [String]
    public var traces: [RunDescription.TraceSource]
    public var policies: [RunDescription.CacheSource]
    /// As they were written.
    public var capacities: [String]
    /// Whatever else the figures depend on: results of other settings are of another run.
    public var settings: [String: String]
    public var jobs: Int
    public var machine: MachineDescription
    public var start: Date
    /// nil while the run goes on, and for good when it was interrupted.
    public var end: Date?

    static let kind = "simulation"

    public init(
        versions: [String: String], command: [String], traces: [RunDescription.TraceSource],
        policies: [RunDescription.CacheSource],
        capacities: [String], settings: [String: String], jobs: Int, machine: MachineDescription = .current(),
        start: Date
    ) {
        self.versions = versions
        self.command = command
        self.traces = traces
        self.policies = policies
        self.capacities = capacities
        self.settings = settings
        self.jobs = jobs
        self.machine = machine
        self.start = start
    }
}
