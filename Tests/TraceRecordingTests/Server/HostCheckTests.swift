import NIOHTTP1
import Testing

@testable import TraceRecording

@Suite("Hosts and pages that servers accept")
struct HostCheckTests {
    private static let options = ServerKind.Options(allowedHosts: ["Phone.test"])

    @Test(
        "localhost, IP addresses and allowed names are accepted, at any port; other names get 421 with the remedy",
        arguments: ServerKind.allCases)
    func hosts(kind: ServerKind) throws {
        try kind.serving(Self.options) { server in
            for host in [
                "localhost", "LocalHost:1", "localhost.", "127.0.0.1:\(server.port)", "10.0.2.2:8080", "192.168.1.9",
                "[::1]", "[fe80::1%25en0]:80", "phone.test", "PHONE.test.:99",
            ] {
                #expect(server.get("Host: \(host)").status == 200, "\(host)")
            }
            let accepted = server.requests()
            for host in [
                "evil.example", "EVIL.example:\(server.port)", "localhost.evil.example", "127.0.0.1.evil.example",
                "sub.phone.test", "phone.test.evil.example", "1.2.3", "256.1.1.1", "0x7f000001", "[127.0.0.1]",
            ] {
                let answer = server.get("Host: \(host)")
                #expect(answer.status == 421, "\(host)")
                let name = host.lowercased().hasPrefix("evil") ? "evil.example" : host
                #expect(answer.text.contains("start the server with --allow-host \(name).\n"), "\(answer.text)")
            }
            for host in [
                "", "a b", "user@localhost", "localhost:80x", "[::1", "http://localhost", "a/b", "\u{212A}ite",
            ] {
                #expect(server.get("Host: \(host)").status == 400, "\(host)")
            }
            #expect(server.requests() == accepted, "a refused request is not counted")
        }
    }

    @Test(
        "A request has exactly one Host field; one of HTTP/1.0, which no browser sends, can have none",
        arguments: ServerKind.allCases)
    func oneHost(kind: ServerKind) throws {
        try kind.serving { server in
            let none = server.get()
            #expect(none.status == 400 && none.text.contains("Send exactly one, such as Host: localhost."))
            #expect(server.get("Host: localhost", "Host: localhost").status == 400)
            #expect(server.ask("GET \(server.small) HTTP/1.0", ["Host: localhost", "Host: localhost"]).status == 400)
            #expect(server.ask("GET \(server.small) HTTP/1.0", ["Host: evil.example"]).status == 421)
            #expect(server.ask("GET \(server.small) HTTP/1.0", []).status == 200)
            let head = server.ask("HEAD \(server.small) HTTP/1.1", ["Host: evil.example"])
            #expect(head.status == 421 && head.text.hasSuffix("\r\n\r\n"), "HEAD has no body: \(head.text)")
        }
    }

    @Test("Pages of other sites are refused by their Origin with the remedy", arguments: ServerKind.allCases)
    func foreignPages(kind: ServerKind) throws {
        try kind.serving(Self.options) { server in
            for (origin, name) in [
                ("http://evil.example", "evil.example"), ("https://localhost.evil.example:8", "localhost.evil.example"),
                ("http://203.0.113.9", "203.0.113.9"), ("chrome-extension://abc", "abc"),
            ] {
                for method in ["GET", "POST", "OPTIONS"] {
                    let answer = server.ask(
                        "\(method) \(server.small) HTTP/1.1", ["Host: localhost", "Origin: \(origin)"])
                    #expect(answer.status == 403, "\(method) \(origin)")
                    #expect(answer.text.contains("start the server with --allow-host \(name).\n"), "\(answer.text)")
                }
            }
            for origin in ["null", "", "evil.example", "http://", "http://a b"] {
                let answer = server.get("Host: localhost", "Origin: \(origin)")
                #expect(answer.status == 403 && answer.text.contains("http://localhost"), "\(origin)")
            }
            let both = server.get("Host: localhost", "Origin: http://localhost", "Origin: http://evil.example")
            #expect(both.status == 403)
            #expect(server.requests() == 0)
        }
    }

    @Test(
        "Own pages and those of allowed names are accepted; the origin also accepts pages of this machine",
        arguments: ServerKind.allCases)
    func ownPages(kind: ServerKind) throws {
        try kind.serving(Self.options) { server in
            func status(_ host: String, _ origin: String) -> Int {
                server.get("Host: \(host)", "Origin: \(origin)").status
            }
            #expect(status("localhost:8080", "http://localhost:8080") == 200)
            #expect(status("192.168.1.9", "http://192.168.1.9") == 200)
            #expect(status("phone.test", "https://phone.test") == 200)
            #expect(status("localhost:8080", "https://phone.test:4433") == 200)
            // A page of another port is another program of this machine. The gallery accepts no events from it.
            let others = kind == .gallery ? 403 : 200
            #expect(status("127.0.0.1:8080", "http://localhost:3000") == others)
            #expect(status("10.0.2.2:8080", "http://127.0.0.5:3000") == others)
            #expect(status("[::1]:8080", "http://[::1]") == others)
            #expect(status("localhost", "capacitor://localhost:1") == others)
            #expect(status("192.168.1.9:8080", "http://192.168.1.9:3000") == others)
        }
    }

    @Test("On a network, the origin checks the host too; the gallery has its secret")
    func network() throws {
        let options = ServerKind.Options(host: "0.0.0.0")
        for kind in ServerKind.allCases {
            try kind.serving(options) { server in
                #expect(server.get("Host: evil.example").status == (kind == .gallery ? 200 : 421))
                #expect(server.get("Host: evil.example", "Origin: http://other.example").status != 200)
                #expect(server.get("Host: 192.168.1.9").status == 200)
            }
        }
    }

    @Test("The host that a server listens at is accepted")
    func listening() throws {
        let check = HostCheck(listeningAt: "studio.local", pages: .own)
        var accepted: String?
        func refusal(_ host: String) -> Int? {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["host": host])
            return check.refusal(of: head, accepted: &accepted).map { Int($0.status.code) }
        }
        #expect(refusal("Studio.local:80") == nil && accepted == "Studio.local:80")
        #expect(refusal("other.local:80") == 421 && accepted == "Studio.local:80")
        #expect(refusal("Studio.local:80") == nil)
        for (host, isLoopback) in [
            ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("0.0.0.0", false),
            ("::", false), ("192.168.1.9", false), ("127.evil.example", false), ("studio.local", false),
        ] {
            #expect(HostCheck.isLoopback(host) == isLoopback, "\(host)")
        }
    }

    @Test("Requests for other servers are refused, whatever their Host", arguments: ServerKind.allCases)
    func otherTargets(kind: ServerKind) throws {
        try kind.serving { server in
            for host in ["localhost", "evil.example"] {
                for target in [
                    "http://evil.example\(server.small)", "http://localhost\(server.small)", "*", "@\(host)/",
                ] {
                    let answer = server.ask("GET \(target) HTTP/1.1", ["Host: \(host)"])
                    #expect(answer.status == 400 || answer.status == 404, "\(target): \(answer.text)")
                }
                let connect = server.ask("CONNECT evil.example:443 HTTP/1.1", ["Host: \(host)"])
                #expect([400, 404, 405].contains(connect.status), "\(connect.text)")
            }
            #expect(server.requests() == 0)
        }
    }

    @Test("Names are letters, digits, hyphens, underscores and dots, or an IPv6 address in brackets")
    func names() {
        for text in [
            "", "a b", "a:80", "http://a", "a/b", "::1", "[a", "a]", "[]", "\u{212A}", "é",
            String(repeating: "a", count: 256),
        ] {
            #expect(HostName(text) == nil, "\(text)")
        }
        #expect(HostName("Kite_2.Local")?.description == "kite_2.local")
        #expect(HostName("[FE80::1]")?.description == "[fe80::1]")
    }
}
