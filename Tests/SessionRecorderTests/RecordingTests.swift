import Foundation
import SessionModel
import SessionRecorder
import TestSupport
import Testing

@Suite("Recording and reading back")
struct RecordingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Every call is read as its event, in order")
    func everyEvent() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.title = "A \"feed\"\n🌄" })
        recorder.foreground()
        recorder.cellAppeared("https://a.example/1.jpg", variant: .thumbnail)
        recorder.prefetched("https://a.example/ü \"2\"\\\u{1}.jpg")
        recorder.scrolled(phase: .dragged, offset: 120.5, velocity: 900)
        recorder.scrolled(phase: .decelerating, offset: 480, velocity: -3.25)
        recorder.scrolled(phase: .atRest, offset: 500, velocity: 0)
        recorder.fetched(
            "https://a.example/1.jpg",
            .init(bytes: 48213, contentType: "image/jpeg", headers: ["ETag": "\"5f\"", "Server": "x"]))
        recorder.fetched("https://a.example/3.jpg", .init(status: 0))
        recorder.fetched("https://a.example/3.jpg", .init(isUndecodable: true))
        recorder.cellDisappeared("https://a.example/1.jpg", variant: .thumbnail)
        recorder.described(
            "https://a.example/3.jpg", bytes: 77, contentType: "image/png", pixelWidth: 640, pixelHeight: 480)
        recorder.cellAppeared("https://a.example/3.jpg")
        recorder.removed("https://a.example/1.jpg")
        recorder.served("https://a.example/3.jpg", from: .disk)
        recorder.served("https://a.example/1.jpg", variant: .thumbnail, from: .memory)
        recorder.charged("https://a.example/1.jpg", variant: .thumbnail, bytes: 921_600)
        recorder.charged("https://a.example/1.jpg", bytes: -1)
        recorder.memoryWarning()
        recorder.background()
        recorder.terminate()
        #expect(recorder.finish(timeout: 60))

        let trace = try read(file)
        var undecodable = Fetch()
        undecodable.isUndecodable = true
        #expect(trace.header.title == "A \"feed\"\n🌄")
        #expect(trace.header.recorder == "SessionRecorder 1")
        #expect(trace.header.started != nil)
        #expect(!trace.header.synthetic)
        #expect(
            trace.objects == [
                TraceObject(
                    key: "https://a.example/1.jpg", bytes: 48213, contentType: "image/jpeg",
                    headers: [HTTPField("etag", "\"5f\"")]), TraceObject(key: "https://a.example/ü \"2\"\\\u{1}.jpg"),
                TraceObject(
                    key: "https://a.example/3.jpg", bytes: 77, contentType: "image/png", pixelWidth: 640,
                    pixelHeight: 480),
            ])
        #expect(
            trace.events.map(\.action) == [
                .foreground, .appear(0, .thumbnail), .prefetch(1, .full),
                .scroll(.dragged, offset: 120.5, velocity: 900),
                .scroll(.decelerating, offset: 480, velocity: -3.25), .scroll(.atRest, offset: 500, velocity: 0),
                .fetch(0, Fetch(status: 200, bytes: 48213)), .fetch(2, Fetch(status: 0)),
                .fetch(2, undecodable), .disappear(0, .thumbnail),
                .appear(2, .full), .remove(0), .served(2, .full, .disk), .served(0, .thumbnail, .memory),
                .cost(0, .thumbnail, bytes: 921_600), .memoryWarning, .background, .terminate,
            ])
        #expect(recorder.status.eventsWritten == trace.events.count)
        #expect(recorder.status.bytesWritten == (try Data(contentsOf: file)).count)
        #expect(recorder.status.problem == nil)
    }

    @Test("A fetch has the time of its request, computed from its end")
    func fetchTimes() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        for _ in 0..<100 { recorder.cellAppeared("a") }
        // Two microseconds ago; the second one before the recording began, so at time 0.
        recorder.fetched("a", timeToFirstByte: 0.000001, transferTime: 0.000001)
        recorder.fetched("b", timeToFirstByte: 3600, transferTime: 0.25)
        recorder.cellAppeared("a")
        recorder.finish(timeout: 60)

        let text = try folder.text("feed.jsonl")
        #expect(
            text.contains(
                "{\"t\":0,\"e\":\"fetch\",\"o\":1,\"status\":200,\"ttfb_us\":3600000000,\"transfer_us\":250000}"))
        let events = try read(file).events
        #expect(events.first?.action == .fetch(1, Fetch(timeToFirstByte: 3_600_000_000, transferTime: 250_000)))
        let fetch = try #require(events.first { $0.action == .fetch(0, Fetch(timeToFirstByte: 1, transferTime: 1)) })
        let after = try #require(events.last)
        #expect(fetch.time <= after.time - 2)
    }

    @Test("A measured fetch has status, bytes and times; only its first end counts")
    func timedFetch() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        let good = recorder.fetchStarted("good")
        let broken = recorder.fetchStarted("broken")
        good.responded(status: 200, contentType: "image/webp")
        broken.responded(status: 200, contentType: "image/webp")
        broken.received(bytes: 10)
        good.received(bytes: 1000)
        good.received(bytes: 24)
        good.ended()
        good.ended()
        broken.ended(complete: false)
        recorder.finish(timeout: 60)

        let trace = try read(file)
        let fetches = trace.events.compactMap { event in
            if case .fetch(_, let fetch) = event.action { fetch } else { nil }
        }
        #expect(fetches.map(\.status) == [200, 0])
        #expect(fetches.map(\.bytes) == [1024, 10])
        #expect(fetches.allSatisfy { $0.timeToFirstByte != nil && $0.transferTime != nil })
        // An incomplete body does not give the image's size.
        #expect(
            trace.objects == [
                TraceObject(key: "good", bytes: 1024, contentType: "image/webp"), TraceObject(key: "broken"),
            ])
    }

    @Test("Values that a trace cannot contain are omitted, and the trace is valid")
    func absurdValues() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        recorder.scrolled(phase: .dragged, offset: .nan, velocity: .infinity)
        recorder.fetched("", .init(status: -1, bytes: .min), timeToFirstByte: .nan, transferTime: -.infinity)
        recorder.fetched("a", .init(status: .max, bytes: .max), timeToFirstByte: 1e300, transferTime: .infinity)
        recorder.described("a", pixelWidth: .max, pixelHeight: -1)
        let fetch = recorder.fetchStarted("b")
        fetch.responded(status: 200)
        fetch.received(bytes: .max)
        fetch.received(bytes: .max)
        fetch.ended()
        recorder.finish(timeout: 60)

        let trace = try read(file)
        #expect(trace.events.first?.action == .scroll(.dragged, offset: 0, velocity: 0))
        #expect(
            trace.events.dropFirst().prefix(2).map(\.action) == [
                .fetch(0, Fetch(status: 0)), .fetch(1, Fetch(status: 0)),
            ])
        #expect(trace.objects.allSatisfy { $0.bytes == nil && $0.pixelWidth == nil })
    }

    @Test("A list has one event for each position, all at one time; later calls name the positions that change")
    func lists() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        let keys = (0..<1_000).map { "k\($0)" }
        recorder.list(keys, variant: .thumbnail, columns: 3)
        recorder.cellAppeared("k999", variant: .thumbnail)
        recorder.list(["k5", "new"], variant: .thumbnail, columns: 4, from: 7)
        recorder.list([])
        recorder.finish(timeout: 60)

        let trace = try read(file)
        #expect(trace.events.count == 1_003)
        #expect(recorder.status.eventsWritten == 1_003)
        #expect(Set(trace.events.prefix(1_000).map(\.time)).count == 1)
        var list = ListOrder(trace).cursor(.thumbnail)
        list.advance(to: trace.events[0].time)
        #expect((0..<1_000).allSatisfy { list[$0] == .init(position: $0, row: $0 / 3, object: $0) })
        list.advance(to: .max)
        #expect(list[7] == .init(position: 7, row: 1, object: 5))
        #expect(list[8] == .init(position: 8, row: 2, object: 1_000))
        #expect(list[9] == .init(position: 9, row: 3, object: 9))
        #expect(ListOrder(trace).contradictions(in: trace).unlisted == 0)
    }

    @Test("Absurd columns and positions leave a valid trace, and a list that does not fit is dropped and counted")
    func absurdLists() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.queueByteLimit = 2_000 })
        recorder.list(["a", "b"], columns: .min, from: .min)
        recorder.list(["c", "d"], columns: .max, from: Int(Int32.max) - 1)
        recorder.list(["e"], from: .max)
        #expect(recorder.flush(timeout: 60))
        recorder.list((0..<300).map { "key \($0)" })
        recorder.finish(timeout: 60)

        let last = Int32.max - 1
        #expect(
            try read(file).events.map(\.action) == [
                .list(0, .full, position: 0, row: 0), .list(1, .full, position: 1, row: 1),
                .list(2, .full, position: last, row: 0),
            ] + (256..<300).map { .list($0 - 253, .full, position: $0, row: $0) })
        #expect(recorder.status.eventsDropped == 256)
        #expect(try reportedAsDropped(try folder.text("feed.jsonl")) == 256)
    }

    @Test("Scroll events of one phase within the interval are omitted; a change of phase is kept")
    func thinnedScrolling() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.scrollInterval = 3600 })
        for offset in 0..<100 { recorder.scrolled(phase: .dragged, offset: Double(offset)) }
        recorder.scrolled(phase: .decelerating, offset: 100, velocity: 50)
        recorder.scrolled(phase: .atRest, offset: 120)
        recorder.finish(timeout: 60)
        #expect(
            try read(file).events.map(\.action) == [
                .scroll(.dragged, offset: 0, velocity: 0), .scroll(.decelerating, offset: 100, velocity: 50),
                .scroll(.atRest, offset: 120, velocity: 0),
            ])
        #expect(recorder.status.eventsDropped == 0)
    }

    @Test("A missing velocity is computed from the last offset and the time since")
    func workedOutVelocity() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options())
        recorder.scrolled(phase: .dragged, offset: 0)
        // The distance is 1,000 points per call, whatever the time between the calls.
        for call in 1...50 { recorder.scrolled(phase: .dragged, offset: Double(call) * 1000) }
        recorder.finish(timeout: 60)

        let events = try read(file).events
        for (before, event) in zip(events, events.dropFirst()) where event.time > before.time {
            guard case .scroll(_, _, let velocity) = event.action else { continue }
            #expect(velocity == (1_000_000_000 / Double(event.time - before.time)).rounded())
        }
    }

    @Test("Flushed events are in the file; without events there is no file; after the end nothing is recorded")
    func lifeCycle() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.writeInterval = 3600 })
        #expect(recorder.flush(timeout: 60))
        #expect(folder.files == [])
        recorder.cellAppeared("a")
        #expect(recorder.flush(timeout: 60))
        #expect(try read(file).events.count == 1)
        recorder.finish(timeout: 60)
        recorder.cellAppeared("b")
        recorder.scrolled(phase: .dragged, offset: 1)
        #expect(recorder.finish(timeout: 60))
        #expect(recorder.flush())
        #expect(try read(file).events.count == 1)
        #expect(folder.files == ["feed.jsonl"])
    }
}
