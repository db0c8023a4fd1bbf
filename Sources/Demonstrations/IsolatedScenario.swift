import Foundation
import ReplayEngine

/// A scenario that needs a process of its own, because it may end it or depends on its environment: `cachereplay
/// demonstrate --isolated NAME`. It prints a line after each step.
public struct IsolatedScenario: Sendable {
    public let name: String
    let scenario: @Sendable (_ done: (String) throws -> Void) throws -> Void

    init(_ name: String, _ scenario: @escaping @Sendable (_ done: (String) throws -> Void) throws -> Void) {
        self.name = name
        self.scenario = scenario
    }

    public static let all = foundationScenarios

    /// Tells the scenario in this process, and may never return. Throws what the scenario throws, or that standard output
    /// cannot be written.
    public func run() throws {
        #if canImport(Glibc)
        // A process that is meant to crash leaves no core behind.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #endif
        try scenario { try FileHandle.standardOutput.write(contentsOf: Data("\($0)\n".utf8)) }
    }
}

/// How a specimen fared in its process.
struct IsolatedOutcome: Equatable {
    /// What it printed, in order: a line for each step that it survived.
    var steps: [String]
    /// `the process survives`, `the process traps`, or what else became of it.
    var end: String
}

extension DemonstrationReport {
    /// Runs the specimen of that name with ``command``, and waits for its end. Throws where no process can be started.
    func run(isolated name: String) throws -> IsolatedOutcome {
        let process = Process()
        let output = Pipe()
        process.executableURL = command
        process.arguments = ["demonstrate", "--isolated", name]
        // A crash is what is shown: neither its stack nor the time that it takes to print one. No proxy stands between
        // this machine and itself.
        let own = ["SWIFT_BACKTRACE": "enable=no", "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            throw ReplayError("\(command.path) cannot be started for a specimen: \(error.localizedDescription)")
        }
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
            separator: "\n"
        ).map(String.init)
        process.waitUntilExit()
        let end =
            switch (process.terminationReason, process.terminationStatus) {
            case (.exit, 0): "the process survives"
            // What Swift ends with where it cannot go on, by processor: x86 and ARM.
            case (.uncaughtSignal, SIGILL), (.uncaughtSignal, SIGTRAP): "the process traps"
            case (.uncaughtSignal, let signal): "signal \(signal) ends the process"
            case (_, let status): "the process ends with \(status)"
            }
        return IsolatedOutcome(steps: lines, end: end)
    }
}
