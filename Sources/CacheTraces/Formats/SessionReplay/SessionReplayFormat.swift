import SessionModel

/// Recordings of session replay products, as far as they have geometry or times of their own: wireframes of apps
/// (PostHog, Datadog), custom events of an app, and requests. <doc:SessionReplays> describes what is read.
enum SessionReplayFormat {
    static func read(_ window: ByteWindow, _ notes: inout ReadingNotes) throws -> Trace {
        var reader = SessionReplayReader(window)
        try reader.read()
        let recording = reader.recording
        return try SessionReplayTrace(recording).trace(&notes)
    }

    /// Judges the first bytes of a file.
    fileprivate static func sniff(_ head: TraceHead) -> Likelihood {
        guard head.firstVisible == UInt8(ascii: "{") || head.firstVisible == UInt8(ascii: "[") else { return .no }
        if head.contains("\"timestamp\""), head.contains("\"type\"") {
            if head.contains("\"wireframes\"") || head.contains("\"rrweb/network@1\"")
                || head.contains("\"tag\":\"cachereplay\"") || head.contains("\"has_full_snapshot\"")
            {
                return .certain
            }
            if head.contains("\"data\""),
                head.contains("\"source\"") || head.contains("\"href\"") || head.contains("\"tag\"")
            {
                return .byContent
            }
        }
        return head.hasEnding([".rrweb.json"]) ? .byName : .no
    }

    fileprivate static func format() -> TraceFormat {
        var format = TraceFormat(
            name: "session-replay",
            summary: "session replays: wireframes of PostHog and Datadog, custom events of an app, requests",
            fileEndings: [".rrweb.json"], sniff: sniff,
            read: { input, notes in try read(ByteWindow(input), &notes) })
        format.stream = { stream, notes in try read(ByteWindow(stream), &notes) }
        return format
    }
}

extension TraceFormat {
    /// Session replays; see <doc:SessionReplays>.
    public static let sessionReplay = SessionReplayFormat.format()
}

/// How the appearances of a session replay or an archive of requests were found, which limits how exact they are.
package enum ReplayRoute: String, Sendable, CaseIterable {
    case customEvents = "custom events"
    case wireframes
    case requests = "requests alone"

    /// The recorder of a trace that was made by this route. It stays in the trace when it is converted.
    var recorder: String { "session replay, by \(rawValue)" }

    /// Returns the route by which a trace was made, as far as its format or recorder tells; nil for others.
    package init?(format: TraceFormat, recorder: String?) {
        if format.name == TraceFormat.har.name {
            self = .requests
        } else if let found = Self.allCases.first(where: { $0.recorder == recorder }) {
            self = found
        } else {
            return nil
        }
    }

    /// The route with its limits, for `trace info`.
    package var text: String {
        switch self {
        case .customEvents: "custom events of the app: the appearances are exact, and so are their times"
        case .wireframes:
            """
            wireframes of an app, from one look at the screen to the next: about 95% of the appearances within 100 ms \
            at a look each 100 ms, and 20% at a look each second
            """
        case .requests:
            """
            requests alone: 70% to 99% of the appearances, none that a cache answered without a request, and no \
            disappearance of a cell
            """
        }
    }
}
