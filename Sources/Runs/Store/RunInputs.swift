import Foundation

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
    /// There is no record of the earlier inputs: `run.json` is missing, or does not have the trace.
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
    func keeping(_ earlier: RunInputs) -> RunInputs {
        var all = self
        all.plugins.merge(earlier.plugins) { now, _ in now }
        return all
    }

    /// Returns the first difference that affects all earlier results, or nil.
    ///
    /// A plugin that only one side has is no difference: earlier results did not use it, or it is not used now.
    static func change(from old: RunInputs, to new: RunInputs) -> InputChange? {
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
        if old.timeline != new.timeline { return { _ in .timeline } }
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
    static func byName(_ sources: [Self]) -> [String: Self] {
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
