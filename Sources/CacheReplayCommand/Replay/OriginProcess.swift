import Foundation

/// The loopback origin of one trace, in a process of its own, so that its memory and its threads are not the cache's.
final class OriginProcess: Sendable {
    /// For example `http://127.0.0.1:40123`.
    let address: String
    private let child: ChildProcess

    /// - Parameters:
    ///   - trace: The path of a compiled trace.
    ///   - bodies: The folder of kept bodies, if there is one.
    ///   - started: Receives the process before it has printed its address, so that an interruption can end it.
    init(_ trace: String, bodies: String? = nil, started: (ChildProcess) -> Void = { _ in }) throws {
        struct Start: Decodable { var address: String }
        var arguments = ["origin", trace, "--format", "compiled", "--port", "0", "--until-input-ends", "--json"]
        if let bodies { arguments += ["--bodies", bodies] }
        child = try ChildProcess(arguments)
        started(child)
        let line: String?
        do { line = try child.readLine(within: Self.patience) } catch {
            child.kill()
            throw CommandFailure(
                .ioError,
                """
                The loopback origin did not print its address within \(Self.patience) seconds. Try again when this \
                machine is less busy.
                """)
        }
        guard let line else {
            throw CommandFailure(.ioError, "The loopback origin did not start: \(child.reasonOfEnd())")
        }
        guard let start = try? JSONDecoder().decode(Start.self, from: Data(line.utf8)) else {
            throw CommandFailure(.ioError, "The loopback origin printed no address, but: \(line)")
        }
        address = start.address
    }

    /// In seconds. The origin maps a compiled trace, so that it starts at once.
    private static let patience = 60

    var isRunning: Bool { child.isRunning }

    func end() { child.end() }

    /// The identity of the process.
    var identity: ObjectIdentifier { ObjectIdentifier(child) }
}
