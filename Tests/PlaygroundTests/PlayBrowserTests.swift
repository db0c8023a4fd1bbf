import Foundation
import TestSupport
import Testing

@testable import Playground

/// The page in a real browser, with a real server that has fixed figures.
@Suite(
    "The page of the playground in a real Chromium", .serialized,
    .enabled(if: DevTools.executable != nil, "Chromium is not installed"))
struct PlayBrowserTests {
    static let widths = [400, 768, 1_024, 1_440, 1_600]

    @Test("No error is reported, and the page never scrolls sideways", arguments: widths, ["light", "dark"])
    func layout(width: Int, scheme: String) throws {
        try withPage(width: width, scheme: scheme) { page, _ in
            try page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
            let wide = try page.evaluate("document.documentElement.scrollWidth") as? Int
            #expect(wide == width)
            let unnamed = try page.evaluate(
                """
                [...document.querySelectorAll('main button, main input, main select, main [role]')].filter(node => \
                !(node.getAttribute('aria-label') || node.labels?.length || node.textContent.trim() \
                || node.hasAttribute('aria-hidden') || node.hidden)).map(node => node.outerHTML.slice(0, 100))
                """)
            #expect(unnamed as? [String] == [])
        }
    }

    @Test("A slider changes the headline, the figures and the link")
    func slider() throws {
        try withPage { page, _ in
            let before = try Self.headline(page)
            #expect(before == "B has 64MB.")
            try Self.move(page, to: 0)
            try page.wait(for: "document.getElementById('headline').textContent === 'B has 1MB.'")
            try page.wait(for: "location.hash.startsWith('#q=')")
            // The slider keeps its place when the answer arrives.
            let place = try page.evaluate("\(Self.slider).value") as? String
            #expect(place == "0")
            let text = try page.evaluate("\(Self.slider).getAttribute('aria-valuetext')") as? String
            #expect(text == "1 MB")
            try page.evaluate("\(Self.slider).focus()")
            try Self.key(page, "ArrowRight", code: 39)
            try page.wait(for: "document.getElementById('headline').textContent !== 'B has 1MB.'")
        }
    }

    @Test("A link restores all settings, the back button the ones before, and a broken link says so")
    func link() throws {
        var hash = ""
        try withPage { page, _ in
            try Self.move(page, to: 0)
            try page.wait(for: "location.hash.startsWith('#q=')")
            hash = try page.evaluate("location.hash") as? String ?? ""
            try page.evaluate("history.back()")
            try page.wait(for: "document.getElementById('headline').textContent === 'B has 64MB.'")
            try page.evaluate("location.hash = '#q=broken'")
            try page.wait(for: "document.getElementById('said').textContent.includes('do not fit')")
            let headline = try Self.headline(page)
            #expect(headline == "B has 64MB.")
        }
        try withPage(hash: hash) { page, _ in
            try page.wait(for: "document.getElementById('headline').textContent === 'B has 1MB.'")
            let place = try page.evaluate("\(Self.slider).value") as? String
            #expect(place == "0")
        }
    }

    @Test("The choice of rules of the app is in the link and in the command, and what is held equal is said")
    func rulesOfTheApp() throws {
        let choice = "document.querySelector('[role=radiogroup][aria-label=\"Rules of the app\"]')"
        let foot = "\(choice).parentElement.querySelector('.foot')"
        var hash = ""
        try withPage { page, _ in
            let said = try page.evaluate("\(foot).textContent") as? String
            #expect(said == "cancelOnDisappear: true for all libraries.")
            try page.evaluate("\(choice).querySelector('input[value=own]').click()")
            try page.wait(for: "document.getElementById('command').textContent.endsWith('--app own')")
            try page.wait(for: "\(foot).hidden")
            try page.wait(for: "location.hash.startsWith('#q=')")
            hash = try page.evaluate("location.hash") as? String ?? ""
        }
        try withPage(hash: hash) { page, _ in
            try page.wait(for: "\(choice).querySelector('input[value=own]').checked")
            try page.wait(for: "document.getElementById('command').textContent.endsWith('--app own')")
        }
    }

    @Test("A hostile name is text wherever it stands")
    func hostileNames() throws {
        try withPage { page, _ in
            let about = try page.evaluate("document.getElementById('about').textContent") as? String
            #expect(about == FixedAnswers.hostile)
            let options = try page.evaluate(
                "[...document.querySelectorAll('#controls optgroup option')].map(option => option.value)")
            #expect((options as? [String])?.contains(FixedAnswers.hostile) == true)
            try page.evaluate(
                """
                (() => { const list = document.querySelector('#controls select'); list.selectedIndex = 1; \
                list.dispatchEvent(new Event('change')); })()
                """)
            try page.wait(for: "document.getElementById('title').textContent.startsWith('<img')")
            let broken = try page.evaluate("typeof window.broken") as? String
            #expect(broken == "undefined")
            let pictures = try page.evaluate("document.querySelectorAll('img').length") as? Int
            #expect(pictures == 0)
        }
    }

    @Test("The keys: P pins B as A, space plays, and the arrow keys of the curve move the limit")
    func keys() throws {
        try withPage { page, _ in
            try Self.move(page, to: 0)
            try page.wait(for: "document.getElementById('headline').textContent === 'B has 1MB.'")
            try page.evaluate("document.activeElement.blur()")
            try Self.key(page, "p", code: 80)
            let caches = "[...document.querySelectorAll('.cache span')].map(span => span.textContent)"
            let shown = try page.evaluate(caches) as? [String]
            #expect(shown == ["kingfisher-8; memory: 1MB", "kingfisher-8; memory: 1MB"])
            try Self.key(page, " ", code: 32)
            try page.wait(for: "document.querySelector('.moment button').textContent === 'Pause'")
            try Self.key(page, " ", code: 32)
            try page.wait(for: "document.querySelector('.moment button').textContent === 'Play'")
            try page.wait(for: "document.querySelector('#curve .plot svg')")
            try page.evaluate("document.querySelector('#curve .plot').focus()")
            try Self.key(page, "ArrowRight", code: 39)
            try page.wait(for: "document.getElementById('headline').textContent === 'B has 2MB.'")
            let focused = try page.evaluate("document.activeElement.getAttribute('role')") as? String
            #expect(focused == "slider")
        }
    }

    @Test("A mistake in a specification is shown at its column, and goes away with it")
    func mistake() throws {
        try withPage(isQuiet: false) { page, _ in
            try Self.specify(page, "lru(")
            try page.wait(for: "!document.getElementById('mistake').hidden")
            let text = try page.evaluate("document.getElementById('mistake').textContent") as? String
            #expect(text == "lru(\n    ^\nlru( has no end; write ')'.")
            let problem = try page.evaluate("document.getElementById('problem').textContent") as? String
            #expect(problem == "Cache B: lru( has no end; write ')'.")
            try Self.specify(page, "lru(20MB)")
            try page.wait(for: "document.getElementById('mistake').hidden")
        }
    }

    @Test("A population is shown while its people are replayed, and summed up")
    func population() throws {
        try withPage { page, _ in
            try page.evaluate(
                """
                (() => { const list = document.querySelector('#controls select'); list.value = 'crowd'; \
                list.dispatchEvent(new Event('change')); })()
                """)
            try page.wait(for: "document.getElementById('headline').textContent === 'Everyone is better off.'")
            // The page draws its people in a later frame than its headline.
            try page.wait(for: "document.querySelectorAll('#people circle').length === \(2 * FixedAnswers.people)")
            let sentence = try page.evaluate("document.querySelector('#people [role=status]').textContent") as? String
            #expect(sentence == "B is better than A for 20, worse for 0, and the same within the tolerance for 0.")
            // The program's figures are those of the first person, and shown nowhere.
            let cards = try page.evaluate("[...document.querySelectorAll('#cards b')].map(node => node.textContent)")
            #expect(cards as? [String] == ["10.00%", "5.00%"])
            let rest = try page.evaluate(
                """
                ['context', 'curve', 'tables', 'notes', 'phones']
                    .filter(id => document.getElementById(id).offsetHeight)
                """)
            #expect(rest as? [String] == [])
            let half = try page.evaluate("document.querySelector('#people tbody tr').textContent") as? String
            #expect(half == "half of the people: at most10.00%5.00%")
            let isBelow = try Self.isBelowHeadline(page)
            #expect(isBelow)
        }
    }

    @Test("When the program ends, the page says so, and takes the new address with all settings")
    func restart() throws {
        try withPage(isQuiet: false) { page, server in
            try server.stopAndWait()
            try Self.move(page, to: 0)
            try page.wait(for: "!document.getElementById('lost').hidden")
            try Self.open(page, "https://example.com/")
            let wrong = try page.evaluate("document.getElementById('wrong-address').textContent") as? String
            #expect(wrong?.hasPrefix("Expected the address that the program prints") == true)
            let other = try Self.server()
            defer { try? other.stopAndWait() }
            try Self.open(page, other.address)
            try page.wait(
                for: """
                    location.href.startsWith('\(other.address)') && \
                    document.getElementById('headline').textContent === 'B has 1MB.'
                    """)
        }
    }

    @Test("The tab of texts has them, and the drawing is an SVG with the headline")
    func output() throws {
        try withPage { page, _ in
            try page.wait(for: "document.querySelectorAll('#texts pre').length === 3")
            let command = try page.evaluate("document.getElementById('command').textContent") as? String
            #expect(command == "cachereplay replay feed.jsonl")
            try page.wait(for: "document.querySelector('#curve .plot svg')")
            let drawing = try page.evaluate("drawingText()") as? String
            #expect(drawing?.hasPrefix("<svg") == true)
            #expect(drawing?.contains("B has 64MB.") == true)
        }
    }

    @Test(
        "axe finds nothing serious", .enabled(if: axe != nil, "axe is not installed; scripts/test installs it"),
        arguments: [400, 1_280], ["light", "dark"])
    func accessibility(width: Int, scheme: String) throws {
        let axe = try #require(Self.axe)
        let script = try String(contentsOfFile: axe, encoding: .utf8)
        try withPage(width: width, scheme: scheme) { page, _ in
            try page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
            try page.evaluate(script + "; 0")
            let found = try page.evaluate(
                """
                axe.run().then(result => result.violations.filter(rule => ['serious', \
                'critical'].includes(rule.impact)).map(rule => `${rule.id}: ${rule.nodes.length} times, first \
                ${rule.nodes[0].html.slice(0, 200)} ${rule.nodes[0].failureSummary}`))
                """)
            #expect(found as? [String] == [])
        }
    }

    // MARK: Helpers

    /// The script of axe-core, which scripts/test installs, or nil.
    static let axe: String? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let library = root.appendingPathComponent(".build/test-python/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
        return versions.map { "\(library.path)/\($0)/site-packages/axe_playwright_python/axe.min.js" }
            .first(where: FileManager.default.fileExists)
    }()

    /// The slider of the memory limit, as an expression of the page.
    private static let slider = "document.querySelector('#controls input[type=range]')"

    private static func server() throws -> PlayServer {
        try PlayServer(FixedAnswers(), report: { _, _ in Array("<!doctype html>".utf8) })
    }

    /// Opens the page of a new server, waits for its film and its curve, and ends the server.
    ///
    /// - Parameters:
    ///   - hash: What follows the address.
    ///   - isQuiet: Whether Chromium must report no error; it reports each status that is not a success.
    func withPage(
        width: Int = 1_280, scheme: String = "light", hash: String = "", isQuiet: Bool = true,
        _ body: (BrowserPage, PlayServer) throws -> Void
    ) throws {
        let server = try Self.server()
        defer { try? server.stopAndWait() }
        let tools = try DevTools()
        let page = try BrowserPage(tools, context: BrowserPage.context(tools))
        try page.send("Runtime.enable")
        try page.send("Log.enable")
        try page.send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false])
        try page.send("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
        try page.send("Page.navigate", ["url": server.address + hash])
        try page.wait(
            for: """
                document.querySelector('html.ready #phones .film') && document.querySelector('#curve .plot svg') && \
                document.querySelector('#texts pre')
                """)
        try body(page, server)
        guard isQuiet else { return }
        for event in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
            let events = tools.events(event, session: page.session)
            #expect(events == [])
        }
    }

    private static func headline(_ page: BrowserPage) throws -> String? {
        try page.evaluate("document.getElementById('headline').textContent") as? String
    }

    /// Moves the slider of the memory limit as a person does.
    private static func move(_ page: BrowserPage, to place: Int) throws {
        try page.evaluate("\(slider).value = \(place); \(slider).dispatchEvent(new Event('input'))")
    }

    /// Types a specification of the current cache.
    private static func specify(_ page: BrowserPage, _ text: String) throws {
        try page.evaluate(
            """
            (() => { const field = document.querySelector('#controls input[type=text]'); field.value = '\(text)'; \
            field.dispatchEvent(new Event('change')); })()
            """)
    }

    /// Gives the address of a program that was started again.
    private static func open(_ page: BrowserPage, _ address: String) throws {
        try page.evaluate(
            "document.querySelector('#lost input').value = '\(address)'; document.querySelector('#lost button').click()"
        )
    }

    private static func key(_ page: BrowserPage, _ key: String, code: Int) throws {
        var event: [String: Any] = ["key": key, "windowsVirtualKeyCode": code, "type": "keyDown"]
        if key.count == 1 { event["text"] = key }
        try page.send("Input.dispatchKeyEvent", event)
        event["text"] = nil
        event["type"] = "keyUp"
        try page.send("Input.dispatchKeyEvent", event)
    }
}
