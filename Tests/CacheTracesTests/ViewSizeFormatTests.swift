import CacheTraces
import SessionModel
import TestSupport
import Testing

@Suite("Sizes of views in JSON Lines")
struct ViewSizeFormatTests {
    private static let head = #"{"cachereplay_trace":1}"# + "\n" + #"{"e":"object","o":0,"key":"k"}"# + "\n"

    private static func read(_ lines: String...) throws -> Trace {
        try Trace(jsonLines: Array((head + lines.joined(separator: "\n") + "\n").utf8), named: "feed.jsonl")
    }

    private static func message(_ line: String) -> String {
        do {
            _ = try read(line)
            return "no error"
        } catch { return "\(error)" }
    }

    private static func encoded(_ trace: Trace) -> String {
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        return String(decoding: encoder.bytes, as: UTF8.self)
    }

    @Test("Appearances and prefetches have the size that their lines state, in any order of the fields")
    func reading() throws {
        let trace = try Self.read(
            #"{"t":1,"e":"appear","o":0,"variant":"thumbnail","width":240,"height":180}"#,
            #"{"height":1,"width":65535,"t":2,"e":"prefetch","o":0}"#,
            #"{"t":3,"e":"appear","o":0,"width":8.0,"height":1e1}"#,
            #"{"t":4,"e":"appear","o":0,"width":null,"height":null}"#, #"{"t":5,"e":"appear","o":0,"width":null}"#,
            #"{"t":6,"e":"prefetch","key":"k"}"#)
        #expect(
            trace.events == [
                TraceEvent(time: 1, .appear(0, .thumbnail), viewSize: ViewSize(width: 240, height: 180)),
                TraceEvent(time: 2, .prefetch(0, .full), viewSize: ViewSize(width: 65535, height: 1)),
                TraceEvent(time: 3, .appear(0, .full), viewSize: ViewSize(width: 8, height: 10)),
                TraceEvent(time: 4, .appear(0, .full)), TraceEvent(time: 5, .appear(0, .full)),
                TraceEvent(time: 6, .prefetch(0, .full)),
            ])
        #expect(trace.events[0].viewSize != nil)
    }

    @Test("What is written is read again, and events without a size are written as before")
    func writing() throws {
        let trace = Trace(
            objects: [TraceObject(key: "k", bytes: 9, pixelWidth: 800, pixelHeight: 600)],
            events: [
                TraceEvent(time: 1, .appear(0, .thumbnail), viewSize: ViewSize(width: 240, height: 180)),
                TraceEvent(time: 2, .appear(0, .full)),
                TraceEvent(time: 3, .prefetch(0, .full), viewSize: ViewSize(width: 7, height: 65535)),
                TraceEvent(time: 4, .disappear(0, .full)),
            ])
        let text = Self.encoded(trace)
        #expect(
            text.split(separator: "\n").dropFirst().map(String.init) == [
                #"{"e":"object","o":0,"key":"k","bytes":9,"width":800,"height":600}"#,
                #"{"t":1,"e":"appear","o":0,"variant":"thumbnail","width":240,"height":180}"#,
                #"{"t":2,"e":"appear","o":0}"#, #"{"t":3,"e":"prefetch","o":0,"width":7,"height":65535}"#,
                #"{"t":4,"e":"disappear","o":0}"#,
            ])
        let again = try Trace(jsonLines: Array(text.utf8))
        #expect(again == trace)
        #expect(Self.encoded(again) == text)
    }

    @Test(
        "A size that no view has is an error that names the line, what is expected, and the remedy",
        arguments: [
            (#""width":640"#, #""width" stands without "height"; expected both sides of the view in pixels, or none"#),
            (#""height":640,"width":null"#, #"Add "width", or omit "height""#),
            (#""width":0,"height":480"#, #""width" of the view is 0; expected a whole number of pixels from 1 to"#),
            (#""width":640,"height":-1"#, #""height" of the view is -1; expected a whole number"#),
            (#""width":65536,"height":480"#, #""width" of the view is 65536; expected"#),
            (#""width":640,"height":480.5"#, #""height" of the view is 480.5; expected"#),
            (#""width":99999999999999999999,"height":1"#, #""width" of the view is 99999999999999999999; expected"#),
            (#""width":"640","height":480"#, #""width" of the view is a string; expected"#),
            (#""width":640,"height":[480]"#, #""height" of the view is an array; expected"#),
            (#""width":true,"height":480"#, #"Omit "width" and "height" if the size of the view is unknown"#),
        ], ["appear", "prefetch"])
    func mistakes(line: (fields: String, expected: String), event: String) {
        let message = Self.message(#"{"t":1,"e":"\#(event)","o":0,\#(line.fields)}"#)
        #expect(message.contains("feed.jsonl:3"), "\(message)")
        #expect(message.contains(line.expected), "\(message)")
    }

    @Test("Other events may have fields by these names, and those of objects and fetches are the size of the image")
    func otherEvents() throws {
        for event in ["disappear", "remove"] {
            #expect(Self.message(#"{"t":1,"e":"\#(event)","o":0,"width":"wide","height":-1}"#) == "no error")
        }
        let trace = try Self.read(
            #"{"t":1,"e":"disappear","o":0,"width":640,"height":480}"#,
            #"{"t":2,"e":"fetch","o":0,"width":640,"height":480}"#)
        #expect(trace.events.allSatisfy { $0.viewSize == nil })
        #expect(trace.objects[0].pixelWidth == 640)
        #expect(trace.objects[0].pixelHeight == 480)
        #expect(Self.message(#"{"t":1,"e":"fetch","o":0,"width":-1}"#).contains("from 0 to 1048576, found -1"))
        #expect(Self.message(#"{"t":1,"e":"fetch","status":404,"o":0,"width":"w"}"#).contains("expected a digit"))
        #expect(Self.message(#"{"e":"object","key":"x","height":1.5}"#).contains("expected a whole number"))
    }

    @Test("A line that is cut short is dropped, also within a size")
    func cutShort() throws {
        let text = Self.head + #"{"t":1,"e":"appear","o":0,"width":64"#
        #expect(try Trace(jsonLines: Array(text.utf8)).events.isEmpty)
    }

    @Test("The table of events shows the size")
    func table() throws {
        let trace = try Self.read(
            #"{"t":1,"e":"appear","o":0,"width":240,"height":180}"#, #"{"t":2,"e":"appear","o":0}"#)
        let lines = trace.table().split(separator: "\n")
        #expect(lines[1].hasSuffix("k  (view of 240 × 180 pixels)"))
        #expect(lines[2].hasSuffix("k"))
    }
}
