import Basics
import Foundation
import ReplayEngine

/// A scenario that runs in a separate process, because it can crash or depends on its environment.
///
/// `cachereplay demonstrate --isolated NAME` runs one. It prints a line after each step.
public struct IsolatedScenario: Sendable {
    public let name: String
    let scenario: @Sendable (_ done: (String) throws -> Void) throws -> Void

    init(_ name: String, _ scenario: @escaping @Sendable (_ done: (String) throws -> Void) throws -> Void) {
        self.name = name
        self.scenario = scenario
    }

    public static let all = foundationScenarios

    /// Runs the scenario in this process. It may never return.
    ///
    /// - Parameter print: Writes a line to standard output at once.
    /// - Throws: The scenario's errors, and an error if standard output cannot be written.
    public func run(print: (String) throws -> Void) throws {
        #if canImport(Glibc)
        // An intended crash leaves no core file.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #endif
        try scenario(print)
    }
}

/// The outcome of an isolated scenario.
struct IsolatedOutcome: Equatable {
    /// The printed lines, one for each completed step, in order.
    var steps: [String]
    /// How the process ended, such as `the process survives` or `the process traps`.
    var end: String
}

extension DemonstrationReport {
    /// Runs an isolated scenario with ``command`` and waits for its end.
    ///
    /// - Throws: A ``ReplayError`` if the process cannot be started.
    func run(isolated name: String) throws -> IsolatedOutcome {
        // A crash is expected, so no backtrace is printed. Requests to this machine bypass any proxy.
        let own = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"]
        let environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        let process: SpawnedProcess
        do {
            process = try SpawnedProcess(
                command.path, ["demonstrate", "--isolated", name], in: .init(environment: environment), output: .pipe)
        } catch {
            throw ReplayError("\(command.path) cannot be started for an isolated scenario: \(error)")
        }
        let lines = String(decoding: SpawnedProcess.readAll(process.output), as: UTF8.self).split(separator: "\n")
            .map(String.init)
        let end =
            switch process.wait() {
            case .exit(0): "the process survives"
            // The signals of a Swift trap on x86 and ARM.
            case .signal(SIGILL), .signal(SIGTRAP): "the process traps"
            case .signal(let signal): "signal \(signal) ends the process"
            case .exit(let status): "the process ends with \(status)"
            }
        return IsolatedOutcome(steps: lines, end: end)
    }
}
