import CacheTraces
import SessionModel
import Testing
import TraceAnalysis

@Suite("Access logs")
struct AccessLogTests {
    func read(_ text: String, _ format: TraceFormat? = nil) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "access.log"), format: format)
    }

    /// `time key status/bytes firstByte+transfer`, in milliseconds, of each fetch; each stands right behind its
    /// request.
    func story(_ trace: Trace) -> [String] {
        zip(trace.events, trace.events.dropFirst()).compactMap { request, event in
            guard case .fetch(let object, let fetch) = event.action, request.action == .appear(object, .full) else {
                return nil
            }
            func text(_ value: Int64?) -> String { value.map { "\(Double($0) / 1000)" } ?? "?" }
            let bytes = fetch.bytes.map(String.init) ?? "?"
            return "\(event.time / 1000) \(trace.objects[Int(object)].key) \(fetch.status)/\(bytes) "
                + "\(text(fetch.timeToFirstByte))+\(text(fetch.transferTime))"
        }
    }

    /// The format, lines of a log, and the story that they tell.
    static let stories: [(format: String, text: String, expected: [String])] = [
        (
            "common",
            """
            ::1 - - [10/Oct/2000:13:55:38 -0700] "GET /b.png HTTP/1.1" 404 12
            ::1 - - [10/Oct/2000:20:55:36 +0000] "GET /a.png HTTP/1.0" 200 2326
            ::1 - joe [10/Oct/2000:20:55:39 +0000] "HEAD /a.png HTTP/1.0" 200 -
            ::1 - joe [10/Oct/2000:20:55:40 +0000] "GET /a.png HTTP/1.0" 304 -
            """,
            ["0 /a.png 200/2326 ?+?", "2000 /b.png 404/12 ?+?", "4000 /a.png 304/0 ?+?"]
        ),
        (
            "common",
            """
            cdn.example:443 10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a \\"b\\".png?x=1 HTTP/1.1" 200 5 "-" \
            "Agent \\"7\\""
            cdn.example:443 10.0.0.1 - - [10/Oct/2000:13:55:37 -0700] "\\x16\\x03" 400 0 "-" "-"
            """,
            ["0 cdn.example:443/a \\\"b\\\".png?x=1 200/5 ?+?"]
        ),
        (
            "w3c",
            """
            #Software: Microsoft Internet Information Services 10.0
            #Fields: date time cs-method cs-uri-stem cs-uri-query sc-status sc-bytes time-taken
            2015-01-13 00:32:18 GET /a.png v=1 200 1405 500
            #Date: 2015-01-13 00:00:00
            #Fields: time cs-uri-stem cs-method sc-status
            00:32:19 /b.png GET 404
            """,
            ["0 /a.png?v=1 200/1405 500.0+?", "1500 /b.png 404/? ?+?"]
        ),
        (
            "w3c",
            """
            #Version: 1.0\n#Fields: date time cs-method cs(Host) cs-uri-stem sc-status sc-bytes time-taken \
            x-host-header time-to-first-byte\n
            """
                + "2018-11-07\t00:12:08\tGET\td.cloudfront.net\t/a.png\t200\t376\t0.394\timg.example\t0.300\n",
            ["0 img.example/a.png 200/376 300.0+94.0"]
        ),
        (
            "squid",
            """
            1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://e.x/a.png - DIRECT/1.2.3.4 image/png
            1286536308.910      0 192.168.0.224 TCP_DENIED/403 0 GET http://e.x/b.png - NONE/- -
            1286536309.910     37 192.168.0.224 TCP_MISS/200 39 CONNECT e.x:443 - DIRECT/1.2.3.4 -
            """,
            ["0 http://e.x/a.png 200/411 180.0+?", "311 http://e.x/b.png 403/0 0.0+?"]
        ),
        (
            "elb",
            """
            https 2020-01-01T00:00:01.500000Z app/my/1 1.2.3.4:1 10.0.0.1:80 0.001 0.099 0.400 200 200 225 24950 \
            "GET https://e.x:443/a.png HTTP/1.1" "Agent 1" - -
            2020-01-01T00:00:02.000000Z my 1.2.3.4:1 - -1 -1 -1 504 0 225 0 "GET http://e.x:80/b.png HTTP/1.1" \
            "Agent 1" - -
            """,
            ["0 https://e.x:443/a.png 200/24950 100.0+400.0", "1000 http://e.x:80/b.png 504/0 ?+?"]
        ),
        (
            "json-log",
            """
            {"time_iso8601":"2020-01-01T00:00:01+00:00","request":"GET /a.png \
            HTTP/1.1","status":"200","body_bytes_sent":"10","request_time":"0.250","host":"e.x"}
            {"level":"info","msg":"reloaded"}
            {"msec":"1577836802.000","request_method":"GET","request_uri":"/b.png","status":404,\
            "body_bytes_sent":3,"request_time":0.25,"host":"-"}
            """,
            ["0 e.x/a.png 200/10 250.0+?", "1000 /b.png 404/3 250.0+?"]
        ),
        (
            "json-log",
            """
            {"ts":1577836801.5,"logger":"http.log.access","request":{"method":"GET","host":"e.x",\
            "uri":"/a.png"},"duration":0.5,"size":10,"status":200,"resp_headers":{"Content-Type":["image/png"]}}
            {"StartUTC":"2020-01-01T00:00:03Z","RequestMethod":"GET","RequestHost":"e.x","RequestPath":"/b.png",\
            "DownstreamStatus":200,"DownstreamContentSize":7,"Duration":5000000,"time":"2020-01-01T00:00:09Z"}
            """,
            ["0 e.x/a.png 200/10 500.0+?", "2000 e.x/b.png 200/7 5.0+?"]
        ),
        (
            "json-log",
            """
            {"@timestamp":"2020-01-01T00:00:01Z","vhost":"e.x","method":"GET","uri":"/a.png","args":"w=9",\
            "status":"200","size":"10","reqtime":"0.250","upstream_header_time":"0.100"}
            {"time":"01/Jan/2020:00:00:02 +0000","remote_ip":"1.2.3.4","request":"GET /b.png \
            HTTP/1.1","response":404,"bytes":3,"upstream_header_time":"-"}
            {"msec":"1577836803.250","time_iso8601":"2020-01-01T00:00:03Z","request":"GET /c.png HTTP/1.1", \
            "uri":"/i.php","status":"200","bytes_sent":"","request_time":"0.5","upstream_header_time":"0.1, 0.2"}
            """,
            ["0 e.x/a.png?w=9 200/10 100.0+150.0", "1250 /b.png 404/3 ?+?", "2000 /c.png 200/? 500.0+?"]
        ),
        (
            "wikimedia",
            """
            sq18.wikimedia.org 1715898 2010-12-01T21:57:22.331 31 1.2.3.4 TCP_MEM_HIT/200 13208 GET \
            http://e.x/a.png NONE/- image/png - - Mozilla/4.0%20(compatible)
            cp1 7 1291240642.500 0.100 1.2.3.4 miss/304 - GET http://e.x/b.png - - - - Agent en -
            cp1\t8\t2010-12-01T21:57:23\t-\t1.2.3.4\thit/200\t5\tPOST\thttp://e.x/c\t-\t-\t-\t-\tA B\t-\t-
            """,
            ["0 http://e.x/a.png 200/13208 31.0+?", "100 http://e.x/b.png 304/0 100.0+?"]
        ),
        (
            "s3",
            """
            79a5 pics [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E57 REST.GET.OBJECT a/1.png \
            "GET /pics/a/1.png HTTP/1.1" 206 - 100 2326 70 10 "-" "S3 \"X\"" - s9lz= SigV4 ECDHE AuthHeader e.x \
            TLSV1.2
            79a5 pics [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a5 3E58 REST.GET.VERSIONING - \
            "GET /pics?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" -
            79a5 pics [06/Feb/2019:00:00:39 +0000] 192.0.2.3 - 3E59 WEBSITE.GET.OBJECT b.png \
            "GET /b.png HTTP/1.1" 404 NoSuchKey 243 - 12 - "-" "A" -
            """,
            ["0 pics/a/1.png 206/100 10.0+60.0", "1000 pics/b.png 404/243 12.0+?"]
        ),
        (
            "haproxy",
            """
            Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in \
            static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /a.png HTTP/1.1"
            10.0.1.2:33318 [06/Feb/2009:12:14:15.655] http-in~ static/<NOSRV> -1/-1/-1/-1/+50 -1 +0 - - CR-- \
            1/1/0/0/0 0/0 "GET /b.png HTTP/1.1"
            10.0.1.2:33318 [06/Feb/2009:12:14:16.655] http-in http-in/<NOSRV> -1/-1/-1/-1/1 400 187 - - PR-- \
            1/1/0/0/0 0/0 "<BADREQ>"
            """,
            ["0 /a.png 200/2750 109.0+0.0", "1000 /b.png 0/0 ?+?"]
        ),
    ]

    @Test("Each dialect is recognised and tells the same story", arguments: stories)
    func dialects(format: String, text: String, expected: [String]) throws {
        let reading = try read(text)
        #expect(reading.format.name == format)
        #expect(story(reading.trace) == expected)
        #expect(!reading.warnings.contains { $0.contains("cannot be read") })
    }

    static let line = "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a.png HTTP/1.1\" 200 5\n"

    @Test("Bad lines are skipped, counted and shown")
    func badLines() throws {
        let reading = try read(
            Self.line + "what\n" + Self.line + "1.1.1.1 - - [soon] \"GET / HTTP/1.1\" 200 5\n" + Self.line)
        #expect(TraceSummary(reading.trace).requests == 3)
        #expect(
            reading.warnings == [
                "2 lines cannot be read and are skipped; line 2: expected a date in brackets, found 'what'; "
                    + "line 4: expected a date as 10/Oct/2000:13:55:36 -0700, found 'soon'"
            ])
    }

    @Test("Where more than half of the lines are bad, the first is the error")
    func mostlyBad() {
        let error = #expect(throws: TraceError.self) { try read(Self.line + "what\nis this\n") }
        #expect(error?.place == .line(2))
        #expect(
            error?.message == "expected a date in brackets, found 'what' (2 of 3 lines cannot be read as this format)")
    }

    @Test(
        "The limit of bad lines is a number or a share",
        arguments: [
            (AccessLog.BadLineLimit.count(1), false), (.count(2), true), (.share(0.3), false), (.share(0.5), true),
            (.share(0), false),
        ])
    func badLineLimit(limit: AccessLog.BadLineLimit, isRead: Bool) throws {
        let text = Self.line + "what\n" + Self.line + "is this\n"
        let options = ReadingOptions(badLines: limit)
        guard isRead else {
            let error = #expect(throws: TraceError.self) {
                try TraceReading(TraceInput(bytes: Array(text.utf8), path: "a.log"), options: options)
            }
            #expect(error?.message.hasSuffix("(2 of 4 lines cannot be read as this format)") == true)
            return
        }
        let reading = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "a.log"), options: options)
        #expect(reading.facts.first { $0.name == "bad_lines" }?.value == 2)
    }

    @Test("Options for logs require a log")
    func recordingOptions() {
        let error = #expect(throws: TraceError.self) {
            try TraceReading(
                TraceInput(bytes: Array("1\n2\n".utf8), path: "a"), format: .lirs,
                options: ReadingOptions(content: .images))
        }
        #expect(
            error?.message
                == """
                options for access logs require one of common, w3c, squid, wikimedia, elb, s3, haproxy, envoy, \
                json-log; the file is read as lirs
                """
        )
    }

    @Test("WikiBench's extract has requests alone; changes of the database are not requests")
    func wikiBench() throws {
        let reading = try read(
            """
            929840853 1190146243.326 http://en.wikipedia.org/wiki/Main_Page -
            929840854 1190146243.500 http://en.wikipedia.org/w/index.php?action=submit save
            929840855 1190146244.326 http://upload.wikimedia.org/a.png -
            """)
        #expect(reading.format.name == "wikimedia")
        #expect(
            reading.trace.events.map { "\($0.time) \(reading.trace.objects[Int($0.action.object!)].key)" } == [
                "0 http://en.wikipedia.org/wiki/Main_Page", "1000000 http://upload.wikimedia.org/a.png",
            ])
    }

    @Test("The size of an object in S3 is that of the object, also if only a part of it was sent")
    func partsOfObjects() throws {
        let reading = try read(
            """
            o pics [06/Feb/2019:00:00:38 +0000] 1.2.3.4 r i REST.GET.OBJECT a.png "GET /a.png HTTP/1.1" 206 - 100 2326 \
            70 10 "-" "A" -
            o pics [06/Feb/2019:00:00:38 +0000] 1.2.3.4 r i REST.GET.OBJECT b.png "GET /b.png HTTP/1.1" 304 - - 77 70 \
            10 "-" "A" -
            o pics [06/Feb/2019:00:00:38 +0000] 1.2.3.4 r i REST.GET.OBJECT c.png "GET /c.png HTTP/1.1" 404 E 9 5 70 \
            10 "-" "A" -
            """)
        #expect(reading.trace.objects.map(\.bytes) == [2326, 77, nil])
    }

    @Test("The first complete answer gives an object its size")
    func sizes() throws {
        let text = [("206", 3), ("304", 0), ("200", 9), ("200", 8), ("404", 1)].map { status, bytes in
            "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a.png HTTP/1.1\" \(status) \(bytes)\n"
        }.joined()
        let reading = try read(text)
        #expect(reading.trace.objects == [TraceObject(key: "/a.png", bytes: 9)])
        #expect(reading.warnings == ["1 URLs came with different sizes; the first is kept for each"])
    }

    @Test("Options choose images and mark thumbnails")
    func options() throws {
        let text = ["/a.PNG?w=100", "/thumb/b.jpg", "/index.html"].map {
            "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET \($0) HTTP/1.1\" 200 5\n"
        }.joined()
        let reading = try read(text, .accessLog(.common, .init(content: .images, thumbnails: "/thumb/")))
        #expect(
            reading.trace.events.map(\.action).filter { $0.name == "appear" } == [
                .appear(0, .full), .appear(1, .thumbnail),
            ])
        #expect(reading.trace.objects.map(\.key) == ["/a.PNG?w=100", "/thumb/b.jpg"])
        let error = #expect(throws: TraceError.self) {
            try read(
                "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 5\n",
                .accessLog(.common, .init(content: .images)))
        }
        #expect(
            error?.message == "none of the 1 requests is of an image; use --content all, or name the paths with --match"
        )
    }

    @Test(
        "Absurd values are bad lines",
        arguments: [
            (
                AccessLog.Dialect.common,
                "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 99999999999999999999",
                "expected the bytes"
            ),
            (.common, "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 2000 9", "expected a status"),
            (.common, "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\\", "expected a request in quotes"),
            (.common, "1.1.1.1 - - [10/Oct/1900:13:55:36 -0700] \"GET / HTTP/1.1\" 200 9", "not between 1970 and 2255"),
            (.squid, "1e300.0 1 1.1.1.1 A/200 1 GET u - - -", "expected a time"),
            (.squid, "1.5 nan 1.1.1.1 A/200 1 GET u - - -", "expected a time"),
            (.squid, "1.5 1 1.1.1.1 A/200", "expected the bytes"),
            (
                .elb, "http 2020-01-01T00:00:01Z a b c inf 0 0 200 200 1 1 \"GET u HTTP/1.1\"",
                "expected a processing time"
            ),
            (.elb, "http 2020", "expected the fields"),
            (.w3c, "2020-01-01 00:00:00 GET /", "before the first record"),
            (
                .w3c, "#Fields: date time cs-method cs-uri-stem sc-bytes\n2020-01-01 00:00:00 GET / -5",
                "expected the bytes"
            ),
            (.w3c, "#Fields: time cs-method cs-uri-stem\n00:00:00 GET /", "expected a date and a time"),
            (.wikimedia, "h 1 2010-12-01T21:57:22.331 0 1.2.3.4 TCP/2000 1 GET u - -", "expected a result"),
            (.wikimedia, "h 1 2010-12-01T21:57:22.331 0 1.2.3.4 TCP/200 x GET u - -", "expected the bytes"),
            (.wikimedia, "h 1 never 0 1.2.3.4 TCP/200 1 GET u - -", "expected a sequence number, a time"),
            (.wikimedia, "1 2 u: -", "expected a counter, a time"),
            (
                .s3, "o b [06/Feb/2019:00:00:38 +0000] 1 r i REST.GET.OBJECT k \"GET / HTTP/1.1\" 200",
                "expected at least 12"
            ),
            (
                .s3, "o b [06/Feb/2019:00:00:38 +0000] 1 r i REST.GET.OBJECT k \"GET /\" 200 - 1 -5 1 1",
                "expected the size of the object"
            ),
            (.s3, "o b c [06/Feb/2019:00:00:38 +0000] 1", "expected owner and bucket"),
            (.haproxy, "1:1 [06/Feb/2009:12:14:14.655] f b/s 1/2/3/4 200 1 - - -- 1/1 0/0 \"GET / X\"", "five timers"),
            (.haproxy, "1:1 [06/Feb/2009:12:14:14.655] f b/s nan/2/3/4/5 200 1 - - -- \"GET / X\"", "five timers"),
            (.haproxy, "1:1 [06/Feb/2009:12:14:14.655] f b/s 1/2/3/4/5 200 1 - - -- 1/1 0/0", "option httplog"),
            (.json, "{\"status\":200,\"uri\":\"/\",\"ts\":1e300}", "expected a time"),
            (.json, "{\"status\":200,\"uri\":\"/\",\"ts\":1,\"size\":-1}", "expected the bytes"),
            (.json, "{\"status\":200", "column 14: expected ',' or '}', found the end"),
        ])
    func absurd(dialect: AccessLog.Dialect, text: String, expected: String) {
        let error = #expect(throws: TraceError.self) { try read(text, .accessLog(dialect)) }
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test("Lines of each dialect, cut anywhere or with any byte changed, never crash", arguments: stories)
    func damaged(name: String, text: String, expected: [String]) throws {
        let (bytes, format) = (Array(text.utf8), try TraceFormat.named(name))
        let values: [UInt8] = [0, 0x09, 0x20, 0x22, 0x39, 0x5C, 0xFF]
        for place in bytes.indices {
            _ = try? Trace(TraceInput(bytes: bytes.prefix(place), path: "a"), format: format)
            var changed = bytes
            changed[place] = values[place % values.count]
            _ = try? Trace(TraceInput(bytes: changed, path: "a"), format: format)
        }
    }
}
