import CacheTraces
import SessionModel
import TestSupport
import Testing

@Suite("CSV")
struct CSVFormatTests {
    func read(_ text: String, _ options: CSVFormat.Options = .init()) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "requests.csv"), format: .csv(options))
    }

    func message(_ text: String, _ options: CSVFormat.Options = .init()) -> String {
        do {
            _ = try read(text, options)
            return "no error"
        } catch { return "\(error)" }
    }

    @Test("Columns are found by their names, in any order, among others")
    func header() throws {
        let trace = try read("op,Obj Size,timestamp,OBJ-ID\nget,10,1.5,a\nget,,3,b\nget,10,3.25,a\n").trace
        #expect(trace.objects == [TraceObject(key: "a", bytes: 10), TraceObject(key: "b")])
        #expect(
            trace.events == [
                TraceEvent(time: 0, .appear(0, .full)), TraceEvent(time: 1_500_000, .appear(1, .full)),
                TraceEvent(time: 1_750_000, .appear(0, .full)),
            ])
    }

    @Test("A first size of 0 gives way to a later size above 0; other first sizes stay")
    func zeroSizes() throws {
        let text = "time,key,size\n1,a,0\n2,b,0\n3,c,7\n4,a,10\n5,a,12\n6,b,0\n7,c,0\n8,d,\n9,d,0\n10,d,4\n"
        let reading = try read(text)
        #expect(reading.trace.objects.map(\.bytes) == [10, 0, 7, 4])
        #expect(
            reading.warnings == [
                "2 objects have size 0 at first; each has the first size above 0 that follows",
                "2 requests have a different size than the first of their object; each object keeps its first size",
            ])
        // Long enough for the fast path, in numbers and in text.
        for prefix in ["", "k"] {
            let rows = (0..<2000).map { "\($0),\(prefix)\(1 + $0 % 100),\($0 < 100 ? 0 : 1 + $0 % 100)" }
            var notes = ReadingNotes()
            let input = TraceInput(bytes: Array(("time,key,size\n" + rows.joined(separator: "\n")).utf8), path: "a.csv")
            let dense = try DenseTrace(input, .init(), &notes)
            #expect((0..<100).map { dense.size(of: UInt32($0)) } == Array(1...100))
            #expect(dense.requestBytes == 20 * 5050 && dense.uniqueBytes == 5050)
            #expect(
                notes.warnings == ["100 objects have size 0 at first; each has the first size above 0 that follows"])
        }
    }

    @Test("Quoted fields hold delimiters, quotes and line ends (RFC 4180)")
    func quoting() throws {
        let trace = try read(
            "time,key,size\r\n1,\"a,b\",1\r\n2,\"say \"\"hi\"\"\",2\r\n3,\"two\r\nlines\",\"3\"\r\n4,\"\",4"
        ).trace
        #expect(trace.objects.map(\.key) == ["a,b", "say \"hi\"", "two\r\nlines", ""])
        #expect(trace.objects.map(\.bytes) == [1, 2, 3, 4])
    }

    @Test(
        "Without a header the number of columns decides",
        arguments: [
            (
                "5,a,10\n6,b,20\n", [TraceObject(key: "a", bytes: 10), TraceObject(key: "b", bytes: 20)],
                Int64(1_000_000)
            ),
            ("a,10\nb,20\n", [TraceObject(key: "a", bytes: 10), TraceObject(key: "b", bytes: 20)], 1000),
            ("a\n\nb\n", [TraceObject(key: "a"), TraceObject(key: "b")], 1000),
            ("5;a;10\n6;b;20\n", [TraceObject(key: "a", bytes: 10), TraceObject(key: "b", bytes: 20)], 1_000_000),
            ("5\ta\t10\n6\tb\t20\n", [TraceObject(key: "a", bytes: 10), TraceObject(key: "b", bytes: 20)], 1_000_000),
        ])
    func noHeader(text: String, objects: [TraceObject], secondTime: Int64) throws {
        let trace = try read(text).trace
        #expect(trace.objects == objects)
        #expect(trace.events.map(\.time) == [0, secondTime])
    }

    @Test(
        "Times are seconds unless the name, the option or the size of a Unix time says otherwise",
        arguments: [
            ("time,key\n1,a\n2,a\n", nil, Int64(1_000_000)),
            ("time_ms,key\n1,a\n2,a\n", nil, 1000),
            ("time,key\n1,a\n2,a\n", CSVFormat.TimeUnit.microseconds, 1),
            ("time,key\n1700000000000,a\n1700000000007,a\n", nil, 7000),
            ("date,key\n2026-01-01T00:00:00Z,a\n2026-01-01T02:00:00.5+02:00,a\n", nil, 500_000),
        ])
    func times(text: String, unit: CSVFormat.TimeUnit?, second: Int64) throws {
        #expect(try read(text, .init(timeUnit: unit)).trace.events.map(\.time) == [0, second])
    }

    @Test("Options name or number the columns")
    func options() throws {
        let options = CSVFormat.Options(
            timeColumn: "when", keyColumn: "3", sizeColumn: "weight", delimiter: "|", hasHeader: true)
        let trace = try read("when|weight|what\n1|5|a,b\n", options).trace
        #expect(trace.objects == [TraceObject(key: "a,b", bytes: 5)])
    }

    @Test("Requests keep their order when their times do not; the warnings count")
    func order() throws {
        let reading = try read("time,key,size\n5,a,1\n3,b,1\n7,a,2\n")
        #expect(reading.trace.events.map(\.time) == [0, 0, 2_000_000])
        #expect(reading.warnings.count == 2)
        #expect(reading.warnings.allSatisfy { $0.contains("1 requests") })
    }

    @Test("Errors name the line and the remedy")
    func errors() {
        #expect(
            message("time,key,size\n1,a,1\n2,b,big\n").contains(
                "requests.csv:3: expected the size as a whole number of bytes, found 'big'"))
        #expect(message("time,key,size\n1,a,-1\n").contains("found '-1'"))
        #expect(message("time,key,size\nsoon,a,1\n").contains(":2: expected the time as a number or a date"))
        #expect(message("time,key,size\n1\n").contains(":2: expected the key in column 2, but the row has 1 fields"))
        #expect(
            message("time,key,size\n1,\"a\nb\n").contains(":2: the quoted field that begins in this row does not end"))
        #expect(message("time,key,size\n1,\"a\nb\"c,1\n").contains(":3: expected a delimiter"))
        #expect(message("time,what,size\n1,a,1\n").contains("pass --key-column with one of: time, what, size"))
        #expect(
            message("time,key,size\n1,a,1\n", .init(sizeColumn: "weight")).contains(
                "there is no column 'weight'; expected one of: time, key, size"))
        #expect(message("time,key,size\n").contains("a header and no rows"))
        #expect(message("").contains("the file is empty"))
        #expect(message("time,key\n1e300,a\n").contains("expected the time"))
    }

    @Test("What is written reads back as the same requests")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let trace = try read("time_us,key,size\n0,\"a,\"\"b\"\"\n\",1\n5,é,\n9,\"\",3\n12,a\0b,4\n").trace
        let path = folder.path + "/again.csv"
        #expect(try trace.write(to: path, format: .csv).isEmpty)
        #expect(try Trace(contentsOf: path) == trace)
    }
}
