import Basics
import SessionModel
import Testing

@testable import CacheTraces

/// Sessions of Charles as JSON, with the members that its files have.
@Suite("Charles' sessions")
struct CharlesSessionTests {
    /// A transaction of an image of 900 bytes; later members replace earlier ones.
    private func transaction(_ members: String = "", response: String = "", _ second: Int = 0) -> String {
        """
        {"status":"COMPLETE","method":"GET","protocolVersion":"HTTP/1.1","scheme":"https","host":"img.test",\
        "actualPort":443,"path":"/1.png","query":null,"tunnel":false,"keptAlive":false,"webSocket":false,\
        "remoteAddress":"img.test/192.0.2.1","clientAddress":"127.0.0.1","clientPort":52011,\
        \(members.contains("times") ? "" : #""times":{"start":"2026-01-05T10:00:0\#(second).250+01:00","end":null},"#)\
        \(members.contains("durations") ? "" : Self.durations)\
        "speeds":{"overall":1,"request":1,"response":1},"totalSize":1400,"ssl":{"protocol":"TLSv1.3"},\
        "request":{"sizes":{"handshake":0,"headers":300,"body":0},"mimeType":null,"header":{"firstLine":"GET /",\
        "headers":[{"name":"Host","value":"img.test"},{"name":"Accept","value":"*/*"}]}},\
        "response":{"status":200,"sizes":{"handshake":0,"headers":200,"body":900},"mimeType":"image/png",\
        "charset":null,"header":{"firstLine":"HTTP/1.1 200 OK","headers":[{"name":"ETag","value":"\\"a\\""},\
        {"name":"Content-Length","value":"901"}]},"body":{"encoding":"base64","encoded":"iVBO"}\(response)}\(members)}
        """
    }

    private static let durations =
        #""durations":{"total":162,"dns":5,"connect":25,"ssl":40,"request":2,"response":10,"latency":80},"#

    private func read(_ transactions: String..., name: String = "a.chlsj", format: TraceFormat? = nil) throws
        -> TraceReading
    {
        let text = "[\n" + transactions.joined(separator: ",\n") + "\n]\n"
        return try TraceReading(TraceInput(bytes: Array(text.utf8), path: name), format: format)
    }

    /// A line for each fetch: its key, its status, its bytes, and whether it has times.
    private func fetches(_ reading: TraceReading) -> [String] {
        reading.trace.events.compactMap { event in
            guard case .fetch(let object, let fetch) = event.action else { return nil }
            let bytes = fetch.bytes.map { "\($0)" } ?? "?"
            let key = reading.trace.objects[Int(object)].key
            return "\(key) \(fetch.status) \(bytes)\(fetch.duration == nil ? "" : " timed")"
        }
    }

    @Test("A session is recognised by its members, and its parts are those of a HAR", arguments: ["a.chlsj", "a.json"])
    func session(name: String) throws {
        let reading = try read(transaction(), transaction(#","path":"/2.png","query":"w=2&h=3""#, 1), name: name)
        #expect(reading.format.name == "charles")
        let second = "https://img.test/2.png?w=2&h=3 200 900 timed"
        #expect(fetches(reading) == ["https://img.test/1.png 200 900 timed", second])
        #expect(reading.warnings.isEmpty)
        #expect(reading.trace.events.map(\.time) == [0, 0, 1_000_000, 1_000_000])
        #expect(reading.trace.header.recorder == "Charles")
        #expect(reading.trace.header.started == "2026-01-05T10:00:00.250+01:00")
        let object = reading.trace.objects[0]
        #expect(object.bytes == 900 && object.contentType == "image/png")
        #expect(object.headers == [HTTPField("etag", "\"a\"")])
        guard case .fetch(_, let fetch) = reading.trace.events[1].action else { return #expect(Bool(false)) }
        // 5 + 25 + 40 + 2 + 80 + 10 are the whole time, so that TLS stands beside the connection.
        #expect(fetch.queued == 0 && fetch.connect == 70_000)
        #expect(fetch.timeToFirstByte == 82_000 && fetch.transferTime == 10_000)
        #expect(fetch.networkProtocol == FetchProtocol(recorded: "HTTP/1.1"))
    }

    @Test("A session can be named as a HAR, and a HAR as a session")
    func named() throws {
        #expect(fetches(try read(transaction(), name: "a", format: .har)).count == 1)
        #expect(fetches(try read(transaction(), name: "a", format: .charles)).count == 1)
    }

    @Test(
        "The URL is that of the request",
        arguments: [
            (#","actualPort":8443"#, "https://img.test:8443/1.png"), (#","actualPort":null"#, "https://img.test/1.png"),
            (#","scheme":"http","actualPort":80"#, "http://img.test/1.png"),
            (#","scheme":"HTTPS""#, "https://img.test/1.png"), (#","scheme":"http""#, "http://img.test:443/1.png"),
            (#","host":"2001:db8::1""#, "https://[2001:db8::1]/1.png"),
            (#","path":"1.png""#, "https://img.test/1.png"), (#","path":null"#, "https://img.test/"),
            (#","query":"""#, "https://img.test/1.png"), (#","actualPort":1e300"#, "https://img.test/1.png"),
            (
                #","request":{"header":{"headers":[{"name":":authority","value":"other.test"}]}}"#,
                "https://other.test/1.png"
            ),
        ])
    func urls(members: String, expected: String) throws {
        #expect(fetches(try read(transaction(members))) == ["\(expected) 200 900 timed"])
    }

    @Test(
        "What is left out, what failed and what is a part",
        arguments: [
            (#","method":"POST""#, "", [], "1 image entries with another method than GET skipped"),
            (#","method":"CONNECT","tunnel":true"#, "", [], "another method than GET"),
            (#","host":null"#, "", [], "1 image entries without a URL skipped"),
            (#","host":"""#, "", [], "1 image entries without a URL skipped"),
            (#","times":{"start":null}"#, "", [], "1 image entries without a valid startedDateTime skipped"),
            (#","times":{}"#, "", [], "1 image entries without a valid startedDateTime skipped"),
            (#","scheme":"file""#, "", [], "1 image entries with a local URL"),
            ("", #","mimeType":"text/html""#, [], ""),
            (#","status":"FAILED","response":null"#, #","status":null,"sizes":null"#, ["1.png 0 ? timed"], ""),
            ("", #","status":404"#, ["1.png 404 900 timed"], ""),
            ("", #","status":304,"sizes":{"body":0}"#, ["1.png 304 0 timed"], ""),
            ("", #","status":"x","sizes":{"body":-1}"#, ["1.png 0 ? timed"], ""),
            ("", #","sizes":{"body":null}"#, ["1.png 200 901 timed"], ""),
            ("", #","sizes":{"body":99999999999999999}"#, ["1.png 200 901 timed"], ""),
            (#","status":"FAILED""#, #","sizes":{"body":100}"#, ["1.png 200 100 timed"], ""),
            (#","durations":null"#, "", ["1.png 200 900"], ""),
            (#","durations":{"total":-1,"latency":"x"}"#, "", ["1.png 200 900"], ""),
        ])
    func variants(members: String, response: String, expected: [String], warning: String) throws {
        let reading = try read(transaction(#","path":"/0.png""#), transaction(members, response: response, 1))
        let lines = fetches(reading).map { $0.replacing("https://img.test/", with: "") }
        #expect(lines == ["0.png 200 900 timed"] + expected)
        #expect(warning.isEmpty || reading.warnings.contains { $0.contains(warning) }, "\(reading.warnings)")
    }

    @Test("A redirect and its image are one request")
    func redirects() throws {
        let location = #","status":302,"header":{"headers":[{"name":"location","value":"/2.png"}]}"#
        let reading = try read(
            transaction(response: location), transaction(#","path":"/2.png""#, 1))
        #expect(fetches(reading) == ["https://img.test/1.png 200 900 timed"])
        #expect(reading.facts.contains { $0.name == "redirects_followed" && $0.value == 1 })
    }

    @Test(
        "Other arrays, damaged sessions and sessions without images are errors",
        arguments: [
            ("[1,2]", "a.json", "the format is not recognised"), ("[1,2]", "a.chlsj", "found no JSON object"),
            ("[]", "a.chlsj", "found no JSON object"),
            (#"[{"scheme":"a","host":"b","path":"c","request":{}}]"#, "a", "no image entries among 1 entries"),
            (#"[{"scheme":"a","host":"b","path":"c","request":{}}"#, "a", "the file is incomplete"),
            (#"[{"scheme":"a","host":"b","path":"c","request":{}}] x"#, "a", "a:"),
        ])
    func errors(text: String, name: String, expected: String) throws {
        let input = TraceInput(bytes: Array(text.utf8), path: name)
        let error = #expect(throws: TraceError.self) { try TraceReading(input) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(expected), "\(error.map { "\($0)" } ?? "")")
    }
}
