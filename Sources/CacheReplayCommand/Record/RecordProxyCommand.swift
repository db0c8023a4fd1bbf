import ArgumentParser
import CacheTraces
import Foundation
import SessionModel
import SessionRecorder
import TraceRecording

struct RecordProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Stand between an app and its image server, and record what flows.",
        discussion: """
            The app asks this proxy instead of its server: put the address that is printed in place of the upstream's. \
            Every image that \
            flows becomes an appearance and a fetch in the trace, with bytes and times as measured on the way to the \
            upstream; \
            failures are passed on and recorded too. The trace is written as it happens. Ends when interrupted.

            Example: cachereplay record proxy --upstream https://images.example.com --port 8080 --output session.jsonl \
            --keep-bodies bodies

            Without cells' disappearances and scrolling, which no proxy sees. With --keep-bodies the bodies that came \
            are kept once per \
            content, and `replay --bodies` and `origin --bodies` serve them.
            """)

    @Option(
        help: ArgumentHelp("The server that images come from, such as https://images.example.com.", valueName: "url"))
    var upstream: String

    @Option(help: "The port to listen at; 0 for a free one.")
    var port = 0

    @Option(help: "The address to listen at; 0.0.0.0 lets in the whole network, a phone for instance.")
    var host = "127.0.0.1"

    @Option(help: "The trace to write; by default proxy-<date>.jsonl.", completion: .file())
    var output: String?

    @Option(help: "The trace's title.")
    var title: String?

    @Option(help: ArgumentHelp("Requests whose URL contains this text are for thumbnails.", valueName: "text"))
    var thumbnails: String?

    @Flag(help: "Record every GET, and not images alone.")
    var all = false

    @Option(help: ArgumentHelp("Keep each body that comes, once per content, in this folder.", valueName: "folder"))
    var keepBodies: String?

    @Flag(help: "Write URLs without ?query, where tokens and signatures live.")
    var stripQuery = false

    @Flag(help: "Write a keyed hash of each URL instead of it; the key is forgotten in the end.")
    var hashUrls = false

    @Flag(help: "Tell the upstream who asked: X-Forwarded-For, -Host and -Proto.")
    var forwarded = false

    @Flag(help: "Take the upstream's certificate unchecked; for test servers.")
    var insecure = false

    @Option(
        help: ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(help: ArgumentHelp("Seconds that the upstream may be silent.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(name: .shortAndLong, help: "Print nothing but the address.")
    var quiet = false

    @Flag(help: "Also end when standard input ends, as it does when the program that started this one is gone.")
    var untilInputEnds = false

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port \(port) does not exist. Choose one from 1 to 65535, or 0 for a free one.")
        }
        guard (0.001...86_400).contains(timeout) else {
            throw ValidationError("--timeout is from 0.001 to 86400 seconds.")
        }
        if thumbnails?.isEmpty == true {
            throw ValidationError("--thumbnails: every URL contains the empty text; leave it out.")
        }
    }

    func run() throws {
        let end = EndOfService(untilInputEnds: untilInputEnds)
        let options = try self.options()
        let path = output ?? Self.defaultOutput()
        let header = TraceHeader(
            title: title, recorder: "cachereplay record proxy \(CacheReplay.version)", started: Date().ISO8601Format())
        let journal = try TraceJournal(path: path, header: header)
        let proxy: RecordingProxy
        do {
            proxy = try RecordingProxy(options, recordingInto: journal)
        } catch {
            // Nothing was recorded; a file with a header alone would only be in the way of the next attempt.
            journal.finish()
            if !path.hasPrefix("/dev/") { unlink(path) }
            throw (error as? ProxyError).map(CommandFailure.init) ?? error
        }
        let line =
            """
            \(proxy.address)/ passes on to \
            \(options.upstream.text)\(quiet ? "" : ", recording into \(path); Control-C ends it")\n
            """
        try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        end.wait()
        try proxy.stopAndWait()
        try finish(proxy.counts, journal)
    }

    private func options() throws -> ProxyOptions {
        var options: ProxyOptions
        do { options = ProxyOptions(upstream: try UpstreamAddress(upstream)) } catch let error as ProxyError {
            throw CommandFailure(error)
        }
        options.host = host
        options.port = port
        options.isInsecure = insecure
        options.certificates = cacert
        options.tellsForwarded = forwarded
        options.recordsAll = all
        options.thumbnails = thumbnails
        options.privacy = KeyPrivacy(stripsQuery: stripQuery, hashing: hashUrls ? .random() : nil)
        options.bodies = keepBodies
        options.limits.upstreamTimeout = .milliseconds(Int64((timeout * 1000).rounded(.up)))
        return options
    }

    private func finish(_ counts: ProxyCounts, _ journal: TraceJournal) throws {
        let status = journal.status
        if !quiet {
            printToStandardError(Self.summary(counts, journal.path))
            if counts.recorded > 0 {
                let bodies = keepBodies.map { " --bodies \($0)" } ?? ""
                printToStandardError(
                    "Next: cachereplay replay \(journal.path) --cache \"memory: lru(20MB); disk: lru(200MB)\"\(bodies)")
            } else {
                printToStandardError("No image came by. Does the app ask this address? --all records every GET.")
            }
        }
        if let problem = counts.bodyProblem {
            throw CommandFailure(.ioError, "Not every body could be kept: \(problem)")
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
        if counts.cancelled > 0 { parts.append("\(counts.cancelled) given up by the app") }
        if counts.keptBodies + counts.knownBodies > 0 {
            parts.append("\(counts.keptBodies) bodies kept, \(counts.knownBodies) were there already")
        }
        return "\(path): \(parts.joined(separator: "; "))."
    }

    private static func defaultOutput() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd-HHmmss"
        return "proxy-\(formatter.string(from: Date())).jsonl"
    }
}

extension CommandFailure {
    init(_ error: ProxyError) {
        let statuses: [ProxyError.Kind: ExitStatus] = [
            .badUpstream: .usage, .noCertificates: .noInput, .bodies: .cannotCreate,
        ]
        self.init(statuses[error.kind] ?? .ioError, error.description)
    }
}
