import Foundation
import Testing

@Suite("cachereplay play", .namesCommands) struct PlayCommandTests {
    private static let trace = "Traces/stress-search.jsonl"

    @Test("The address that it prints is a page with the first figures, and Ctrl-C ends it")
    func serves() throws {
        let service = try Service(["play", Self.trace, "--cache", "nuke-13", "--cache", "mine=lru(20MB)"])
        let page = try PlainHTTP.text(service.address + "/")
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("<!doctype html>"), "\(page.prefix(500))")
        let start = try PlainHTTP.text(service.address + "/start")
        #expect(start.hasPrefix("HTTP/1.1 200 ") && start.contains("\"stress-search\""), "\(start.prefix(500))")
        #expect(start.contains("mine=lru(20MB)") && start.contains("cachereplay replay "), "\(start.prefix(2_000))")
        let end = service.end()
        #expect(end.status == 0)
        #expect(end.errors == "Open this address in a browser: 1 session. Ctrl-C ends the command.\n")
        #expect(throws: PlainHTTP.Unreachable.self) { _ = try PlainHTTP.text(service.address + "/") }
    }

    @Test("Without traces, the first session is a recorded one")
    func bundled() throws {
        let service = try Service(["play"])
        let start = try PlainHTTP.text(service.address + "/start")
        #expect(start.contains(#""question":{"session":"feed""#), "\(start.prefix(2_000))")
        // The archive of people is extracted meanwhile.
        let all = try PlainHTTP.text(service.address + "/sessions")
        #expect(all.contains(#""name":"people-feed""#) && all.contains(#""people":56"#), "\(all.suffix(2_000))")
        let end = service.end()
        let sentence = "8 sessions, and those of Traces/people-feed.tar.xz. Ctrl-C ends the command.\n"
        #expect(end.errors.hasSuffix(sentence), "\(end.errors)")
    }

    @Test("An address without its secret is refused, and so is another host")
    func refuses() throws {
        let service = try Service(["play", Self.trace])
        let secret = try #require(service.address.split(separator: "/").last)
        #expect(secret.count == 16)
        let without = try PlainHTTP.text(String(service.address.dropLast(17)) + "/start")
        #expect(without.hasPrefix("HTTP/1.1 404 "), "\(without)")
        let host = try PlainHTTP.text(service.address + "/start", host: "evil.example")
        #expect(host.hasPrefix("HTTP/1.1 421 "), "\(host)")
    }

    @Test("A report is the page of the replay that the question stands for")
    func report() throws {
        let service = try Service(["play", Self.trace])
        let start = try Self.fetch(service.address + "/start", body: nil)
        let members = try #require(try JSONSerialization.jsonObject(with: start.body) as? [String: Any])
        let asked = try #require(members["question"])
        let question = try JSONSerialization.data(withJSONObject: asked)
        let figures = try Self.fetch(service.address + "/figures", body: question)
        #expect(figures.status == 200)
        let report = try Self.fetch(service.address + "/report", body: question)
        let text = String(decoding: report.body, as: UTF8.self)
        #expect(report.status == 200 && text.contains("<!doctype html>"), "\(text.prefix(500))")
        #expect(text.contains("stress-search") && text.contains("nuke-13"))
        let bad = try Self.fetch(service.address + "/report", body: Data("{}".utf8))
        #expect(bad.status == 422, "\(String(decoding: bad.body, as: UTF8.self))")
    }

    @Test("A port in use is an error with a remedy")
    func port() throws {
        let service = try Service(["play", Self.trace])
        let port = try #require(URL(string: service.address)?.port)
        let second = try Command.run("play", Self.trace, "--port", "\(port)")
        #expect(second.status == 74)
        #expect(second.errors.contains("127.0.0.1 port \(port) is in use by another program. Choose another port"))
    }

    @Test("A broken trace is named, and the others are shown")
    func broken() throws {
        try withTemporaryFolder { folder in
            let broken = try folder.write("{\"cachereplay_trace\": 1}\nnonsense\n", to: "a-broken.jsonl")
            let service = try Service(["play", broken, Self.trace])
            let start = try PlainHTTP.text(service.address + "/start")
            #expect(start.hasPrefix("HTTP/1.1 200 ") && start.contains("\"stress-search\""))
            let end = service.end()
            #expect(end.errors.contains("skipped: \(broken)"), "\(end.errors)")
            try Command.refuse(65, "a-broken.jsonl", "play", broken)
            try Command.refuse(65, "a-broken.jsonl", "play", broken, Self.trace, "--strict")
            let missing = try Command.run("play", Self.trace, folder.path + "/missing.jsonl")
            #expect(missing.status == 66 && missing.errors.contains("missing.jsonl"), "\(missing.errors)")
        }
    }

    @Test("Other devices can connect only with --expose")
    func exposure() throws {
        let refused = try Command.run("play", Self.trace, "--host", "0.0.0.0")
        #expect(refused.status == 64)
        let words = refused.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Everyone who has its address can see the sessions") && words.contains("Add --expose"))
        let service = try Service(["play", Self.trace, "--host", "0.0.0.0", "--expose"])
        let end = service.end()
        #expect(end.status == 0 && end.errors.contains("The connection is not encrypted"), "\(end.errors)")
    }

    @Test("A program is replayed only if the command names it")
    func programs() throws {
        let service = try Service(["play", Self.trace])
        let start = try Self.fetch(service.address + "/start", body: nil)
        var members = try #require(try JSONSerialization.jsonObject(with: start.body) as? [String: Any])
        members = try #require(members["question"] as? [String: Any])
        try withTemporaryFolder { folder in
            let mark = folder.appendingPathComponent("started").path
            let cache: [String: Any] = [
                "base": "own=/usr/bin/touch \(mark)", "rules": [String: String](), "network": "auto",
            ]
            members["caches"] = [cache]
            members["a"] = 0
            members["b"] = 0
            let question = try JSONSerialization.data(withJSONObject: members)
            for path in ["figures", "report"] {
                let response = try Self.fetch(service.address + "/" + path, body: question)
                #expect(response.status == 422, "\(String(decoding: response.body, as: UTF8.self))")
            }
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    /// Sends a request as the page does.
    private static func fetch(_ address: String, body: Data?) throws -> (status: Int, body: Data) {
        let headers = [
            "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "X-Play-Window": "window",
            "X-Play-Turn": "1",
        ]
        return try PlainHTTP.ask(address, body: body, headers: headers)
    }
}
