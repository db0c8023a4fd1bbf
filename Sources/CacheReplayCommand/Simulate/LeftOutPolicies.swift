import CachePolicies
import Runs
import Synchronization

/// The policies that traces do not suit. The sweep goes on without them. Each is named on standard error at once, and
/// in `run.json` and the report at the end.
final class LeftOutPolicies: Sendable {
    private let list = Mutex<[SimulationFacts.LeftOut]>([])

    var all: [SimulationFacts.LeftOut] { list.withLock { $0 } }

    /// Names a policy that is left out.
    ///
    /// - Parameters:
    ///   - trace: The name of the trace.
    ///   - policy: The policy as the command line has it.
    ///   - capacity: The capacity that the policy does not support; nil if the policy is left out at all of them.
    ///   - reason: A clause without a full stop.
    func add(trace: String, policy: String, capacity: Capacity?, _ reason: String) {
        let place = capacity.map { " at \($0.size)" } ?? ""
        printToStandardError("\(trace): warning: \(policy)\(place) is left out: \(reason)")
        let size = capacity.map { $0.size.description }
        list.withLock { list in
            list.append(SimulationFacts.LeftOut(trace: trace, policy: policy, capacity: size, reason: reason))
        }
    }
}
