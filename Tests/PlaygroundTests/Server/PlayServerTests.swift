import Foundation
import Testing

@testable import Playground

@Suite("The server of the playground answers its own page alone") struct PlayServerTests {
    @Test("The page and its files have their types, are not stored, and load nothing from elsewhere")
    func files() throws {
        try withPlay { server in
            #expect(server.address == "http://127.0.0.1:\(server.port)/\(server.secret)/")
            #expect(server.secret.count == 16)
            let types = [
                "": "text/html", "play.css": "text/css", "style.css": "text/css", "play.js": "text/javascript",
                "base.js": "text/javascript", "plots.js": "text/javascript", "film.js": "text/javascript",
                "start": "application/json",
            ]
            for (path, type) in types {
                let response = try server.ask(.get(path))
                #expect(response.status == 200, "\(path)")
                #expect(response.head.contains("content-type: \(type)"), "\(path)\n\(response.head)")
                #expect(response.head.contains("cache-control: no-store"), "\(path)")
                #expect(response.head.contains("x-content-type-options: nosniff"), "\(path)")
                let policy = PlayClient.field("content-security-policy", in: response.head) ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"), "\(policy)")
                #expect(policy.contains("frame-ancestors 'none'"), "\(policy)")
            }
            let start = try server.ask(.get("start"))
            #expect(start.body == AnsweringDouble.startText)
        }
    }

    @Test("A question is handed over as it is, and each path has its request")
    func questions() throws {
        try withPlay(answer: { request, question, _ in
            "{\"request\":\"\(request.rawValue)\",\"question\":\(question)}"
        }) { server in
            for request in PlayRequest.allCases {
                let response = try server.ask(PlayAsk(request.rawValue, body: "[1]"))
                #expect(response.status == 200)
                #expect(response.body == "{\"request\":\"\(request.rawValue)\",\"question\":[1]}")
            }
        }
    }

    @Test("Without the secret there is nothing, and the response says where the page is")
    func secret() throws {
        try withPlay { server in
            for secret in ["", "wrong", String(server.secret.dropLast()), server.secret + "x", "start"] {
                var page = PlayAsk.get("")
                page.secret = secret
                var ask = PlayAsk()
                ask.secret = secret
                for request in [page, ask] {
                    let response = try server.ask(request)
                    #expect(response.status == 404)
                    #expect(response.error.contains("open the address that the command prints"), "\(response.body)")
                    #expect(!response.body.contains(server.secret))
                }
            }
            for path in ["nothing", "../start", "figures/", "index.html", "%73tart"] {
                let response = try server.ask(.get(path))
                #expect(response.status == 404, "\(path)")
            }
        }
    }

    @Test("A POST needs the page's own Origin or Sec-Fetch-Site, and JSON")
    func origin() throws {
        try withPlay { server in
            let origins = [
                "http://evil.example", "http://127.0.0.1:1", "null", "http://localhost:\(server.port)", "evil",
            ]
            for origin in origins {
                let response = try server.ask(PlayAsk().with("Origin", origin))
                #expect(response.status == 403, "\(origin)")
            }
            let without = try server.ask(PlayAsk().with("Origin", ""))
            #expect(without.status == 403)
            let fetched = try server.ask(PlayAsk().with("Origin", "").with("Sec-Fetch-Site", "same-origin"))
            #expect(fetched.status == 200)
            for site in ["cross-site", "same-site", "none"] {
                let response = try server.ask(PlayAsk().with("Sec-Fetch-Site", site))
                #expect(response.status == 403, "\(site)")
            }
            let start = try server.ask(.get("start").with("Sec-Fetch-Site", "cross-site"))
            #expect(start.status == 403)
            for type in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
                let response = try server.ask(PlayAsk().with("Content-Type", type))
                #expect(response.status == 415, "\(type)")
            }
            let charset = try server.ask(PlayAsk().with("Content-Type", "application/json; charset=utf-8"))
            #expect(charset.status == 200)
        }
    }

    @Test("Each path has its method, and a question its window and its turn")
    func methods() throws {
        try withPlay { server in
            for path in ["", "play.js", "start"] {
                let response = try server.ask(PlayAsk(path))
                #expect(response.status == 405 && response.head.contains("allow: get"), "\(path)")
            }
            for path in ["figures", "report"] {
                let response = try server.ask(.get(path))
                #expect(response.status == 405 && response.head.contains("allow: post"), "\(path)")
            }
            for window in ["", "<script>", String(repeating: "a", count: 65), "a b"] {
                let response = try server.ask(PlayAsk().with("X-Play-Window", window))
                #expect(response.status == 400, "\(window)")
            }
            for turn in ["", "-1", "1.5", "x", "99999999999999999999"] {
                let response = try server.ask(PlayAsk().with("X-Play-Turn", turn))
                #expect(response.status == 400, "\(turn)")
            }
        }
    }

    @Test("A body above 64 kB is refused, announced or not")
    func largeBody() throws {
        try withPlay { server in
            let large = String(repeating: "a", count: 65_537)
            let announced = try server.ask(PlayAsk(body: large))
            #expect(announced.status == 413)
            let client = try PlayClient(server)
            var chunked = PlayAsk(body: "")
            chunked.method = "PUT"
            chunked.fields["Transfer-Encoding"] = "chunked"
            client.send(chunked.text(server) + "10001\r\n\(large)\r\n0\r\n\r\n")
            #expect(client.receive().status == 413)
            let whole = try server.ask(PlayAsk(body: String(large.dropLast())))
            #expect(whole.status == 200)
        }
    }

    @Test("A failure is a status and JSON, however hostile its text is")
    func failures() throws {
        let hostile = "</script><script>alert(1)</script>\"\\\u{0}\u{2028}\n"
        try withPlay(answer: { request, _, _ in
            switch request {
            case .figures: throw PlayFailure(.badQuestion, hostile, cache: 1, column: 9)
            case .curve: throw PlayFailure(.failed, hostile)
            default: throw POSIXError(.ENOMEM)
            }
        }) { server in
            let bad = try server.ask(PlayAsk("figures"))
            #expect(bad.status == 422 && bad.error == hostile)
            #expect(bad.body.hasSuffix(",\"cache\":1,\"column\":9}"), "\(bad.body)")
            let failed = try server.ask(PlayAsk("curve"))
            #expect(failed.status == 500 && failed.error == hostile && !failed.body.contains("cache"))
            let other = try server.ask(PlayAsk("moves"))
            #expect(other.status == 500 && !other.error.isEmpty)
            for response in [bad, failed, other] {
                #expect(response.head.contains("content-type: application/json"))
                #expect(response.head.contains("x-content-type-options: nosniff"))
            }
        }
    }

    @Test("A report is saved by the browser, and is made from the arguments of its command")
    func report() throws {
        try withPlay(report: { arguments, _ in
            guard arguments.last != "bad" else { throw PlayFailure(.failed, "no room") }
            return Array(arguments.joined(separator: " ").utf8)
        }) { server in
            let response = try server.ask(PlayAsk("report", body: "question"))
            #expect(response.status == 200 && response.body == "replay question")
            #expect(response.head.contains("content-type: text/html"))
            #expect(response.head.contains("content-disposition: attachment; filename=\"report.html\""))
            let failed = try server.ask(PlayAsk("report", turn: 2, body: "bad"))
            #expect(failed.status == 500 && failed.error == "no room")
        }
    }
}
