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
