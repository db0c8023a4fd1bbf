import Basics
import SessionModel

/// Makes a trace of the events of a session replay, by the most exact route that the recording has.
struct SessionReplayTrace {
    /// What the recording has of each kind.
    struct Counts {
        var pages = 0
        var appearances = 0
        var invalidAppearances = 0
        var unknownEvents = 0
    }

    let recording: SessionReplayRecording
    private(set) var counts = Counts()
    private(set) var screen = ReplayScreen()
    private(set) var requests: [ReplayRequest] = []
    private var scrolling = ReplayScrolling()

    /// The requests of images: those that are marked as such, or all if none is.
    private(set) var imageRequests: [ReplayRequest] = []
    private(set) var takesAllRequests = false

    /// The type of images whose type is not recorded.
    private static let unknownType = "image/*"
    /// The most milliseconds by which a time that an event states may differ from that of the event.
    private static let farthest = 86_400_000.0

    init(_ recording: SessionReplayRecording) {
        self.recording = recording
        for event in recording.events { take(event) }
        let seeming = requests.filter(\.seemsImage)
        takesAllRequests = seeming.isEmpty && !requests.isEmpty
        imageRequests = takesAllRequests ? requests : seeming
    }

    private mutating func take(_ event: ReplayEvent) {
        switch event.content {
        case .screen(let width, let height): screen.resize(width: width, height: height, at: event.time)
        case .snapshot(let list): screen.show(list, view: event.view, at: event.time)
        case .change(let change):
            // Changes of pages have no wireframes.
            if counts.pages == 0 { screen.apply(change, view: event.view, at: event.time) }
        case .page: counts.pages += 1
        case .touch(let isDown): scrolling.touch(isDown: isDown, at: event.time)
        case .scroll(let list, let offset): scrolling.scroll(list, to: offset, at: event.time)
        case .appearance(let appearance): if appearance.appears { counts.appearances += 1 }
        case .invalidAppearance: counts.invalidAppearances += 1
        case .requests(let list):
            for var request in list where request.isFetched {
                if abs(request.start - event.time) > Self.farthest {
                    let shift = event.time - request.start
                    request.start += shift
                    request.firstByte = request.firstByte.map { $0 + shift }
                    request.end += shift
                }
                requests.append(request)
            }
        case .unknown: counts.unknownEvents += 1
        case .other, .invalid, .packed: break
        }
    }

    /// The most exact route by which the recording has appearances.
    ///
    /// - Throws: `TraceError` if it has none, with the remedy.
    func route() throws -> ReplayRoute {
        if counts.appearances > 0 { return .customEvents }
        let images = screen.transitions.contains(where: \.appears)
        if images, !prefersRequests { return .wireframes }
        if counts.pages == 0, !imageRequests.isEmpty { return .requests }
        throw TraceError(file: recording.file, whyEmpty)
    }

    /// Whether most images are masked, and there are requests, which name them.
    var prefersRequests: Bool {
        !imageRequests.isEmpty && 2 * screen.counts.masked.count > screen.counts.images.count
    }

    private var whyEmpty: String {
        let events = HumanText.count(recording.events.count, "event")
        if counts.invalidAppearances > 0 {
            return
                """
                \(counts.invalidAppearances) custom events `\(ReplayAppearance.tag)` have another version than \
                \(ReplayAppearance.version), or no valid `e` and `key`; record again with the snippet of this version, \
                in Examples/SessionReplays
                """
        }
        if counts.pages > 0 {
            return
                """
                \(events) of a web page, in which only a browser knows the places of images; convert it with \
                scripts/convert-replay, which plays it in Chromium, or record appearances as custom events with the \
                snippet in Examples/SessionReplays
                """
        }
        let parts = screen.counts
        if !parts.images.isEmpty, !screen.hasSize {
            return
                """
                the size of the screen is missing (an event of type 4 with `width` and `height`); read it together \
                with the piece of the recording before this one
                """
        }
        if parts.images.isEmpty, parts.unknown > 0, parts.snapshots == 0 {
            return
                """
                \(parts.unknown) changes of elements that the recording lacks, and no whole screen; read it together \
                with the piece of the recording before this one
                """
        }
        let masked = parts.placeholders.count + parts.screenshots.count
        return
            """
            no image is visible in \(events): \(HumanText.count(masked, "placeholder or screenshot")), \
            \(HumanText.count(parts.withoutGeometry.count, "image")) without a place. Switch the masking of images off \
            (maskAllImages of PostHog, imagePrivacyLevel of Datadog), or record appearances as custom events with the \
            snippet in Examples/SessionReplays
            """
    }
}

// MARK: The trace

extension SessionReplayTrace {
    /// Returns the trace.
    ///
    /// - Throws: `TraceError` for a recording without appearances.
    func trace(_ notes: inout ReadingNotes) throws -> Trace {
        let route = try route()
        var builder = TraceBuilder()
        for request in imageRequests {
            let object = builder.object(request.url)
            builder.update(object) {
                if (200..<300).contains(request.status) {
                    $0.bytes = $0.bytes ?? request.bytes
                    $0.contentType = $0.contentType ?? request.contentType
                }
            }
        }
        let rest = max(150, 1.5 * (screen.interval ?? 0))
        var offsets = scrolling.offsets
        switch route {
        case .customEvents: addAppearances(&builder)
        case .wireframes:
            offsets = screen.offsets
            addTransitions(&builder)
        case .requests:
            offsets = screen.offsets
            for request in imageRequests {
                builder.append(.init(time: Self.time(request.start), .appear(builder.object(request.url), .full)))
            }
        }
        for request in imageRequests {
            let object = builder.object(request.url)
            builder.append(TraceEvent(time: Self.time(request.start), .fetch(object, request.fetch)))
        }
        for event in scrolling.events(offsets, rest: rest) {
            builder.append(TraceEvent(time: Self.time(event.time), event.action))
        }
        // Otherwise memory would hold encoded bytes, as in traces of other things than images.
        for object in builder.objects.indices {
            builder.update(ObjectID(object)) { $0.contentType = $0.contentType ?? Self.unknownType }
        }
        let started = builder.events.map(\.time).min().map(Timestamp.text)
        builder.header = TraceHeader(recorder: route.recorder, started: started)
        report(route, builder.objects, &notes)
        return builder.finish()
    }

    private func addAppearances(_ builder: inout TraceBuilder) {
        for event in recording.events {
            guard case .appearance(let appearance) = event.content else { continue }
            let object = builder.object(appearance.key)
            builder.update(object, appearance.update)
            let stated = appearance.time.flatMap { abs($0 - event.time) <= Self.farthest ? $0 : nil }
            let time = Self.time(stated ?? event.time)
            builder.append(
                appearance.appears
                    ? TraceEvent(time: time, .appear(object, appearance.variant), viewSize: appearance.viewSize)
                    : TraceEvent(time: time, .disappear(object, appearance.variant)))
        }
    }

    private func addTransitions(_ builder: inout TraceBuilder) {
        let interval = screen.interval ?? 0
        for transition in screen.transitions {
            let object = builder.object(transition.key)
            builder.update(object) { $0.contentType = $0.contentType ?? screen.contentTypes[transition.key] }
            builder.append(
                TraceEvent(
                    time: Self.time(transition.moment(interval: interval)),
                    transition.appears ? .appear(object, .full) : .disappear(object, .full)))
        }
    }

    /// Microseconds since 1970.
    private static func time(_ milliseconds: Double) -> Int64 { ReplayRequest.microseconds(max(0, milliseconds)) }
}
