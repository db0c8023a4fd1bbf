import Basics
import TestSupport
import Testing

@testable import CacheTraces
@testable import SessionModel

@Suite("Access logs in windows")
struct AccessLogWindowsTests {
    @Test(
        "A log read as a stream is the same trace with the same warnings, whatever the window",
        arguments: [8, 97, 4096, 4 << 20])
    func stream(capacity: Int) throws {
        let squid = try #require(LogDialect.all.first { $0.name == .squid })
        let text = "\u{FEFF}" + SampleLog.squid(400)
        for options in [
            AccessLog.Options(), .init(content: .images), .init(match: [try PathPattern("/1*")], thumbnails: "/2"),
        ] {
            var (notes, streamedNotes) = (ReadingNotes(), ReadingNotes())
            let whole = try AccessLogReader.read(
                ByteWindow(TraceInput(bytes: Array(text.utf8), path: "a.log")), squid, options, &notes)
            let window = try ByteWindow(TraceStream(contents: Array(text.utf8), path: "a.log"), capacity: capacity)
            #expect(try AccessLogReader.read(window, squid, options, &streamedNotes) == whole)
            #expect(notes.warnings == streamedNotes.warnings && notes.facts == streamedNotes.facts)
            #expect(whole.events.count > 80 && notes.warnings.count > 2)
        }
    }

    @Test("The error of an unreadable log names its first line, also behind the first window")
    func unreadable() throws {
        let squid = try #require(LogDialect.all.first { $0.name == .squid })
        let text = "\n\n" + (0..<60).map { "not a line \($0)\n" }.joined()
        let window = try ByteWindow(TraceStream(contents: Array(text.utf8), path: "a.log"), capacity: 16)
        var notes = ReadingNotes()
        let error = #expect(throws: TraceError.self) {
            try AccessLogReader.read(window, squid, .init(badLines: .count(0)), &notes)
        }
        #expect("\(String(describing: error))".contains("a.log:3: "), "\(String(describing: error))")
        #expect(notes.warnings.first?.contains("line 4: ") == true, "\(notes.warnings)")
    }

    @Test("A file is recognised as a log from its beginning, compressed or not; binary content is not")
    func recognition() throws {
        let text = Array(SampleLog.squid(50).utf8)
        let packed = try Compression.gzip.compress(text, file: "a.log")
        for contents in [text, packed] {
            #expect(TraceFormat.sniffed(try TraceStream(contents: contents, path: "a.log"))?.name == "squid")
        }
        #expect(TraceFormat.sniffed(try TraceStream(contents: text + [0], path: "a.log")) == nil)
        #expect(TraceFormat.sniffed(try TraceStream(contents: Array("1,a,5\n".utf8), path: "a.csv")) == nil)
    }

    @Test("Spooled requests come in order of time, and those with equal times in their order", arguments: [1, 3, 64])
    func spool(room: Int) throws {
        var random = SplitMix64(seed: 5)
        for spread in [1, 20, 5_000] as [Int64] {
            let requests = (0..<300).map { index in
                RequestSpool.Request(
                    time: Int64(index) + Int64(random.next() % UInt64(spread)), object: ObjectID(index),
                    fetch: index % 3 == 0 ? .failed : .none)
            }
            let spool = RequestSpool(path: "a.log", room: room)
            for request in requests { try spool.append(request) }
            for end in [300, 0, 7, 300] {
                var read: [RequestSpool.Request] = []
                try spool.forEach { request in
                    if read.count == end { return false }
                    read.append(request)
                    return true
                }
                let sorted = requests.sorted { ($0.time, $0.object) < ($1.time, $1.object) }
                #expect(read == Array(sorted.prefix(end)), "\(spread)")
            }
        }
    }

    @Test("The windows of a log are the columns of the whole session", arguments: [1, 30, 1 << 21])
    func windows(requests: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("access.log", SampleLog.squid(600))
        for (usesSizes, bitmaps, reading) in [
            (true, DenseTrace.Bitmaps.never, ReadingOptions()), (false, .never, .init(content: .images)),
            (true, .ofImages, .init(match: [try PathPattern("/1*")])),
        ] {
            var (notes, windowNotes) = (ReadingNotes(), ReadingNotes())
            var options = DenseTrace.Options(usesSizes: usesSizes, bitmaps: bitmaps, window: requests)
            options.reading = reading
            let whole = try DenseTrace(contentsOf: path, options, &notes)
            var (position, bytes) = (0, 0)
            var exceptions: [DenseTrace.Exception] = []
            try DenseTrace.forEachWindow(of: path, options, &windowNotes) { window in
                #expect(window.objectCount == whole.objectCount && window.objects.count <= requests)
                for access in 0..<window.objects.count {
                    #expect(window.objects[access] == whole.objects[position + access])
                    #expect(window.time(of: access) == whole.time(of: position + access))
                }
                for object in 0..<UInt32(whole.objectCount) {
                    #expect(window.size(of: object) == whole.size(of: object))
                }
                exceptions += window.exceptions.map { .init(position: $0.position + position, kind: $0.kind) }
                position += window.objects.count
                bytes += window.requestBytes
                return true
            }
            #expect(position == whole.objects.count && bytes == whole.requestBytes && position > 50)
            #expect(exceptions == whole.exceptions && !exceptions.isEmpty)
            #expect(notes.warnings == windowNotes.warnings && notes.countsBitmaps == windowNotes.countsBitmaps)
            #expect(notes.countsBitmaps == (bitmaps == .ofImages))
        }
    }

    @Test("Thumbnails are marked in windows too")
    func thumbnails() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("access.log", SampleLog.squid(100))
        let format = TraceFormat.accessLog(.squid, .init(thumbnails: "/1"))
        let whole = try DenseTrace(contentsOf: path, format: format)
        var notes = ReadingNotes()
        try DenseTrace.forEachWindow(of: path, .init(format: format, window: 9), &notes) { window in
            for object in 0..<UInt32(whole.objectCount) {
                #expect(window.variant(of: object) == whole.variant(of: object))
            }
            return true
        }
        #expect(whole.variants?.contains(Variant.thumbnail.rawValue) == true)
    }

    @Test("A log without sizes is an error that names the remedy, and counts objects with it")
    func withoutSizes() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(
            "access.log",
            "1700000000.000 10 10.0.0.1 TCP_MISS/404 7 GET http://a.example/1 - NONE/- text/html\n")
        var notes = ReadingNotes()
        let error = #expect(throws: TraceError.self) {
            try DenseTrace.forEachWindow(of: path, .init(), &notes) { _ in true }
        }
        #expect("\(String(describing: error))".contains("--ignore-size"))
        var requests = 0
        try DenseTrace.forEachWindow(of: path, .init(usesSizes: false), &notes) { window in
            requests += window.objects.count
            return true
        }
        #expect(requests == 1)
    }
}
