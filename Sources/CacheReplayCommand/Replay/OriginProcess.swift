import Foundation

/// The loopback origin of one trace, in a process of its own, so that its memory and its threads are not the cache's.
final class OriginProcess: Sendable {
    /// For example `http://127.0.0.1:40123`.
    let address: String
    private let child: ChildProcess

    init(_ trace: TraceFile, bodies: String? = nil) throws {
        var arguments = ["origin", trace.path, "--port", "0", "--until-input-ends"]
        if let format = trace.format { arguments += ["--format", format] }
        if let bodies { arguments += ["--bodies", bodies] }
        child = try ChildProcess(arguments)
        guard let address = child.readLine()?.split(separator: "/ serves ").first else {
            throw CommandFailure(.ioError, "The loopback origin did not start: \(child.wait().errors)")
        }
        self.address = String(address)
    }

    var isRunning: Bool { child.isRunning }

    func end() { child.end() }
}
