import ArgumentParser
import Basics
import CacheTraces
import Foundation
import SessionModel
import TraceRecording

struct OriginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin",
        abstract: "Serve a trace's objects over HTTP.",
        discussion: """
            Object N of the trace has the path /RUN/N, where RUN is any word. The path
            /-/stats/RUN returns the number of requests and bytes of RUN. The command
            prints one line when it is ready, and serves until it is interrupted. With
            --json, the line is an object with address, objects and bodies.

            Example: cachereplay origin Traces/photo-feed.jsonl --port 8080 --latency
            """)

    @Argument(help: "The trace to serve.", completion: .file())
    var trace: String

    @OptionGroup(title: "Input") var input: InputFormatOptions

    @OptionGroup var server: ServerOptions

    @Flag(help: "Delay each response as recorded in the trace.")
    var latency = false

    @Option(
        help: ArgumentHelp(
            """
            Serve recorded bodies from a folder that the addon for mitmproxy wrote. Other objects have generated bodies.
            """,
            valueName: "folder"))
    var bodies: String?

    @OptionGroup var printing: JSONOption

    func run() throws {
        let trace = try input.read(trace).trace
        var options = LoopbackOriginOptions()
        options.host = server.host
        options.port = server.port
        options.allowedHosts = server.allowedHosts
        options.injectsLatency = latency
        let kept = try bodies.map { try BodyIndex(folder: $0) }
        let files = try kept?.bodies(of: trace) ?? []
        for (object, entry) in files.enumerated() {
            options.bodies[ObjectID(object)] = entry.flatMap { kept?.path($0) }
        }
        let end = EndOfService(untilInputEnds: server.untilInputEnds)
        let origin = try LoopbackOrigin(trace: trace, options: options)
        let start = OriginStart(
            address: origin.address, objects: trace.objects.count, bodies: options.bodies.count)
        let line = printing.json ? try start.jsonLine() : sentence(start, of: trace)
        try CommandOutput.writeLine(line)
        end.wait()
        try origin.stopAndWait()
    }

    private func sentence(_ start: OriginStart, of trace: Trace) -> String {
        let title = trace.header.title ?? URL(fileURLWithPath: self.trace).deletingPathExtension().lastPathComponent
        let kept = bodies == nil ? "" : ", \(start.bodies) with recorded bodies"
        return "\(start.address)/ serves \(start.objects) objects of \(VisibleText.line(title))\(kept)"
    }
}

/// The facts that `origin` prints when it listens. With `--json` they are one line of JSON:
///
///     {"address":"http://127.0.0.1:40123","bodies":0,"objects":12}
struct OriginStart: Codable, Equatable, Sendable {
    /// The scheme, host and port, without a slash at the end.
    var address: String
    var objects: Int
    /// The number of objects that are served with recorded bodies.
    var bodies: Int

    /// Returns the facts as one line of JSON, without a newline.
    func jsonLine() throws -> String {
        try JSONWriter.encoding(self, .line).text
    }
}

/// The options of the commands that start a server.
struct ServerOptions: ParsableArguments {
    @Option(help: "The port to listen on; 0 selects a free port.")
    var port = 0

    @Option(help: "The address to listen on; 0.0.0.0 selects all networks of this machine, for example for a phone.")
    var host = "127.0.0.1"

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Accept requests for this host name, and from pages of it. Can be repeated. localhost and IP addresses are "
                + "always accepted; other names could be those of any web page.",
            valueName: "name"),
        transform: ServerOptions.host)
    var allowedHosts: [HostName] = []

    @Flag(help: "Also stop at the end of standard input, so that the command ends with its parent.")
    var untilInputEnds = false

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError(
                "The port \(port) does not exist. Choose a port from 1 to 65535, or 0 for a free port.")
        }
    }

    private static func host(_ text: String) throws -> HostName {
        guard let name = HostName(text) else {
            throw ValidationError("'\(text)' is not a host name without scheme and port, such as phone.local.")
        }
        return name
    }
}
