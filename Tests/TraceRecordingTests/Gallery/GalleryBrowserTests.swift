import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@testable import TraceRecording

/// Compares the events of the page with the contents of its viewport, which the test reads itself.
@Suite(
    "The gallery's page in a real Chromium", .serialized,
    .enabled(if: DevTools.executable != nil, "Chromium is not installed"))
struct GalleryBrowserTests {
    private static let names = (0..<60).map { ["kite", "boat", "river", "cloud", "stone"][$0 % 5] + " \(100 + $0)" }

    private func folder() throws -> GalleryFolder {
        let folder = try GalleryFolder()
        try folder.writeImages(Self.names)
        return folder
    }

    @Test(
        "On a phone, the visible cells of the trace are those of the viewport, at every rest between flings",
        arguments: ["feed", "grid"])
    func phone(view: String) throws {
        let folder = try folder()
        var sightings: [Sighting] = []
        var width: Int?
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomePhone()
            try page.open(server.address + "#" + view)
            let image = "document.querySelector('.view:not([hidden]) .cell img')"
            width = try page.evaluate("Math.round(\(image).getBoundingClientRect().width * devicePixelRatio)") as? Int
            sightings.append(try Sighting(page, server))
            for (distance, speed) in [
                (-300.0, 1_500.0), (-450, 3_000), (-450, 4_000), (350, 3_000), (-120, 600), (400, 3_500),
            ] {
                try page.fling(by: distance, speed: speed)
                try page.settle()
                sightings.append(try Sighting(page, server))
            }
            // A busy machine may draw no frame between the end of a touch and the rest: this moves without a finger.
            _ = try page.evaluate("document.querySelector('.view:not([hidden])').scrollBy(0, 40)")
            try page.settle()
            sightings.append(try Sighting(page, server))
            try page.sendEvents()
        }
        let trace = try Trace(contentsOf: folder.trace)
        try compare(sightings, trace)
        try checkList(trace, columns: view == "grid" ? 3 : 1)
        // All cells of a view are as wide as the first one; tiles are squares.
        for event in trace.events where event.action.name == "appear" {
            let size = try #require(event.viewSize)
            #expect(Int(size.width) == width)
            #expect(view == "feed" || size.height == size.width)
        }
        let served = ServedRequests(trace)
        #expect(served.unmatched == 0)
        #expect(served.sources.allSatisfy { $0 == nil || $0 == .network }, "the page has no cache")
        let phases = trace.events.compactMap { if case .scroll(let phase, _, _) = $0.action { phase } else { nil } }
        #expect(Set(phases) == [.dragged, .decelerating, .atRest])
        #expect(phases.last == .atRest)
        // A finger that moves the content up scrolls down: offsets grow, and velocities are positive.
        let velocities = trace.events.compactMap {
            if case .scroll(.dragged, let offset, let velocity) = $0.action, offset > 0 { velocity } else { nil }
        }
        #expect(velocities.contains { $0 > 300 } && velocities.contains { $0 < -300 })
        // Images visible at rest were fetched.
        let fetched = Set(
            trace.events.compactMap {
                if case .fetch(let object, let fetch) = $0.action, fetch.status == 200 {
                    trace.objects[Int(object)].key
                } else {
                    nil
                }
            })
        for cell in Set(sightings.flatMap(\.certain)) {
            let image = try #require(Int(cell.prefix { $0 != " " }))
            // Without thumbnails, full images replace them.
            #expect(fetched.contains("full/\(Self.names.sorted()[image]).png"), "\(cell)")
        }
        // Nothing loads at the last rest, so its cells show their images.
        let shown = Set(
            trace.events.compactMap { event -> String? in
                guard case .served(let object, _, _) = event.action else { return nil }
                return trace.objects[Int(object)].key
            })
        for cell in try #require(sightings.last).certain {
            let image = try #require(Int(cell.prefix { $0 != " " }))
            #expect(shown.contains("full/\(Self.names.sorted()[image]).png"), "\(cell)")
        }
    }

    @Test("On a desktop, the same with the wheel; cells disappear when their view is left, and appear on return")
    func desktop() throws {
        let folder = try folder()
        var sightings: [Sighting] = []
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomeDesktop()
            try page.open(server.address)
            for distance in [120.0, 400, 900, -300] {
                try page.wheel(by: distance)
                try page.settle()
                sightings.append(try Sighting(page, server))
            }
            for view in ["grid", "search", "feed"] {
                try page.press("nav a[href=\"#\(view)\"]", isTouch: false)
                try page.settle()
                sightings.append(try Sighting(page, server))
            }
            try page.sendEvents()
        }
        try compare(sightings, try Trace(contentsOf: folder.trace))
    }

    @Test(
        "A tap in the grid opens and fetches the full image; the grid's cells stay until it is closed"
    )
    func detail() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomePhone()
            try page.open(server.address + "#grid")
            try page.press(".tile[data-image=\"4\"]", isTouch: true)
            try page.wait(for: "document.querySelector('#detail .cell.loaded')")
            try page.evaluate("history.back()")
            try page.wait(for: "document.getElementById('detail').hidden")
            try page.press(".tile[data-image=\"7\"]", isTouch: true)
            try page.wait(for: "document.querySelector('#detail .cell.loaded')")
            try page.press(".close", isTouch: true)
            try page.wait(for: "document.getElementById('detail').hidden")
            try page.sendEvents()
        }
        let trace = try Trace(contentsOf: folder.trace)
        func key(_ object: ObjectID) -> String { trace.objects[Int(object)].key }
        let full = trace.events.compactMap { event -> String? in
            switch event.action {
            case .appear(let object, .full): "appear \(key(object))"
            case .disappear(let object, .full): "disappear \(key(object))"
            default: nil
            }
        }
        let opened = [4, 7].map { "full/\(Self.names.sorted()[$0]).png" }
        #expect(full == opened.flatMap { ["appear \($0)", "disappear \($0)"] })
        let fetched = trace.events.compactMap { if case .fetch(let object, _) = $0.action { key(object) } else { nil } }
        #expect(Set(opened).isSubset(of: fetched))
    }

    @Test("A cell that disappears while its image is decoded does not keep its load open")
    func disappearsWhileDecoding() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.open(server.address)
            // More cells than loads at a time. Each one disappears when its image has its source.
            try page.evaluate(
                """
                (() => {
                  for (let number = 0; number < 8; number += 1) {
                    const image = new Image();
                    let cancel = () => {};
                    Object.defineProperty(image, 'src', { set(address) {
                      image.setAttribute('src', address);
                      cancel();
                      image.removeAttribute('src');
                    } });
                    cancel = gallery.images.load(`full/${number}`, image);
                  }
                })()
                """)
            try page.wait(for: "gallery.images.loading === 0")
        }
    }

    @Test("The button in the title records a memory warning, between the events before and after it")
    func memoryWarning() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomePhone()
            try page.open(server.address)
            let label = try page.evaluate("document.getElementById('warn').ariaLabel") as? String
            #expect(label == "Record a memory warning")
            try page.press("#warn", isTouch: true)
            try page.wait(for: "document.querySelector('#warn.recorded')")
            try page.press("nav a[href=\"#grid\"]", isTouch: true)
            try page.settle()
            try page.sendEvents()
        }
        let actions = try Trace(contentsOf: folder.trace).events.map(\.action)
        let warning = try #require(actions.firstIndex(of: .memoryWarning))
        #expect(actions.count { $0 == .memoryWarning } == 1)
        // The feed shows full images, the grid thumbnails.
        let feed = try #require(actions.firstIndex { if case .appear(_, .full) = $0 { true } else { false } })
        let grid = try #require(actions.firstIndex { if case .appear(_, .thumbnail) = $0 { true } else { false } })
        #expect(feed < warning && warning < grid)
    }

    @Test("Typing replaces results: cells without a match disappear, matching ones appear")
    func search() throws {
        let folder = try folder()
        var sightings: [Sighting] = []
        try withGallery(folder) { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomeDesktop()
            try page.open(server.address + "#search")
            try page.press("#search input", isTouch: false)
            try page.type("kit")
            try page.wait(for: "document.querySelector('#search .count').textContent === '12 images'")
            try page.settle()
            sightings.append(try Sighting(page, server))
            try page.type("e 105")
            try page.wait(for: "document.querySelector('#search .count').textContent === '1 image'")
            try page.settle()
            sightings.append(try Sighting(page, server))
            try page.sendEvents()
        }
        let kites = Self.names.sorted().enumerated().filter { $0.element.hasPrefix("kite") }.map {
            "\($0.offset) thumbnail"
        }
        #expect(sightings[0].certain.allSatisfy { kites.contains($0) } && sightings[0].certain.count > 5)
        #expect(sightings[1].certain == ["\(try #require(Self.names.sorted().firstIndex(of: "kite 105"))) thumbnail"])
        try compare(sightings, try Trace(contentsOf: folder.trace))
    }

    @Test(
        "A closed page reports its end, and its cells disappear; a second visit continues the file"
    )
    func closing() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            let tools = try DevTools()
            let context = try BrowserPage.context(tools)
            let page = try BrowserPage(tools, context: context)
            try page.becomePhone()
            try page.open(server.address)
            try page.fling(by: -400, speed: 3_000)
            try page.close()
            #expect(
                eventually {
                    (try? String(contentsOfFile: folder.trace, encoding: .utf8))?.contains(#""e":"terminate""#) == true
                })
            let again = try BrowserPage(tools, context: context)
            try again.becomePhone()
            try again.open(server.address)
            try again.sendEvents()
            #expect(server.progress.count == 1)
        }
        let names = try Trace(contentsOf: folder.trace).events.map(\.action.name)
        let end = try #require(names.firstIndex(of: "terminate"))
        #expect(names[..<end].count { $0 == "appear" } == names[..<end].count { $0 == "disappear" })
        #expect(names[end...].first { $0 != "fetch" && $0 != "terminate" } == "foreground")
        #expect(names[end...].contains("appear"))
    }

    @Test("Events that a page could not send before it was closed are sent by its next visit")
    func offline() throws {
        let folder = try folder()
        var shown = 0
        try withGallery(folder) { server in
            let tools = try DevTools()
            let context = try BrowserPage.context(tools)
            let page = try BrowserPage(tools, context: context)
            try page.becomePhone()
            try page.open(server.address + "#grid")
            // Requests fail from here on; batches stay in the browser's storage.
            try page.send("Network.enable")
            try page.send(
                "Network.emulateNetworkConditions",
                ["offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1])
            try page.evaluate("gallery.recorder.event('scroll', { phase: 'at_rest', offset: 4242, velocity: 0 })")
            try page.wait(for: "Object.values(localStorage).some(text => text.includes('4242'))")
            shown = (try page.evaluate("gallery.sight.seen.length") as? Int) ?? 0
            _ = try? tools.send("Target.closeTarget", ["targetId": page.target])
            let again = try BrowserPage(tools, context: context)
            try again.becomePhone()
            try again.open(server.address)
            try again.sendEvents()
        }
        let trace = try Trace(contentsOf: folder.trace)
        #expect(shown > 0)
        #expect(trace.events.contains { $0.action == .scroll(.atRest, offset: 4242, velocity: 0) })
        let names = trace.events.map(\.action.name)
        let end = try #require(names.firstIndex(of: "terminate"))
        #expect(names[..<end].count { $0 == "appear" } == names[..<end].count { $0 == "disappear" })
    }

    @Test("With the browser's cache, images come from the network first, and from the disk when they are shown again")
    func browserCache() throws {
        let folder = try folder()
        try withGallery(folder) {
            $0.browserCache = true
        } _: { server in
            let tools = try DevTools()
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            try page.becomePhone()
            try page.open(server.address + "#grid")
            try page.settle()
            for view in ["search", "grid"] {
                try page.press("nav a[href=\"#\(view)\"]", isTouch: false)
                try page.settle()
                try page.wait(for: "document.querySelector('.view:not([hidden]) .cell.loaded')")
            }
            try page.sendEvents()
        }
        let trace = try Trace(contentsOf: folder.trace)
        let served = ServedRequests(trace)
        let requests = trace.events.compactMap { event -> ObjectID? in
            if case .appear(let object, _) = event.action { object } else { nil }
        }
        var known: Set<ObjectID> = []
        var (first, again) = (0, 0)
        for (object, source) in zip(requests, served.sources) {
            guard let source else { continue }
            // A second load of an image can overlap with the first one.
            if known.insert(object).inserted {
                #expect(source == .network)
                first += 1
            } else {
                #expect(source == .disk)
                again += 1
            }
        }
        #expect(served.unmatched == 0 && first > 5 && again > 5, "\(first) first, \(again) again")
    }

    /// The list names every image that appears, in rows, at the places where the page shows them.
    private func checkList(_ trace: Trace, columns: Int32) throws {
        let variant: Variant = columns == 1 ? .full : .thumbnail
        let order = ListOrder(trace)
        #expect(order.contradictions(in: trace) == ListOrder.Contradictions())
        var list = order.cursor(variant)
        list.advance(to: .max)
        // The feed has no end; its list has the items that were laid out.
        #expect(columns > 1 ? list.count == Self.names.count : list.count > 10)
        #expect(list.count == Int(list.lastPosition) + 1)
        for position in 0..<Int32(list.count) { #expect(list[position]?.row == position / columns) }
        guard columns > 1 else { return }
        // The grid is in the order of names.
        let keys = (0..<Int32(list.count)).compactMap { list[$0].map { trace.objects[Int($0.object)].key } }
        #expect(keys == Self.names.sorted().map { "full/\($0).png" })
    }

    @Test("Two browsers at once are two traces")
    func twoBrowsers() throws {
        let folder = try folder()
        try withGallery(folder) { server in
            let tools = try DevTools()
            for _ in 0..<2 {
                let page = try BrowserPage(tools, context: BrowserPage.context(tools))
                try page.becomePhone()
                try page.open(server.address)
                try page.sendEvents()
            }
            #expect(server.progress.count == 2)
            #expect(server.progress.allSatisfy { $0.clockError > 0 && $0.clockError < 1_000_000 })
        }
        for number in 1...2 {
            let trace = try Trace(contentsOf: GallerySessions.path(folder.trace, number))
            #expect(
                trace.events.contains { $0.action.name == "appear" }
                    && trace.events.contains { $0.action.name == "fetch" })
        }
    }

    /// At each observation, the visible cells of the trace are those of the viewport. Cells with less than one visible
    /// point can be either.
    private func compare(_ sightings: [Sighting], _ trace: Trace) throws {
        let images = Dictionary(
            uniqueKeysWithValues: Self.names.sorted().enumerated().map { ("\($0.element).png", $0.offset) })
        for sighting in sightings {
            var open: [String: Int] = [:]
            for event in trace.events where event.time <= sighting.time {
                switch event.action {
                case .appear(let object, let variant), .disappear(let object, let variant):
                    let name = trace.objects[Int(object)].key.drop { $0 != "/" }.dropFirst()
                    let cell = "\(try #require(images[String(name)])) \(variant)"
                    open[cell, default: 0] += event.action.name == "appear" ? 1 : -1
                default: break
                }
            }
            let recorded = open.filter { $0.value != 0 }
            #expect(recorded.values.allSatisfy { $0 > 0 })
            for (cell, count) in recorded where !sighting.possible.contains(cell) {
                Issue.record("\(cell) is said to be seen \(count) times, and is not")
            }
            for cell in sighting.certain where recorded[cell] == nil {
                Issue.record("\(cell) is seen, and was not said to be")
            }
            #expect(!sighting.certain.isEmpty)
        }
    }
}

/// The contents of the viewport at one time, by the cells' rectangles: "12 thumbnail".
private struct Sighting {
    /// Microseconds since the trace began.
    let time: Int64
    /// More than one point is visible.
    let certain: [String]
    /// A part is visible, or touches the edge.
    let possible: [String]

    init(_ page: BrowserPage, _ server: GalleryServer) throws {
        let found = try page.evaluate(
            """
            (() => {
              const inside = margin => [...document.querySelectorAll('.view:not([hidden]) \
            .cell:not([hidden])')].filter(cell => {
                const r = cell.getBoundingClientRect();
                return r.bottom > margin && r.top < innerHeight - margin && r.right > margin && r.left < innerWidth - \
            margin;
              }).map(cell => `${cell.dataset.image} ${cell.dataset.variant}`).sort();
              return [inside(1), inside(-1), gallery.clock.at(performance.now())];
            })()
            """)
        let parts = found as? [Any] ?? []
        guard parts.count == 3, let certain = parts[0] as? [String], let possible = parts[1] as? [String],
            let time = parts[2] as? NSNumber
        else {
            throw DevTools.Failure("The page does not tell what it shows: \(String(describing: found))")
        }
        self.certain = certain
        self.possible = possible
        let moment = server.state.started + .microseconds(time.int64Value)
        self.time = try #require(server.state.sessions.all.first).journal.time(of: moment)
    }
}
