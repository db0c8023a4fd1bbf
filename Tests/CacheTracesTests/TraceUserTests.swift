import Basics
import SessionModel
import Testing

@testable import CacheTraces

@Suite("The user of a session")
struct TraceUserTests {
    @Test(
        "is kept by JSON Lines and compiled traces, and is absent where the header has none", arguments: ["u-17", nil])
    func roundTrip(user: String?) throws {
        var builder = TraceBuilder()
        let object = builder.object("https://example.com/a.jpg")
        builder.append(TraceEvent(time: 0, .appear(object, .full)))
        var trace = builder.finish()
        trace.header.user = user
        trace.header.scripted = true
        for ending in ["jsonl", "crtrace"] {
            let folder = try ScratchFolder(prefix: "cachereplay-test")
            defer { folder.remove() }
            let path = "\(folder.path)/trace.\(ending)"
            let format = try #require(TraceFormat.writable(for: path))
            _ = try trace.write(to: path, format: format)
            let read = try TraceReading(contentsOf: path).trace
            #expect(read.header.user == user && read.header.scripted && read.events == trace.events)
        }
    }

    @Test("a trace without requests is not written in a format that has only requests", arguments: ["csv", "bin"])
    func nothingToWrite(ending: String) throws {
        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .memoryWarning))
        let trace = builder.finish()
        let folder = try ScratchFolder(prefix: "cachereplay-test")
        defer { folder.remove() }
        let path = ending == "csv" ? "\(folder.path)/t.csv" : "\(folder.path)/t.oracleGeneral.bin"
        let format = try #require(TraceFormat.writable(for: path))
        #expect(throws: TraceError.self) { try trace.write(to: path, format: format) }
    }

    @Test("a CSV file of this project is recognised although a key looks like a line of a log")
    func keyLikeALog() throws {
        let line =
            "ca10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- "
            + "1/1/1/1/0 0/0 {1wt.eu} {} \"\"GET /a.png HTTP/1.1\"\""
        let input = TraceInput(bytes: Array("time_us,key,size\n0,\"\(line)\",\n".utf8), path: "out.csv")
        #expect(try TraceFormat.sniffed(input).name == "csv")
    }
}
