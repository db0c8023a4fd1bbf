import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@testable import TraceRecording

@Suite("The gallery's server") struct GalleryServerTests {
    let browser = "browser01"

    @Test("Serves only its page and its images by number")
    func serves() throws {
        let folder = try GalleryFolder(["kite", "sub/boat"])
        try folder.write("notes.txt", Array("private".utf8))
        try folder.write(".hidden.png", testPNG(width: 4, height: 4, shade: 9))
        let outside = folder.root.appendingPathComponent("outside.png")
        try Data(testPNG(width: 4, height: 4, shade: 9)).write(to: outside)
        try FileManager.default.createSymbolicLink(
            at: folder.images.appendingPathComponent("link.png"), withDestinationURL: outside)
        let found = try ImageFolder(folder.images.path)
        #expect(found.images.map(\.name) == ["kite.png", "sub/boat.png"])
        #expect(found.others == 1)
        #expect(found.refused == ["link.png leads out of the folder"])
        try withGallery(folder) { server in
            #expect(server.ask("GET /").contains("content-type: text/html"))
            #expect(server.ask("GET /gallery.js").contains("content-type: text/javascript"))
            #expect(server.ask("GET /images").contains(#""name":"sub/boat.png","width":130,"height":120"#))
            let full = server.ask("GET /full/1")
            #expect(
                full.hasPrefix("HTTP/1.1 200 OK\r\n") && full.contains("content-type: image/png")
                    && full.contains("cache-control: no-store"))
            #expect(server.ask("HEAD /full/1").hasSuffix("\r\n\r\n"))
            let paths = [
                "/full/2", "/full/-1", "/full/x", "/full/99999999999999999999", "/full/", "/full/../notes.txt",
                "/../../etc/passwd",
                "/%2e%2e/notes.txt", "/full/%2e%2e%2fnotes.txt", "/notes.txt", "/kite.png", "//", "/gallery.js/",
                "/full/1/2", "*", "/\\..\\notes.txt",
            ]
            for path in paths {
                let answer = server.ask("GET \(path)")
                #expect(
                    answer.hasPrefix("HTTP/1.1 404 ") || answer.hasPrefix("HTTP/1.1 400 "),
                    "\(path): \(answer.prefix(40))")
                #expect(!answer.contains("private") && !answer.contains("root:"), "\(path)")
            }
        }
    }

    @Test(
        "On a full disk, events are not acknowledged, and those that the page sends again are recorded",
        .enabled(if: SmallDisk.isAvailable))
    func fullDisk() throws {
        let folder = try GalleryFolder(["kite"])
        let small = try TemporaryFolder()
        let disk = try SmallDisk(small.path, kilobytes: 12)
        defer { disk.unmount() }
        let (trace, filler) = (small.url("session.jsonl").path, small.url("filler").path)
        try withGallery(folder, { $0.output = trace }) { server in
            #expect(server.hello(browser).contains("200 OK"))
            #expect(FileManager.default.createFile(atPath: filler, contents: nil))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: filler))
            while (try? file.write(contentsOf: Data(count: 512))) != nil {}
            try file.close()
            let pairs = (0..<150).map { time in
                ["appear", "disappear"].map { #"{"t":\#(time),"e":"\#($0)","n":0,"variant":"full"}"# }
                    .joined(separator: ",")
            }
            let events = pairs.joined(separator: ",")
            for _ in 0..<2 {
                #expect(server.report(browser, sequence: 2, events).hasPrefix("HTTP/1.1 507 "))
                // Its one event would fit, but it waits for those before it.
                #expect(server.report(browser, sequence: 3, #"{"t":200,"e":"terminate"}"#).hasPrefix("HTTP/1.1 507 "))
            }
            let progress = try #require(server.progress.first)
            #expect(progress.journal.problem?.contains("No space left") == true && progress.journal.lost == 0)
            try FileManager.default.removeItem(atPath: filler)
            #expect(server.report(browser, sequence: 2, events).hasPrefix("HTTP/1.1 204 "))
            #expect(server.report(browser, sequence: 3, #"{"t":200,"e":"terminate"}"#).hasPrefix("HTTP/1.1 204 "))
            #expect(server.progress.first?.journal.problem == nil && server.progress.first?.appearances == 150)
        }
        let appeared = try Trace(contentsOf: trace).events.count { if case .appear = $0.action { true } else { false } }
        #expect(appeared == 150)
    }

    @Test("Methods other than those of a path are refused")
    func methods() throws {
        try withGallery(try GalleryFolder(["kite"])) { server in
            for line in ["DELETE /", "PUT /events", "GET /events", "POST /", "OPTIONS /"] {
                #expect(server.ask(line).hasPrefix("HTTP/1.1 405 "), "\(line)")
            }
        }
    }

    @Test("On a network, requests need the secret part of the address")
    func secret() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) {
            $0.host = "0.0.0.0"
        } _: { server in
            let secret = try #require(server.secret)
            #expect(server.address == "http://127.0.0.1:\(server.port)/\(secret)/")
            #expect(server.ask("GET /\(secret)/full/0").hasPrefix("HTTP/1.1 200 "))
            for path in ["/", "/full/0", "/images", "/\(secret)", "/\(secret)x/images", "/\(secret.dropLast())/images"]
            {
                #expect(server.ask("GET \(path)").hasPrefix("HTTP/1.1 404 "), "\(path)")
            }
        }
    }

    @Test(
        "Each browser has a trace with its events and fetches; repeated batches are dropped"
    )
    func records() throws {
        let folder = try GalleryFolder(["kite", "boat"])
        try withGallery(folder) { server in
            #expect(server.hello(browser).contains(#"{"session":1}"#))
            #expect(server.hello("browser02").contains(#"{"session":2}"#))
            let appear = #"{"t":10,"e":"appear","n":1,"variant":"thumbnail"}"#
            #expect(server.report(browser, sequence: 1, appear).hasPrefix("HTTP/1.1 204 "))
            #expect(server.report(browser, sequence: 1, appear).hasPrefix("HTTP/1.1 204 "))
            #expect(
                server.report(
                    browser, sequence: 2, #"{"t":20,"e":"scroll","phase":"dragged","offset":1.5,"velocity":-3}"#
                ).hasPrefix("HTTP/1.1 204 "))
            #expect(server.ask("GET /full/0?c=\(browser)").hasPrefix("HTTP/1.1 200 "))
            #expect(eventually { server.progress.first?.fetches == 1 })
        }
        let trace = try Trace(contentsOf: folder.trace)
        #expect(trace.header.clockError == 250)
        #expect(trace.events.count == 3)
        #expect(trace.events.contains { $0.action == .scroll(.dragged, offset: 1.5, velocity: -3) })
        let fetch = try #require(
            trace.events.compactMap {
                if case .fetch(let object, let fetch) = $0.action { (object, fetch) } else { nil }
            }.first)
        // Numbered in the order of names: the boat is 0.
        let boat = trace.objects[Int(fetch.0)]
        #expect(
            boat.key == "full/boat.png" && boat.pixelWidth == 130 && boat.pixelHeight == 120
                && boat.contentType == "image/png")
        #expect(fetch.1.status == 200 && fetch.1.bytes == boat.bytes)
        #expect(try Trace(contentsOf: GallerySessions.path(folder.trace, 2)).events.isEmpty)
    }

    @Test("A list is an event for each position; a served image is an event of its source")
    func recordsLists() throws {
        let folder = try GalleryFolder(["kite", "boat", "river"])
        try withGallery(folder) { server in
            _ = server.hello(browser)
            let list = #"{"t":10,"e":"list","variant":"thumbnail","images":[2,0,2,1],"first":5,"columns":2}"#
            let served = #"{"t":12,"e":"served","n":2,"variant":"thumbnail","from":"disk"}"#
            let appear = #"{"t":11,"e":"appear","n":2,"variant":"thumbnail"}"#
            #expect(server.report(browser, sequence: 1, "\(list),\(appear),\(served)").hasPrefix("HTTP/1.1 204 "))
        }
        let trace = try Trace(contentsOf: folder.trace)
        // Numbered in the order of names: the boat is 0, the kite 1, the river 2.
        #expect(trace.objects.map(\.key) == ["river", "boat", "kite"].map { "full/\($0).png" })
        #expect(trace.objects.allSatisfy { $0.bytes != nil })
        #expect(
            trace.events.map(\.action) == [
                .list(0, .thumbnail, position: 5, row: 2), .list(1, .thumbnail, position: 6, row: 3),
                .list(0, .thumbnail, position: 7, row: 3), .list(2, .thumbnail, position: 8, row: 4),
                .appear(0, .thumbnail), .served(0, .thumbnail, .disk),
            ])
        #expect(ServedRequests(trace).sources == [.disk])
    }

    @Test("An appearance has the size of its view that the page reports, or none")
    func recordsViewSizes() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) { server in
            _ = server.hello(browser)
            let events = [
                #"{"t":10,"e":"appear","n":0,"width":352,"height":65535}"#, #"{"t":20,"e":"disappear","n":0}"#,
                #"{"t":30,"e":"appear","n":0}"#,
            ].joined(separator: ",")
            #expect(server.report(browser, sequence: 1, events).hasPrefix("HTTP/1.1 204 "))
        }
        let events = try Trace(contentsOf: folder.trace).events
        #expect(events.map(\.action) == [.appear(0, .full), .disappear(0, .full), .appear(0, .full)])
        #expect(events.map(\.viewSize) == [ViewSize(width: 352, height: 65535), nil, nil])
    }

    @Test("A memory warning that the page reports is an event of the trace, between those around it")
    func recordsMemoryWarnings() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) { server in
            _ = server.hello(browser)
            let events = #"{"t":10,"e":"appear","n":0},{"t":30,"e":"memory_warning"},{"t":70,"e":"background"}"#
            #expect(server.report(browser, sequence: 1, events).hasPrefix("HTTP/1.1 204 "))
        }
        let events = try Trace(contentsOf: folder.trace).events
        #expect(events.map(\.action) == [.appear(0, .full), .memoryWarning, .background])
        #expect(events[0].time <= events[1].time && events[1].time <= events[2].time)
    }

    @Test(
        "An invalid batch is not recorded at all",
        arguments: [
            "", "{", "[]", #"{"client":"browser01"}x"#, #"{"client":"a b","batches":[]}"#,
            #"{"client":"browser01","batches":[{"visit":"visit0001","sequence":0,"events":[]}]}"#,
            batch(#"{"t":1,"e":"appear","n":0},{"t":1,"e":"appear","n":99}"#),
            batch(#"{"t":1,"e":"appear","n":0},{"t":1,"e":"explode"}"#),
            batch(#"{"t":1,"e":"appear","n":0},{"e":"background"}"#),
            batch(#"{"t":1,"e":"appear","n":0},{"t":-5,"e":"background"}"#),
            batch(#"{"t":1,"e":"appear","n":0},{"t":99999999999,"e":"background"}"#),
            batch(#"{"t":1,"e":"scroll","phase":"flying"}"#),
            batch(#"{"t":1,"e":"served","n":0,"from":"cloud"}"#), batch(#"{"t":1,"e":"served","from":"disk"}"#),
            batch(#"{"t":1,"e":"served","n":0}"#), batch(#"{"t":1,"e":"appear","n":0,"from":"disk"}"#),
            batch(#"{"t":1,"e":"list"}"#), batch(#"{"t":1,"e":"list","images":[0,1]}"#),
            batch(#"{"t":1,"e":"list","images":[0],"columns":0}"#),
            batch(#"{"t":1,"e":"list","images":[0],"first":-1}"#),
            batch(#"{"t":1,"e":"list","images":[0],"first":9999999999}"#),
            batch(#"{"t":1,"e":"memory_warning","n":0}"#),
            batch(#"{"t":1,"e":"appear","n":0,"width":5}"#), batch(#"{"t":1,"e":"appear","n":0,"height":5}"#),
            batch(#"{"t":1,"e":"appear","n":0,"width":0,"height":5}"#),
            batch(#"{"t":1,"e":"appear","n":0,"width":65536,"height":5}"#),
            batch(#"{"t":1,"e":"appear","n":0,"width":5,"height":1.5}"#),
            batch(#"{"t":1,"e":"disappear","n":0,"width":5,"height":5}"#),
            batch(#"{"t":1,"e":"list","images":[0],"n":0}"#), batch(#"{"t":1,"e":"scroll","images":[0]}"#),
            batch(#"{"t":1,"e":"scroll","phase":"dragged","offset":1e999}"#),
            batch(String(repeating: #"{"t":1,"e":"background"},"#, count: 20_001)),
            batch("{\"t\":1,\"e\":\"appear\",\"n\":0,\"variant\":\"\u{0}\"}"), String(repeating: "[", count: 100_000),
        ])
    func refusesBatches(body: String) throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) { server in
            _ = server.hello(browser)
            #expect(server.ask("POST /events", body: body).hasPrefix("HTTP/1.1 400 "))
            #expect(server.ask("POST /events", body: "").hasPrefix("HTTP/1.1 400 "))
        }
        #expect(try Trace(contentsOf: folder.trace).events.isEmpty)
    }

    @Test("A visit without a reported end ends when the next begins, after its cells disappear")
    func endsSilentVisits() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) { server in
            _ = server.hello(browser)
            _ = server.report(browser, sequence: 1, visit: "visit0001", #"{"t":10,"e":"appear","n":0}"#)
            _ = server.report(browser, sequence: 1, visit: "visit0002", #"{"t":50,"e":"foreground"}"#)
        }
        #expect(
            try Trace(contentsOf: folder.trace).events.map(\.action.name) == [
                "appear", "disappear", "terminate", "foreground",
            ])
    }

    @Test("Browsers beyond the limit are refused, and events of browsers without a visit")
    func limitsBrowsers() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) {
            $0.browsers = 1
        } _: { server in
            #expect(server.hello(browser).hasPrefix("HTTP/1.1 200 "))
            #expect(server.hello("browser02").hasPrefix("HTTP/1.1 503 "))
            #expect(server.report("browser03", sequence: 1, "").hasPrefix("HTTP/1.1 409 "))
        }
    }

    @Test("With the browser's cache, images can be cached, and revalidation has no body")
    func browserCache() throws {
        let folder = try GalleryFolder(["kite"])
        try withGallery(folder) {
            $0.browserCache = true
        } _: { server in
            _ = server.hello(browser)
            let answer = server.ask("GET /full/0?c=\(browser)")
            #expect(answer.contains("cache-control: private, max-age=86400"))
            let tag = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix("etag: ") }).dropFirst(6)
            #expect(
                server.ask("GET /full/0?c=\(browser)", headers: ["If-None-Match: \(tag)"]).hasPrefix("HTTP/1.1 304 "))
            #expect(eventually { server.progress.first?.fetches == 2 })
        }
        let statuses = try Trace(contentsOf: folder.trace).events.compactMap {
            if case .fetch(_, let fetch) = $0.action { fetch.status } else { nil }
        }
        #expect(statuses == [200, 304])
    }

    @Test("A deleted file is a 404, also in the trace; a link in place of a file is not followed")
    func vanishedFiles() throws {
        let folder = try GalleryFolder(["boat", "kite"])
        let images = try ImageFolder(folder.images.path).images
        try FileManager.default.removeItem(at: folder.images.appendingPathComponent("boat.png"))
        try FileManager.default.removeItem(at: folder.images.appendingPathComponent("kite.png"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.images.appendingPathComponent("kite.png").path, withDestinationPath: "/etc/passwd")
        try withGallery(folder, images: images) { server in
            _ = server.hello(browser)
            #expect(server.ask("GET /full/0?c=\(browser)").hasPrefix("HTTP/1.1 404 "))
            #expect(server.ask("GET /full/1?c=\(browser)").hasPrefix("HTTP/1.1 404 "))
            #expect(eventually { server.progress.first?.fetches == 2 })
        }
    }
}

private func batch(_ events: String) -> String {
    #"{"client":"browser01","batches":[{"visit":"visit0001","sequence":1,"events":[\#(events)]}]}"#
}
