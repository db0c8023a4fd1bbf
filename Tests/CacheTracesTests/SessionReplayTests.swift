import SessionModel
import Testing

@testable import CacheTraces

/// Small recordings in the form of session replays, and what is expected of them, worked out by hand.
enum ReplaySamples {
    static func trace(_ text: String) throws -> Trace { try reading(text).trace }

    static func reading(_ text: String) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "visit.json"), format: .sessionReplay)
    }

    static func fact(_ name: String, _ reading: TraceReading) -> Int? {
        reading.facts.first { $0.name == name }?.value
    }

    /// Returns the appearances and disappearances as texts such as `120 +a`, with times in milliseconds.
    static func moments(_ trace: Trace) -> [String] {
        trace.events.compactMap { event in
            switch event.action {
            case .appear(let object, _): "\(event.time / 1000) +\(trace.objects[Int(object)].key)"
            case .disappear(let object, _): "\(event.time / 1000) -\(trace.objects[Int(object)].key)"
            default: nil
            }
        }
    }

    static let screen = #"{"type":4,"timestamp":1000,"data":{"href":"Feed","width":400,"height":800}}"#

    static func image(_ id: Int, y: Int, _ more: String) -> String {
        #"{"id":\#(id),"x":0,"y":\#(y),"width":400,"height":600,"type":"image"\#(more)}"#
    }

    /// A change of PostHog.
    static func change(_ time: Int, adds: [String] = [], updates: [String] = [], removes: [Int] = []) -> String {
        func wrapped(_ list: [String]) -> String {
            list.map { #"{"parentId":0,"wireframe":\#($0)}"# }.joined(separator: ",")
        }
        let removed = removes.map { #"{"parentId":0,"id":\#($0)}"# }.joined(separator: ",")
        return #"{"type":3,"timestamp":\#(time),"data":{"source":0,"adds":[\#(wrapped(adds))],"#
            + #""updates":[\#(wrapped(updates))],"removes":[\#(removed)]}}"#
    }

    static func snapshot(_ time: Int, _ wireframes: [String]) -> String {
        #"{"type":2,"timestamp":\#(time),"data":{"initialOffset":{"top":0,"left":0},"#
            + #""wireframes":[\#(wireframes.joined(separator: ","))]}}"#
    }

    static func array(_ events: [String]) -> String { "[\(events.joined(separator: ","))]" }

    /// A custom event of an app.
    static func custom(_ time: Int, _ payload: String) -> String {
        #"{"type":5,"timestamp":\#(time),"data":{"tag":"cachereplay","payload":{\#(payload)}}}"#
    }
}

@Suite("Session replays")
struct SessionReplayTests {
    private typealias Sample = ReplaySamples

    /// Two images of which the second is below the screen, then a movement up by 200 points in 100 ms.
    private static func posthog(_ first: String, _ second: String) -> [String] {
        [
            Sample.screen,
            Sample.snapshot(
                1000,
                [
                    Sample.image(1, y: 100, first), Sample.image(2, y: 900, second),
                    Sample.image(3, y: 20, ",\"isEmpty\":true"),
                ]),
            Sample.change(1100, updates: [Sample.image(1, y: -100, first), Sample.image(2, y: 700, second)]),
            Sample.change(1200, updates: [Sample.image(1, y: -700, first), Sample.image(2, y: 100, second)]),
            Sample.change(1300, removes: [2]),
        ]
    }

    @Test("wireframes of PostHog: an image comes and goes where the list moves evenly between two looks")
    func posthog() throws {
        let reading = try Sample.reading(Sample.array(Self.posthog(#","base64":"YQ==""#, #","base64":"Yg==""#)))
        #expect(reading.format.name == "session-replay")
        let keys = reading.trace.objects.map(\.key)
        try #require(keys.count == 2)
        // The upper edge of b is at 900, 800 after half of the way, and 700. The lower edge of a is at 500, 0 after 5/6
        // of the way, and -100. The removal of b has no movement, so that it counts when it is found.
        #expect(
            Sample.moments(reading.trace) == ["0 +\(keys[0])", "50 +\(keys[1])", "183 -\(keys[0])", "300 -\(keys[1])"])
        #expect(reading.trace.header.recorder == "session replay, by wireframes")
        #expect(reading.trace.header.started == "1970-01-01T00:00:01Z")
        #expect(Sample.fact("look_interval_ms", reading) == 100)
        #expect(Sample.fact("image_wireframes", reading) == 2)
        let offsets = reading.trace.events.compactMap { event -> Double? in
            if case .scroll(_, let offset, _) = event.action { offset } else { nil }
        }
        #expect(offsets == [200, 800, 800])
        #expect(reading.warnings.contains { $0.contains("no image has a known size") })
    }

    @Test("masked images without requests are known by their elements, which is said")
    func masked() throws {
        let reading = try Sample.reading(Sample.array(Self.posthog("", "")))
        #expect(reading.trace.objects.map(\.key) == ["wireframe/1", "wireframe/2"])
        #expect(Sample.fact("masked_images", reading) == 2)
        #expect(reading.warnings.contains { $0.contains("2 of 2 images are masked") })
    }

    @Test("requests stand for masked images, with their sizes and times")
    func requests() throws {
        let request =
            #"{"timestamp":1090,"entryType":"resource","initiatorType":"fetch","name":"https://a/1.jpg","#
            + #""responseStatus":200,"duration":40,"transferSize":500}"#
        let event =
            #"{"type":6,"timestamp":1130,"data":{"plugin":"rrweb/network@1","payload":{"requests":[\#(request)]}}}"#
        let reading = try Sample.reading(Sample.array(Self.posthog("", "") + [event]))
        #expect(Sample.moments(reading.trace) == ["0 +https://a/1.jpg"])
        #expect(reading.trace.objects.map(\.bytes) == [500])
        let fetches = reading.trace.events.compactMap { event -> Fetch? in
            if case .fetch(_, let fetch) = event.action { fetch } else { nil }
        }
        #expect(fetches == [Fetch(status: 200, bytes: 500, timeToFirstByte: 40_000)])
        #expect(reading.trace.header.recorder == "session replay, by requests alone")
        #expect(reading.warnings.contains { $0.contains("a cache without a request is missing") })
        // Images with an identity are better than requests.
        let known = Self.posthog(#","base64":"YQ==""#, #","base64":"Yg==""#)
        let both = try Sample.trace(Sample.array(known + [event]))
        #expect(both.header.recorder == "session replay, by wireframes")
        #expect(both.objects.map(\.key).contains("https://a/1.jpg"))
    }

    @Test("wireframes of Datadog: changes have only what changed, and another resource is another image")
    func datadog() throws {
        let resource = #","mimeType":"image/png","resourceId":"r1""#
        let records = [
            Sample.screen, #"{"type":6,"timestamp":1000,"data":{"has_focus":true}}"#,
            #"{"type":10,"timestamp":1000,"data":{"wireframes":[\#(Sample.image(7, y: 0, resource))]}}"#,
            #"{"type":11,"timestamp":1100,"data":{"source":0,"updates":[{"id":7,"type":"image","resourceId":"r2"}]}}"#,
            #"{"type":11,"timestamp":1200,"data":{"source":9,"pointerEventType":"down","x":1,"y":1}}"#,
            #"{"type":11,"timestamp":1300,"data":{"source":0,"updates":[{"id":7,"type":"image","y":-300}],"#
                + #""adds":[{"previousId":7,"wireframe":\#(Sample.image(8, y: 300, #","resourceId":"r1""#))}]}}"#,
            #"{"type":11,"timestamp":1400,"data":{"source":0,"updates":[{"id":7,"type":"image","clip":{"top":600}}]}}"#,
        ]
        let text = #"{"source":"ios","view":{"id":"v"},"has_full_snapshot":true,"records":\#(Sample.array(records))}"#
        let trace = try Sample.trace(text)
        // r1 enters from below, a third of the way after the look: from 600 to 300, but it was on the screen before.
        #expect(Sample.moments(trace) == ["0 +r1", "100 -r1", "100 +r2", "300 +r1", "400 -r2"])
        #expect(trace.objects.map(\.contentType) == ["image/png", "image/png"])
        let phases = trace.events.compactMap { event -> ScrollPhase? in
            if case .scroll(let phase, _, _) = event.action { phase } else { nil }
        }
        #expect(phases == [.dragged, .atRest])
    }

    @Test("a further whole screen is no appearance of images that stay")
    func staying() throws {
        let one = #","resourceId":"r1""#
        let other = #","resourceId":"r2""#
        let trace = try Sample.trace(
            Sample.array([
                Sample.screen, Sample.snapshot(1000, [Sample.image(1, y: 0, one)]),
                Sample.snapshot(1500, [Sample.image(9, y: 10, one), Sample.image(5, y: 700, other)]),
                Sample.snapshot(2000, []),
            ]))
        #expect(Sample.moments(trace) == ["0 +r1", "500 +r2", "1000 -r2", "1000 -r1"])
    }

    @Test("an element leaves with the one around it, and one within another is where it says")
    func children() throws {
        let inner = Sample.image(2, y: 10, #","resourceId":"r""#)
        let outer =
            #"{"id":1,"x":0,"y":0,"width":"100vw","height":700,"type":"div","childWireframes":[\#(inner)]}"#
        let trace = try Sample.trace(
            Sample.array([Sample.screen, Sample.snapshot(1000, [outer]), Sample.change(1400, removes: [1])]))
        #expect(Sample.moments(trace) == ["0 +r", "400 -r"])
    }

    /// The third event has one side alone, and the fourth a side of 70,000 pixels.
    @Test("Custom events state the size of the view")
    func viewSizes() throws {
        let sizes = [
            #","viewWidth":240.4,"viewHeight":180"#, "", #","viewWidth":240"#, #","viewWidth":70000,"viewHeight":2"#,
        ]
        let events = sizes.enumerated().map { number, size in
            Sample.custom(1000 + number, #""v":1,"e":"appear","key":"a","width":30,"height":40"# + size)
        }
        let trace = try Sample.trace(Sample.array(events))
        #expect(trace.events.map(\.viewSize) == [ViewSize(width: 240, height: 180), nil, nil, nil])
        #expect(trace.objects[0].pixelWidth == 30)
    }

    @Test("custom events of the app are exact, in any envelope, and go before wireframes")
    func customEvents() throws {
        let events = [
            Sample.custom(1000, #""v":1,"e":"appear","key":"a","t":1000.25,"bytes":9,"width":30,"height":40"#),
            Sample.custom(1500, #""v":1,"e":"appear","key":"b","variant":"thumbnail""#),
            #"{"type":5,"timestamp":1600,"data":{"tag":"breadcrumb","payload":{"category":"cachereplay","#
                + #""data":{"v":1,"e":"disappear","key":"a"}}}}"#,
            #"{"type":3,"timestamp":1700,"data":{"source":3,"id":4,"x":0,"y":120}}"#,
        ]
        let page = #"{"type":2,"timestamp":900,"data":{"node":{"type":0,"childNodes":[]}}}"#
        let posthogExport =
            #"{"version":"2023-04-28","data":{"id":"x","snapshots":\#(Sample.array(events))}}"#
        for text in [
            Sample.array([page] + events), events.joined(separator: "\n"), #"{"events":\#(Sample.array(events))}"#,
            posthogExport, events.map { #"["window",\#($0)]"# }.joined(separator: "\n"),
            Sample.array([events[2], events[0]]) + Sample.array([events[1], events[3]]),
        ] {
            let trace = try Sample.trace(text)
            #expect(Sample.moments(trace) == ["0 +a", "499 +b", "599 -a"])
            #expect(trace.header.started == "1970-01-01T00:00:01.000250Z")
            #expect(trace.objects.first { $0.key == "a" }?.bytes == 9)
            #expect(trace.objects.first { $0.key == "a" }?.pixelHeight == 40)
            #expect(trace.events.contains { $0.action == .appear(trace.objects[0].key == "b" ? 0 : 1, .thumbnail) })
            #expect(trace.events.contains { $0.action.name == "scroll" })
            #expect(trace.header.recorder == "session replay, by custom events")
        }
    }

    @Test("a file is recognised by its content")
    func recognised() throws {
        for text in [
            Sample.array(Self.posthog("", "")), Sample.custom(1, #""v":1,"e":"appear","key":"a""#),
            Sample.array([Sample.screen, #"{"type":2,"timestamp":1,"data":{"node":{}}}"#]),
        ] {
            let format = try TraceFormat.sniffed(TraceInput(bytes: Array(text.utf8), path: "visit.json"))
            #expect(format.name == "session-replay")
        }
    }

    @Test("the route is stated for session replays and archives of requests")
    func routes() {
        #expect(ReplayRoute(format: .har, recorder: nil) == .requests)
        #expect(ReplayRoute(format: .jsonLines, recorder: "session replay, by wireframes") == .wireframes)
        #expect(ReplayRoute(format: .jsonLines, recorder: "cachereplay gallery") == nil)
    }
}

@Suite("Session replays that cannot be read")
struct SessionReplayErrorTests {
    private typealias Sample = ReplaySamples

    @Test(
        "name the reason and the remedy",
        arguments: [
            ("", "not a session replay"), ("[]", "not a session replay"), ("[1,null,\"a\",{}]", "not a session replay"),
            ("hello", "byte 0: line 1, column 1: expected a value, found 'h'"),
            (Sample.array([Sample.screen, Sample.snapshot(1000, [])]), "Switch the masking of images off"),
            (Sample.array([Sample.screen, #"{"type":2,"timestamp":1,"data":{"node":{}}}"#]), "scripts/convert-replay"),
            (Sample.snapshot(1000, [Sample.image(1, y: 0, "")]), "the size of the screen is missing"),
            (
                Sample.array([Sample.screen, #"{"type":11,"timestamp":1,"data":{"source":0,"updates":[{"id":1}]}}"#]),
                "with the piece of the recording before this one"
            ),
            (Sample.custom(1, #""v":2,"e":"appear","key":"a""#), "have another version than 1"),
            (#"[{"type":3,"timestamp":1,"data":"H4sIAAAA"}]"#, "unpack them with `unpack` of rrweb"),
            (String(Sample.array([Sample.screen, Sample.screen]).dropLast(9)), "the file is incomplete"),
            (#"[{"type":2,"timestamp":1,"data":"# + String(repeating: "[", count: 5000), "nested deeper than 256"),
            (
                #"{"type":2,"timestamp":1,"data":{"wireframes":["#
                    + String(repeating: #"{"childWireframes":["#, count: 5000),
                "nested deeper than 256"
            ),
        ])
    func errors(text: String, words: String) throws {
        let error = #expect(throws: TraceError.self) { try Sample.trace(text) }
        #expect(error?.description.hasPrefix("visit.json: ") == true)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test("values of wrong types and impossible numbers count as missing")
    func wrongTypes() throws {
        let hostile = [
            #"{"type":"x","timestamp":1000,"data":{"width":1,"height":1}}"#,
            #"{"type":4,"timestamp":1e300,"data":{}}"#,
            #"{"type":4,"timestamp":1000,"data":[]}"#, #"{"type":77,"timestamp":1000,"data":{}}"#,
            #"{"type":3,"timestamp":1000,"data":{"source":0,"adds":{"a":1},"removes":[7,{"id":{}}],"updates":[null]}}"#,
            Sample.snapshot(
                1000,
                [
                    #"{"id":{},"type":"image"}"#, #"{"id":5,"type":"image","x":"wide","y":1e300,"width":1,"height":1}"#,
                    Sample.image(6, y: 0, #","resourceId":"r""#), "7", "[]",
                ]),
            #"{"type":6,"timestamp":1,"data":{"plugin":"rrweb/network@1","payload":{"requests":[{"name":5},[],"#
                + #"{"name":"https://a/b.png","timestamp":1e12,"duration":1e300,"transferSize":1e300}]}}}"#,
        ]
        let reading = try Sample.reading(Sample.array([Sample.screen] + hostile))
        #expect(Sample.moments(reading.trace).count { $0.hasSuffix("+r") } == 1)
        #expect(Sample.fact("images_without_place", reading) == 1)
        #expect(Sample.fact("unknown_events", reading) == 1)
        #expect(Sample.fact("foreign_values", reading) == 2)
    }

    @Test("a recording through a window of a few bytes is the same")
    func window() throws {
        let text = Sample.array([
            Sample.screen, Sample.snapshot(1000, [Sample.image(1, y: 0, #","resourceId":"r""#)]),
            Sample.custom(1100, #""v":1,"e":"appear","key":"é""#),
        ])
        var notes = ReadingNotes()
        let stream = try TraceStream(contents: Array(text.utf8), path: "visit.json")
        let narrow = try SessionReplayFormat.read(ByteWindow(stream, capacity: 48), &notes)
        #expect(try narrow == Sample.trace(text))
    }
}
