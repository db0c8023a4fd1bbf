import ArgumentParser
import CacheTraces
import Foundation
import SessionModel
import SessionRecorder
import TraceRecording

struct RecordProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Record the image requests between an app and its server.",
        discussion: """
            Configure the app to use the printed address instead of its server. The trace
            contains an appearance and a fetch for every image, with the bytes and times
            measured between the proxy and the server. Failed requests are forwarded and
            recorded too. The trace is written during the recording, which ends when the
            command is interrupted.

            A proxy cannot see disappearing cells and scrolling, so the trace has neither.
            The app's own cache hides repeats: an image that it holds is not requested from
            the proxy, so the trace has its first request only. For a trace with repeats,
            switch the app's caches off while you record, or record in the app with
            SessionRecorder.

            With --keep-bodies, each different body is kept once. `replay --bodies` and
            `origin --bodies` serve these bodies.

            Example: cachereplay record proxy --upstream https://images.example.com
            --port 8080 --output session.jsonl --keep-bodies bodies
            """)

    @Option(
        help: ArgumentHelp("The image server, such as https://images.example.com.", valueName: "url"))
    var upstream: String

    @OptionGroup var server: ServerOptions

    @Option(name: .shortAndLong, help: "The trace to write. (default: proxy-<date>.jsonl)", completion: .file())
    var output: String?

    @Option(help: "The trace's title.")
    var title: String?

    @Option(help: ArgumentHelp("The text that the URLs of thumbnails contain.", valueName: "text"))
    var thumbnails: String?

    @Flag(help: "Record every GET request, not only images.")
    var all = false

    @Option(help: ArgumentHelp("Keep the received bodies in this folder, each content once.", valueName: "folder"))
    var keepBodies: String?

    @Flag(help: "Write URLs without ?query, which can contain tokens and signatures.")
    var stripQuery = false

    @Flag(help: "Write a keyed hash instead of each URL. The key is not stored.")
    var hashUrls = false

    @Flag(help: "Send the headers X-Forwarded-For, -Host and -Proto to the upstream.")
    var forwarded = false

    @Flag(help: "Accept any certificate of the upstream, for test servers.")
    var insecure = false

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(help: ArgumentHelp("The longest time without data from the upstream, in seconds.", valueName: "seconds"))
    var timeout = 30.0

    @OptionGroup var printing: QuietOption

    func validate() throws {
        guard (0.001...86_400).contains(timeout) else {
            throw ValidationError("--timeout must be from 0.001 to 86400 seconds.")
        }
        if thumbnails?.isEmpty == true {
            throw ValidationError("--thumbnails is empty, and every URL contains the empty text. Omit the option.")
        }
    }

    func run() throws {
        let end = EndOfService(untilInputEnds: server.untilInputEnds)
        let options = try self.options()
        let path = output ?? "proxy-\(Date().stamp()).jsonl"
        try Self.makeFolder(of: path)
        let header = TraceHeader(
            title: title, recorder: "cachereplay record proxy \(CacheReplay.version)", started: Date().ISO8601Format())
        let journal = try TraceJournal(path: path, header: header)
        let proxy: RecordingProxy
        do {
            proxy = try RecordingProxy(options, recordingInto: journal)
        } catch {
            // Nothing was recorded. A file with only a header would block the next attempt.
            journal.finish()
            if !path.hasPrefix("/dev/") { unlink(path) }
            throw error
        }
        let line =
            """
            \(proxy.address)/ forwards to \
            \(options.upstream.text)\(printing.quiet ? "" : " and records into \(path); Control-C stops it")
            """
        try CommandOutput.writeLine(line)
        end.wait()
        try proxy.stopAndWait()
        try finish(proxy.counts, journal)
    }

    private func options() throws -> ProxyOptions {
        var options = ProxyOptions(upstream: try UpstreamAddress(upstream))
        options.host = server.host
        options.port = server.port
        options.allowedHosts = server.allowedHosts
        options.isInsecure = insecure
        options.certificates = cacert
        options.addsForwardedFields = forwarded
        options.recordsAll = all
        options.thumbnails = thumbnails
        options.privacy = KeyPrivacy(stripsQuery: stripQuery, hashing: hashUrls ? .random() : nil)
        options.bodies = keepBodies
        options.limits.upstreamTimeout = .milliseconds(Int64((timeout * 1000).rounded(.up)))
        return options
    }

    private func finish(_ counts: ProxyCounts, _ journal: TraceJournal) throws {
        let status = journal.status
        if !printing.quiet {
            printToStandardError(Self.summary(counts, journal.path))
            if counts.recorded > 0 {
                printToStandardError(Self.hiddenRepeats)
                let bodies = keepBodies.map { " --bodies \($0)" } ?? ""
                printToStandardError(
                    "Next: cachereplay replay \(journal.path) --cache \"memory: lru(20MB); disk: lru(200MB)\"\(bodies)")
            } else {
                printToStandardError(
                    "No image was requested. Check that the app uses this address. --all records every GET request.")
            }
        }
        if let problem = counts.bodyProblem {
            throw CommandFailure(.ioError, "Some bodies could not be kept: \(problem)")
        }
        guard status.lost == 0 else {
            throw CommandFailure(
                .ioError,
                """
                \(journal.path): \(status.lost) events could not be written: \
                \(status.problem ?? "the disk was full for a while")
                """
            )
        }
    }

    static func summary(_ counts: ProxyCounts, _ path: String) -> String {
        var parts = ["\(counts.recorded) of \(counts.requests) requests recorded, \(counts.bytes) bytes"]
        if counts.failed > 0 { parts.append("\(counts.failed) failed") }
        if counts.cancelled > 0 { parts.append("\(counts.cancelled) cancelled by the app") }
        if counts.keptBodies + counts.knownBodies > 0 {
            parts.append("\(counts.keptBodies) bodies kept, \(counts.knownBodies) already present")
        }
        return "\(path): \(parts.joined(separator: "; "))."
    }

    static let hiddenRepeats = """
        Requests that the app's own cache answered are not in the trace. If it was on, the trace has too few repeats.
        """

    /// Creates the folder of a trace, with those above it, as `replay` creates the folder of results.
    private static func makeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw CommandFailure(
                .cannotCreate, "\(folder): the folder cannot be created; choose a place that you may write to.")
        }
    }
}
