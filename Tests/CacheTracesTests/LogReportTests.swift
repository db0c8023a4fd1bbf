import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

/// What people reported of access logs, in public, and what is right.
@Suite("Access logs: what servers and collectors write")
struct LogReportTests {
    private func read(_ text: String) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "access.log"))
    }

    /// The error of a log.
    private func refusal(_ text: String) -> String {
        do { return "read as \(try read(text).format.name)" } catch { return "\(error)" }
    }

    /// `time key status/bytes firstByte` of each fetch, in milliseconds.
    private func story(_ trace: Trace) -> [String] {
        trace.events.compactMap { event in
            guard case .fetch(let object, let fetch) = event.action else { return nil }
            let first = fetch.timeToFirstByte.map { "\(Double($0) / 1000)" } ?? "?"
            let bytes = fetch.bytes.map(String.init) ?? "?"
            return "\(event.time / 1000) \(trace.objects[Int(object)].key) \(fetch.status)/\(bytes) \(first)"
        }
    }

    private func sizes(_ trace: Trace) -> [String: Int?] {
        Dictionary(uniqueKeysWithValues: trace.objects.map { ($0.key, $0.bytes) })
    }

    /// The part of a line from the client on.
    private static let rest = #"- - [30/Nov/2022:23:59:58 +0000] "GET /p.jpg HTTP/1.1" 200 571 "-" "UA""#

    @Test(
        "A list of clients is no host",
        arguments: [
            "10.0.0.2, 10.0.0.1, 127.0.0.1", #""203.0.113.7, 198.51.100.1" 10.2.1.185"#, "203.0.113.7,198.51.100.1",
            "2001:db8::1, 10.0.0.1", "2001:db8::1 10.0.0.1", "unknown, 192.0.2.1", "203.0.113.7:51234 10.0.0.1",
            "- 192.0.2.1", "192.0.2.1 192.0.2.2", #""-" 192.0.2.1"#, "fe80::1%eth0, 192.0.2.1", "fe80:: 192.0.2.1",
        ])
    func clients(words: String) throws {
        #expect(story(try read("\(words) \(Self.rest)\n").trace) == ["0 /p.jpg 200/571 ?"])
    }

    @Test(
        "A name or an address with a port before an address is a host",
        arguments: [
            "img.example", "img.example:443", "localhost", "192.0.2.9:80", "a_b.example", "bücher.example",
        ])
    func hosts(host: String) throws {
        #expect(story(try read("\(host) 192.0.2.1 \(Self.rest)\n").trace) == ["0 \(host)/p.jpg 200/571 ?"])
    }

    @Test(
        "Envelopes are removed",
        arguments: [
            "Nov 30 23:59:58 web1 nginx: ", "Dec  1 00:00:01 web1 nginx[7]: ", "<134>Nov 30 23:59:58 web1 nginx: ",
            "<190>Nov 30 23:59:58 nginx: ", "Nov 30 23:59:58 web1 ", "Nov 30 23:59:58 ", "<13>",
            "<134>1 2022-11-30T23:59:58.003Z web1 nginx 77 ID1 - ",
            #"<134>1 2022-11-30T23:59:58.003Z web1 nginx - - [a@1 b="c \"]\" d"][e@1] "#,
            "<134>1 2022-11-30T23:59:58.003Z web1 nginx - - - \u{FEFF}", "2022-11-30T23:59:58Z ",
            "2022-11-30T23:59:58.123456789Z ", "2022-11-30T23:59:58.123+01:00 web1 nginx[12]: ",
            "2022-11-30T23:59:58.123456789Z stdout F ", "2022-11-30T23:59:58.12+00:00 stderr F ", "web-1  | ",
            "web_1 | ", "\u{1B}[36mweb-1  |\u{1B}[0m ", "web-1  | 2022-11-30T23:59:58.123Z ", "apache[4711]: ",
            "httpd: ", "2022-11-30T23:59:58Z stdout F Nov 30 23:59:58 web1 nginx: ",
            "2022-11-30T23:59:58.123000+00:00 ecs/web/0a1b ",
        ])
    func envelopes(envelope: String) throws {
        for (client, key) in [("192.0.2.1", ""), ("2001:db8::1", ""), ("img.example:80 192.0.2.1", "img.example:80")] {
            // Without a program, the word behind the time is the machine or the stream.
            if !key.isEmpty, ["Nov 30 23:59:58 ", "2022-11-30T23:59:58.123000+00:00 ecs/web/0a1b "].contains(envelope) {
                continue
            }
            let trace = try read("\(envelope)\(client) \(Self.rest)\n\(envelope)\(client) \(Self.rest)\n").trace
            #expect(story(trace) == ["0 \(key)/p.jpg 200/571 ?", "0 \(key)/p.jpg 200/571 ?"], "\(client)")
        }
    }

    @Test("Docker's JSON is removed, also around JSON and behind other envelopes")
    func docker() throws {
        func wrapped(_ text: String) -> String {
            let inner = text.replacing("\"", with: "\\\"")
            return #"{"log":"\#(inner)\n","stream":"stdout","time":"2022-11-30T23:59:59.1Z"}"#
        }
        let json = #"{"ts":1669852798.5,"request":{"method":"GET","host":"e.x","uri":"/a"},"status":200,"size":5}"#
        #expect(story(try read(wrapped("192.0.2.1 " + Self.rest) + "\n").trace) == ["0 /p.jpg 200/571 ?"])
        #expect(story(try read("web-1 | \(wrapped(json))\n").trace) == ["0 e.x/a 200/5 ?"])
        #expect(story(try read(wrapped(wrapped(json).replacing("\\", with: "\\\\")) + "\n").trace).count == 1)
    }

    @Test("Envelopes are removed for every dialect", arguments: ["Nov 30 23:59:58 h p[1]: ", "<9>", "a-1 | "])
    func dialects(envelope: String) throws {
        let lines = [
            ("squid", "1286536308.779 180 192.0.2.1 TCP_MISS/200 411 GET http://e.x/a - DIRECT/1.2.3.4 image/png"),
            ("haproxy", #"::1:1 [06/Feb/2009:12:14:14.655] f b/s 1/2/3/4/10 200 9 - - ---- 1/1 0/0 "GET /a X""#),
            ("json-log", #"{"ts":1669852798.5,"method":"GET","host":"e.x","uri":"/a","status":200,"size":5}"#),
            ("envoy", #"[2020-11-26T14:25:49.160Z] "GET /a X" 200 - 0 9 38 37 "-" "-" "-" "e.x" "10.0.0.1:80""#),
            ("elb", #"2022-11-30T23:59:58Z lb 1.2.3.4:1 - 0.1 0.1 0.1 200 200 0 5 "GET http://e.x/a X" "-" - -"#),
            ("s3", #"o pics [06/Feb/2019:00:00:38 +0000] ::1 o 3E REST.GET.OBJECT a "GET /a X" 200 - 5 5 7 1 "-""#),
        ]
        for (name, line) in lines {
            let reading = try read("\(envelope)\(line)\n")
            #expect(reading.format.name == name)
            #expect(story(reading.trace).count == 1, "\(name)")
        }
    }

    @Test("A log in which nearly every record has another host is refused")
    func otherHosts() throws {
        func log(_ count: Int, _ host: (Int) -> String) -> String {
            (0..<count).map { "\(host($0)) 192.0.2.1 \(Self.rest)\n" }.joined()
        }
        #expect(refusal(log(20) { "r\($0)" }).contains("20 of 20 records have different hosts, such as 'r0'"))
        #expect(refusal(log(20) { "r\($0 % 10)" }) == "read as common")
    }

    @Test(
        "ISO 8601 dates, and addresses in brackets, are read",
        arguments: [
            #"192.0.2.1 - - [2022-11-30T23:59:58+00:00] "GET /p.jpg HTTP/1.1" 200 571"#,
            #"192.0.2.1 - - [2022-11-30T23:59:58.123Z] "GET /p.jpg HTTP/1.1" 200 571 "-" "UA""#,
            #"192.0.2.1 - [192.0.2.1] - - [30/Nov/2022:23:59:58 +0000] "GET /p.jpg HTTP/1.1" 200 571 "-" "UA" 72 0.1"#,
            #"192.0.2.1 - [192.0.2.1, 10.0.0.1] - u [30/Nov/2022:23:59:58 +0000] "GET /p.jpg HTTP/2.0" 200 571 "-""#,
        ])
    func dates(line: String) throws {
        let reading = try read(line + "\n")
        #expect(reading.format.name == "common")
        #expect(story(reading.trace) == ["0 /p.jpg 200/571 ?"])
    }

    @Test(
        "A part of a body is no size; the fetch has the bytes that were sent",
        arguments: [
            "1286536308.779 180 ::1 TCP_MISS_ABORTED/200 9 GET http://e.x/a - DIRECT/1.2.3.4 image/png",
            "1286536308.779 180 ::1 TCP_MISS_TIMEDOUT/200 9 GET http://e.x/a - DIRECT/1.2.3.4 image/png",
            #"::1:1 [06/Feb/2009:12:14:14.655] f b/s 1/2/3/4/10 200 9 - - CD-- 1/1 0/0 "GET /a X""#,
            #"::1:1 [06/Feb/2009:12:14:14.655] f b/s 1/2/3/4/10 200 9 - - sD-- 1/1 0/0 "GET /a X""#,
            #"::1 - - [30/Nov/2022:23:59:58 +0000] "GET /a HTTP/1.1" 499 9"#,
            #"::1 - - [30/Nov/2022:23:59:58 +0000] "GET /a HTTP/1.1" 206 9"#,
            #"[2020-11-26T14:25:49.160Z] "GET /a X" 200 DC 0 9 38 37 "-" "-" "-" "e.x" "10.0.0.1:80""#,
            #"{"ts":1,"method":"GET","uri":"/a","status":200,"bytes_sent":9,"response_flags":"DC"}"#,
        ])
    func parts(line: String) throws {
        let trace = try read(line + "\n").trace
        #expect(sizes(trace).values.allSatisfy { $0 == nil })
        #expect(story(trace).first?.contains("/9 ") == true)
        let whole = ["_ABORTED", "_TIMEDOUT"].reduce(line) { $0.replacing($1, with: "") }
            .replacing("CD--", with: "----").replacing("sD--", with: "----").replacing(" DC ", with: " - ")
            .replacing("\"DC\"", with: "\"-\"").replacing(" 499 ", with: " 200 ").replacing(" 206 ", with: " 200 ")
        #expect(sizes(try read(whole + "\n").trace).values.allSatisfy { $0 == 9 })
    }

    /// Members of a record beside its duration.
    private static let envoy = #""path":"/a","method":"GET","response_code":200,"start_time":"2024-05-13T22:03:44Z""#
    private static let caddy = #""ts":1700000000,"request":{"method":"GET","host":"e.x","uri":"/a"},"status":200"#
    private static let other = #""time":"2024-05-13T22:03:44Z","method":"GET","uri":"/a","status":200"#

    @Test(
        "The unit of a duration is that of its name, of its text, or plausible",
        arguments: [
            (envoy, #""duration":11"#, 11.0), (envoy, #""duration":"11""#, 11), (envoy, #""duration":11.0"#, 11),
            (envoy, #""duration":"1.5ms""#, 1.5), (caddy, #""duration":0.0123"#, 12.3),
            (caddy, #""duration":"1.2ms""#, 1.2), (caddy, #""duration":"3µs""#, 0.003),
            (caddy, #""duration":"1m2.5s""#, 62_500), (caddy, #""duration":1"#, 1), (caddy, #""duration":25"#, 25),
            (caddy, #""duration":2500000"#, 2.5), (other, #""duration":"0.5s""#, 500),
            (other, #""duration":0.25"#, 250),
            (other, #""duration":250"#, 250), (other, #""duration":"12.0""#, 12), (other, #""latency":"0.012s""#, 12),
            (other, #""latency":1234567,"latency_human":"1.234567ms""#, 1.234), (other, #""time_elapsed":1500"#, 1.5),
        ])
    func durations(members: String, duration: String, expected: Double) throws {
        let trace = try read("{\(members),\(duration)}\n").trace
        guard case .fetch(_, let fetch)? = trace.events.last?.action else {
            Issue.record("no fetch")
            return
        }
        #expect(fetch.timeToFirstByte.map { abs(Double($0) - expected * 1000) <= 1 } == true, "\(fetch)")
    }

    @Test("Decimals are milliseconds if requests would otherwise begin long before their neighbours")
    func overlap() throws {
        let lines = (0..<20).map {
            let end = "2024-05-13T22:03:\(10 + $0)Z"
            let duration = $0.isMultiple(of: 2) ? "30.5" : "3.25"
            return #"{"time":"\#(end)","method":"GET","uri":"/\#($0)","status":200,"duration":\#(duration)}"#
        }
        let trace = try read(lines.joined(separator: "\n")).trace
        #expect(story(trace).prefix(2) == ["0 /0 200/? 30.5", "1027 /1 200/? 3.25"])
    }

    /// The format, lines of a log, and the story that they tell.
    static let stories: [(format: String, text: String, expected: [String])] = [
        (
            "envoy",
            """
            [2016-04-15T20:17:00.310Z] "GET /a.png HTTP/2" 200 - 154 777 226 100 "10.0.35.28" "nsq2http" "cc21d9b0" \
            "locations" "tcp://10.0.2.1:80"
            [2016-04-15T20:17:01.310Z] "POST /api HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b1" \
            "locations" "tcp://10.0.2.1:80"
            [2016-04-15T20:17:02.310Z] "GET /b.png HTTP/1.1" 503 UF 0 91 2 - "-" "UA" "cc21d9b2" "e.x" "-"
            """,
            ["0 locations/a.png 200/777 100.0", "2000 e.x/b.png 503/91 2.0"]
        ),
        (
            "envoy",
            """
            [2020-11-25T21:26:18.409Z] "GET /status/418 HTTP/1.1" 418 - via_upstream - "-" 0 135 3 1 "-" "curl/7.73" \
            "84961386" "httpbin:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 10.44.1.23:37652 - \
            default
            """,
            ["0 httpbin:8000/status/418 418/135 1.0"]
        ),
        (
            "json-log",
            """
            {"ClientRequestHost":"e.x","ClientRequestMethod":"GET","ClientRequestURI":"/a?w=9","EdgeEndTimestamp":\
            "2024-05-13T22:03:44.250Z","EdgeResponseBytes":12,"EdgeResponseStatus":200,"EdgeStartTimestamp":\
            "2024-05-13T22:03:44Z","EdgeResponseContentType":"image/png"}
            """,
            ["0 e.x/a?w=9 200/12 250.0"]
        ),
        (
            "json-log",
            """
            {"ClientRequestHost":"e.x","ClientRequestMethod":"GET","ClientRequestURI":"/a","EdgeStartTimestamp":\
            1712790000,"EdgeResponseBytes":12,"EdgeResponseStatus":200,"EdgeTimeToFirstByteMs":31}
            """,
            ["0 e.x/a 200/12 31.0"]
        ),
        (
            "json-log",
            """
            <134>2018-07-13T18:43:43Z cache-fra1 images[5]: {"timestamp":"2018-07-13T18:43:43+0000","host":"e.x",\
            "url":"/a","request_method":"GET","response_status":200,"response_body_size":5,"time_elapsed":1500}
            """,
            ["0 e.x/a 200/5 1.5"]
        ),
        (
            "json-log",
            """
            {"httpRequest":{"requestMethod":"GET","requestUrl":"http://e.x/a","status":200,"responseSize":"900",\
            "latency":"0.0105s"},"jsonPayload":{"statusDetails":"response_sent_by_backend"},\
            "timestamp":"2024-01-02T03:04:05.5Z"}
            """,
            ["0 http://e.x/a 200/900 10.5"]
        ),
        (
            "json-log",
            """
            {"reqTimeSec":"1573840000.500","reqMethod":"GET","reqHost":"e.x","reqPath":"b/1.jpg","queryStr":"w=9",\
            "statusCode":"206","bytes":"4995","objSize":"9990","transferTimeMSec":"125","turnAroundTimeMSec":"11",\
            "rspContentType":"image/jpeg","proto":"HTTPS","errorCode":"-"}
            """,
            ["0 e.x/b/1.jpg?w=9 206/4995 11.0"]
        ),
    ]

    @Test("Formats of proxies and networks", arguments: stories)
    func formats(format: String, text: String, expected: [String]) throws {
        let reading = try read(text + "\n")
        #expect(reading.format.name == format)
        #expect(story(reading.trace) == expected)
    }

    @Test(
        "A record behind many messages is found, up to 500 lines", arguments: [(30, true), (499, true), (501, false)])
    func messages(count: Int, isFound: Bool) {
        let start = String(repeating: "{\"level\":\"info\",\"ts\":1761019822.3,\"msg\":\"start\"}\n", count: count)
        let error = refusal(start + "{\(Self.caddy),\"size\":5}\n")
        #expect((error == "read as json-log") == isFound, "\(error)")
        let plain = String(repeating: "nginx is starting\n", count: count)
        #expect((refusal("\(plain)192.0.2.1 \(Self.rest)\n").contains("recognised")) != isFound)
    }

    @Test("The error of JSON lines names the members, and that of CloudFront the missing line")
    func errors() {
        let error = refusal("{\"when\":1,\"what\":{\"verb\":\"GET\"}}\n")
        for words in ["a status as one of the members status, DownstreamStatus", "found when, what.verb"] {
            #expect(error.contains(words), "\(error)")
        }
        let row = "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.1\tGET\td.cloudfront.net\t/a.png\t200\t-\tUA\n"
        #expect(refusal(row).contains("the line '#Fields: …' that names their columns is missing"), "\(refusal(row))")
    }

    // MARK: - The inputs of the reports

    private struct Expectation: Decodable {
        var requests: Int?
        var objects: [String: Int]?
        var order: [String]?
        var ttfb_us: [Int64]?
        var times_ms: [Int64]?
    }

    @Test(
        "The inputs of the reports are read", .enabled(if: SharedData.isPresent),
        arguments: [
            "40-log-forwarded-for-list", "41-log-syslog-prefix", "48-json-istio-duration-ms", "50-squid-aborted",
            "52-json-caddy-many-start-lines", "54-cloudflare-logpush", "55-fastly-json", "57-gcp-load-balancer-json",
        ])
    func reports(folder: String) throws {
        let path = SharedData.path("public-reports/formats/\(folder)")
        let expected = try JSONDecoder().decode(
            Expectation.self, from: Data(contentsOf: URL(fileURLWithPath: path + "/expect.json")))
        let trace = try Trace(contentsOf: path + "/input.log")
        let requests = trace.events.compactMap { event -> (time: Int64, key: String)? in
            guard case .appear(let object, _) = event.action else { return nil }
            return (event.time / 1000, trace.objects[Int(object)].key)
        }
        let firsts = trace.events.compactMap { event -> Int64? in
            guard case .fetch(_, let fetch) = event.action else { return nil }
            return fetch.timeToFirstByte
        }
        if let count = expected.requests { #expect(requests.count == count) }
        for (key, bytes) in expected.objects ?? [:] { #expect(sizes(trace)[key] == bytes, "\(sizes(trace))") }
        if let order = expected.order { #expect(requests.map(\.key) == order.map { "img.example" + $0 }) }
        if let times = expected.times_ms { #expect(requests.map(\.time) == times) }
        if let durations = expected.ttfb_us { #expect(firsts == durations) }
    }

    @Test(
        "The other inputs of the reports are read", .enabled(if: SharedData.isPresent),
        arguments: [
            (
                "40-log-forwarded-for-list/beats",
                ["0 /assets/xxxx?q=100 200/25507 ?", "27636398000 /ocelot 200/571 ?", "27636398000 /ocelot 200/571 ?"]
            ),
            (
                "48-json-istio-duration-ms/bare",
                ["0 img.example/photos/1.jpg 200/121258 11.0", "750 img.example/photos/2.jpg 200/121258 250.0"]
            ),
            (
                "48-json-istio-duration-ms/collected",
                ["0 img.example/photos/1.jpg 200/121258 11.0", "750 img.example/photos/2.jpg 200/121258 250.0"]
            ),
            (
                "48-json-istio-duration-ms/decimals",
                ["0 /photos/1.jpg 200/121258 11.0", "1000 /photos/2.jpg 200/121258 11.0"]
            ),
            (
                "48-json-istio-duration-ms/plain",
                ["0 img.example/photos/1.jpg 200/9758 37.0", "1000 img.example/photos/1.jpg 200/9758 37.0"]
            ),
            ("55-fastly-json/syslog", ["0 img.example/photos/1.jpg 200/571 ?"]),
        ])
    func others(name: String, expected: [String]) throws {
        let trace = try Trace(contentsOf: SharedData.path("public-reports/formats/\(name).log"))
        #expect(Array(story(trace).prefix(expected.count)) == expected)
    }
}
