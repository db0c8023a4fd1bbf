import CacheTraces
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("Pages and runs of a HAR")
struct HARPagesTests {
    /// Entries of pages in file order, one a second from 10:00:00; `-` for none.
    static func har(pages: String, _ entries: [String]) -> [UInt8] {
        let texts = entries.enumerated().map { second, page in
            let reference = page == "-" ? "" : #""pageref":"\#(page)","#
            return
                #"{\#(reference)"startedDateTime":"2026-01-01T10:00:0\#(second)Z","#
                + #""request":{"url":"\#(second).png"},"response":{"status":200,"content":{"size":1,"#
                + #""mimeType":"image/png"}}}"#
        }
        return Array(#"{"log":{"entries":[\#(texts.joined(separator: ","))],"pages":[\#(pages)]}}"#.utf8)
    }

    static let runs = har(
        pages: #"{"id":"r1","title":"Run 1"},{"id":"r2","title":"Run"},{"id":"r3","title":"Run"},{"id":"empty"}"#,
        ["r2", "r1", "r2", "-", "r1", "r9", "r3"])

    func read(_ bytes: [UInt8], page: String?) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: bytes, path: "a.har"), options: ReadingOptions(page: page))
    }

    /// `key@seconds` of each request.
    func story(_ trace: Trace) -> [String] {
        trace.events.compactMap { event in
            guard case .appear(let object, _) = event.action else { return nil }
            return "\(trace.objects[Int(object)].key)@\(event.time / 1_000_000)"
        }
    }

    @Test("All pages are one trace, in order of time, and a warning lists them")
    func together() throws {
        let reading = try read(Self.runs, page: nil)
        #expect(story(reading.trace) == ["0.png@0", "1.png@1", "2.png@2", "3.png@3", "4.png@4", "5.png@5", "6.png@6"])
        #expect(
            reading.pages.map { "\($0.id) \($0.title ?? "?") \($0.entries) \($0.images)" } == [
                "r2 Run 2 2", "r1 Run 1 2 2", " ? 1 1", "r9 ? 1 1", "r3 Run 1 1", "empty ? 0 0",
            ])
        #expect(
            reading.warnings.contains(
                """
                5 pages or runs with images are read as one trace, in order of time; --page selects one: 1 'r2' (Run), \
                2 'r1' (Run 1), 3 (without a page), 4 'r9', 5 'r3' (Run)
                """
            ))
    }

    @Test(
        "A page is chosen by id, title or number, and begins at its own first event",
        arguments: [
            ("r1", ["1.png@0", "4.png@3"]), ("Run 1", ["1.png@0", "4.png@3"]), ("2", ["1.png@0", "4.png@3"]),
            ("1", ["0.png@0", "2.png@2"]), ("3", ["3.png@0"]),
        ])
    func chosen(page: String, expected: [String]) throws {
        let reading = try read(Self.runs, page: page)
        #expect(story(reading.trace) == expected)
        #expect(!reading.warnings.contains { $0.contains("--page") })
        if page == "r1" {
            #expect(reading.trace.header == TraceHeader(title: "Run 1", started: "2026-01-01T10:00:01Z"))
        }
    }

    @Test(
        "A page that is none, or not only one, or holds no image, is refused with the list",
        arguments: [
            ("Run", "'Run' is not the name of exactly one page; select one by its number: 1 'r2' (Run), "),
            ("7", "'7' is not the name of exactly one page"), ("0", "'0' is not the name"),
            ("empty", "no image entries among the 0 of page 6 'empty'; choose another: 1 'r2'"),
        ])
    func refused(page: String, message: String) {
        let error = #expect(throws: TraceError.self) { try read(Self.runs, page: page) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    /// Pages that begin at seconds, and entries `url page second`.
    static func browsing(pages: [(id: String, start: Int?)], _ entries: [String]) -> [UInt8] {
        let pages = pages.map { page in
            let start = page.start.map { #","startedDateTime":"2026-01-01T10:00:0\#($0)Z""# } ?? ""
            return #"{"id":"\#(page.id)"\#(start)}"#
        }
        let texts = entries.map { entry in
            let parts = entry.split(separator: " ")
            let reference = parts[1] == "-" ? "" : #""pageref":"\#(parts[1])","#
            return
                #"{\#(reference)"startedDateTime":"2026-01-01T10:00:0\#(parts[2])Z","request":{"url":"\#(parts[0])"},"#
                + #""response":{"status":200,"content":{"size":1,"mimeType":"image/png"}}}"#
        }
        let log = #"{"pages":[\#(pages.joined(separator: ","))],"entries":[\#(texts.joined(separator: ","))]}"#
        return Array(#"{"log":\#(log)}"#.utf8)
    }

    /// `+key@seconds` of each cell that appears, and `-key@seconds` of each that disappears.
    func cells(_ reading: TraceReading) -> [String] {
        let trace = reading.trace
        return trace.events.compactMap { event in
            switch event.action {
            case .appear(let object, _): "+\(trace.objects[Int(object)].key)@\(event.time / 1_000_000)"
            case .disappear(let object, _): "-\(trace.objects[Int(object)].key)@\(event.time / 1_000_000)"
            default: nil
            }
        }
    }

    @Test("The cells of a page disappear when the next page begins to load")
    func lifetimes() throws {
        let bytes = Self.browsing(
            pages: [("one", 0), ("two", 2), ("three", nil)],
            ["a one 0", "b one 1", "a two 2", "c two 3", "b three 5", "free - 4"])
        let reading = try read(bytes, page: nil)
        // At the same time, the old cells leave first. Entries without a page, and those of the last page, stay.
        #expect(
            cells(reading) == ["+a@0", "+b@1", "-a@2", "-b@2", "+a@2", "+c@3", "+free@4", "-a@5", "-c@5", "+b@5"])
        #expect(reading.facts.contains { $0.name == "cells_ended_by_next_page" && $0.value == 4 })
    }

    @Test("A page without images ends the cells of the page before it")
    func pageWithoutImages() throws {
        let bytes = Self.browsing(pages: [("one", 0), ("text", 3), ("two", 5)], ["a one 0", "b two 5"])
        #expect(try cells(read(bytes, page: nil)) == ["+a@0", "-a@3", "+b@5"])
    }

    @Test("The cells of pages that were open at the same time, and of a single page, stay until the end")
    func noLifetimes() throws {
        let together = Self.browsing(pages: [("one", 0), ("two", 2)], ["a one 0", "b two 2", "c one 3"])
        #expect(try cells(read(together, page: nil)) == ["+a@0", "+b@2", "+c@3"])
        let alone = Self.browsing(pages: [("one", 0)], ["a one 0", "b one 3"])
        #expect(try cells(read(alone, page: nil)) == ["+a@0", "+b@3"])
        let chosen = Self.browsing(pages: [("one", 0), ("two", 2)], ["a one 0", "b two 2"])
        let reading = try read(chosen, page: "one")
        #expect(cells(reading) == ["+a@0"])
        #expect(reading.facts.contains { $0.name == "cells_ended_by_next_page" && $0.value == 0 })
    }

    @Test("Older files of WebPagetest tell the run alone")
    func runNumbers() throws {
        let entries = [(1, 0), (1, 1), (2, 0)].map { run, cached in
            #"{"_run":\#(run),"_cached":"\#(cached)","startedDateTime":"2026-01-01T10:00:0\#(run + cached)Z","#
                + #""request":{"url":"\#(run)\#(cached).png"},"response":{"status":200,"#
                + #""content":{"mimeType":"image/png"}}}"#
        }
        let bytes = Array(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
        #expect(try story(read(bytes, page: "run 1, repeat view").trace) == ["11.png@0"])
        #expect(try story(read(bytes, page: "run 2").trace) == ["20.png@0"])
    }

    @Test("A choice of page fits no other format")
    func otherFormat() {
        let error = #expect(throws: TraceError.self) {
            try TraceReading(
                TraceInput(bytes: Array("1\n2\n".utf8), path: "a.txt"), format: .lirs,
                options: ReadingOptions(page: "1"))
        }
        #expect(error?.message.contains("the file is read as lirs") == true)
    }

    @Test(
        "The runs of real recordings add up to the whole", .enabled(if: SharedData.isPresent),
        arguments: [
            ("browsertime1.0_sitespeed.io_3runs.har", [8, 8, 8]),
            ("chromehar0.5_wikipedia_5runs.har.gz", [96, 96, 96, 96, 96]),
            ("webpagetest17_expressen_2views.har", [109, 110, 109]),
        ])
    func realRuns(file: String, images: [Int]) throws {
        let path = SharedData.path("har/" + file)
        let whole = try TraceReading(contentsOf: path)
        #expect(whole.pages.map(\.images) == images)
        for (index, count) in images.enumerated() {
            let run = try TraceReading(contentsOf: path, options: ReadingOptions(page: "\(index + 1)")).trace
            #expect(TraceSummary(run).requests == count)
            #expect(run.events.first?.time == 0)
        }
    }
}
