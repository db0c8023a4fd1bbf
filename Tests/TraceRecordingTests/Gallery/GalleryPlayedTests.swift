import CacheTraces
import Foundation
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import TraceRecording

/// A double of the command that makes pages for replays. It keeps the traces as they were when it was asked.
private final class Replays: Sendable {
    static let address = "http://127.0.0.1:9/secret/"
    private let texts = Mutex<[String]>([])

    var asked: [String] { texts.withLock { $0 } }

    func address(_ path: String) -> String? {
        let text: String = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        texts.withLock { $0.append(text) }
        return Self.address
    }
}

@Suite("The replay that a gallery offers") struct GalleryPlayedTests {
    private let browser = "browser01"
    private let appear = #"{"t":10,"e":"appear","n":0,"variant":"full"}"#
    private let terminate = #"{"t":20,"e":"terminate"}"#
    private let question = #"{"client":"browser01","batches":[]}"#

    private func folder() throws -> GalleryFolder {
        let folder = try GalleryFolder(["kite"])
        return folder
    }

    @Test("A replay gets the trace of the browser that asks, with all of its events and fetches")
    func complete() throws {
        let folder = try folder()
        let replays = Replays()
        try withGallery(folder) { options in
            options.played = { (path: String) -> String? in replays.address(path) }
        } _: { server in
            #expect(server.ask("GET /images").contains(#""plays":true"#))
            #expect(server.hello(browser).contains(#"{"session":1}"#))
            #expect(server.report(browser, sequence: 1, appear).hasPrefix("HTTP/1.1 204 "))
            #expect(server.ask("GET /full/0?c=\(browser)").hasPrefix("HTTP/1.1 200 "))
            let isFetched = eventually { server.progress.first?.fetches == 1 }
            #expect(isFetched)
            #expect(server.report(browser, sequence: 2, terminate).hasPrefix("HTTP/1.1 204 "))
            let answer = server.ask("POST /played", body: question)
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            #expect(answer.hasSuffix(#"{"address":"\#(Replays.address)"}"#), "\(answer)")
        }
        let asked = replays.asked
        #expect(asked.count == 1)
        for event in ["appear", "fetch", "terminate"] {
            #expect(asked.first?.contains(#""e":"\#(event)""#) == true, "\(event)")
        }
    }

    @Test("A browser without a session, or without a picture, has nothing to replay")
    func nothing() throws {
        let folder = try folder()
        let replays = Replays()
        try withGallery(folder) { options in
            options.played = { (path: String) -> String? in replays.address(path) }
        } _: { server in
            #expect(server.ask("POST /played", body: question).hasPrefix("HTTP/1.1 409 "))
            #expect(server.hello(browser).contains(#"{"session":1}"#))
            #expect(server.ask("POST /played", body: question).hasPrefix("HTTP/1.1 409 "))
            #expect(server.ask("POST /played", body: "{}").hasPrefix("HTTP/1.1 400 "))
            #expect(server.ask("GET /played").hasPrefix("HTTP/1.1 405 "))
            let strange = server.ask("POST /played", headers: ["Origin: http://evil.example"], body: question)
            #expect(strange.hasPrefix("HTTP/1.1 403 "))
        }
        #expect(replays.asked.isEmpty)
    }

    @Test("Without the hook the page offers nothing, and a replay that fails is status 503")
    func failures() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            #expect(server.ask("GET /images").contains(#""plays":false"#))
            #expect(server.ask("POST /played", body: question).hasPrefix("HTTP/1.1 404 "))
        }
        let other = try self.folder()
        try withGallery(other) { options in
            options.played = { (_: String) -> String? in nil }
        } _: { server in
            #expect(server.hello(browser).contains(#"{"session":1}"#))
            #expect(server.report(browser, sequence: 1, appear).hasPrefix("HTTP/1.1 204 "))
            #expect(server.ask("POST /played", body: question).hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test(
        "In Chromium, a person ends the recording and is led to its replay",
        .enabled(if: DevTools.executable != nil, "Chromium is not installed"))
    func page() throws {
        let folder = try GalleryFolder()
        try folder.writeImages((0..<30).map { "kite \($0)" })
        let replays = Replays()
        try withGallery(folder) { options in
            options.played = { (path: String) -> String? in replays.address(path) }
        } _: { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomePhone()
            try page.open(server.address + "#grid")
            try page.wait(for: "!document.getElementById('end').hidden")
            try page.evaluate("document.getElementById('end').click()")
            try page.wait(for: "!document.getElementById('replay').hidden")
            let address = try page.evaluate("document.getElementById('replay').href") as? String
            #expect(address == Replays.address)
            let focused = try page.evaluate("document.activeElement.id") as? String
            #expect(focused == "replay")
            let cells = try page.evaluate("gallery.sight.seen.length") as? Int
            #expect(cells == 0)
        }
        let trace = try Trace(contentsOf: folder.trace)
        let ends = trace.events.filter { $0.action == .terminate }
        #expect(ends.count == 1)
        #expect(replays.asked.first?.contains(#""e":"terminate""#) == true)
    }
}
