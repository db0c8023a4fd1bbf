import Foundation

/// A page in Chromium, with simulated input.
package final class BrowserPage {
    package let tools: DevTools
    package let target: String
    package let session: String

    /// A separate browser context, with its own storage.
    package static func context(_ tools: DevTools) throws -> String {
        try tools.send("Target.createBrowserContext")["browserContextId"] as? String ?? ""
    }

    package init(_ tools: DevTools, context: String) throws {
        self.tools = tools
        target =
            try tools.send("Target.createTarget", ["url": "about:blank", "browserContextId": context])["targetId"]
            as? String ?? ""
        session =
            try tools.send("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String ?? ""
        try send("Page.enable")
    }

    @discardableResult
    package func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        try tools.send(method, parameters, session: session)
    }

    package func becomePhone() throws {
        try send(
            "Emulation.setDeviceMetricsOverride", ["width": 390, "height": 844, "deviceScaleFactor": 3, "mobile": true])
        try send("Emulation.setTouchEmulationEnabled", ["enabled": true])
        try send("Emulation.setEmitTouchEventsForMouse", ["enabled": false])
    }

    package func becomeDesktop() throws {
        try send(
            "Emulation.setDeviceMetricsOverride",
            ["width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Returns the value of an expression; awaits promises.
    @discardableResult
    package func evaluate(_ expression: String) throws -> Any? {
        let answer = try send(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let problem = answer["exceptionDetails"] as? [String: Any] {
            let thrown = (problem["exception"] as? [String: Any])?["description"] ?? problem["text"] ?? problem
            throw DevTools.Failure("\(expression.prefix(120)): \(thrown)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    /// Waits until an expression is true in the page, which may not be loaded yet.
    package func wait(for expression: String) throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            let look =
                "new Promise(done => { const end = Date.now() + 500; const look = () => { "
                + "let is = false; try { is = !!(\(expression)); } catch {} "
                + "is || Date.now() > end ? done(is) : setTimeout(look, 10); }; look(); })"
            // A page that is replaced meanwhile loses the expression.
            if (try? evaluate(look)) as? Bool == true { return }
        }
        throw DevTools.Failure("\(expression): not within a minute")
    }

    /// Moves a finger by a distance in points, upwards if negative, at a velocity in points per second, and lifts it in
    /// motion.
    package func fling(by distance: Double, speed: Double) throws {
        let from = distance < 0 ? 660.0 : 180.0
        let steps = max(4, Int(abs(distance) / speed * 60))
        func touch(_ kind: String, _ y: Double?) throws {
            let points: [[String: Any]] = y.map { [["x": 195, "y": $0]] } ?? []
            try send("Input.dispatchTouchEvent", ["type": kind, "touchPoints": points])
        }
        try touch("touchStart", from)
        for step in 1...steps {
            usleep(16_000)  // A finger is sampled 60 times a second; its pace is what momentum comes from.
            try touch("touchMove", from + distance * Double(step) / Double(steps))
        }
        try touch("touchEnd", nil)
    }

    package func wheel(by distance: Double) throws {
        try send(
            "Input.dispatchMouseEvent", ["type": "mouseWheel", "x": 640, "y": 400, "deltaX": 0, "deltaY": distance])
    }

    /// Taps or clicks the middle of an element.
    package func press(_ selector: String, isTouch: Bool) throws {
        let middle = try evaluate(
            """
            (() => { const r = document.querySelector(\(quoted(selector))).getBoundingClientRect(); return [r.left + \
            r.width / 2, r.top + r.height / 2]; })()
            """
        )
        guard let place = middle as? [Double], place.count == 2 else {
            throw DevTools.Failure("\(selector): not there")
        }
        if isTouch {
            try send(
                "Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": [["x": place[0], "y": place[1]]]])
            try send("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": [[String: Any]]()])
        } else {
            for kind in ["mousePressed", "mouseReleased"] {
                try send(
                    "Input.dispatchMouseEvent",
                    ["type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
            }
        }
    }

    package func type(_ text: String) throws {
        for letter in text {
            try send("Input.dispatchKeyEvent", ["type": "keyDown", "text": String(letter), "key": String(letter)])
            try send("Input.dispatchKeyEvent", ["type": "keyUp", "key": String(letter)])
        }
    }

    package func close() throws { try tools.send("Target.closeTarget", ["targetId": target]) }

    private func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "\\'"))'" }
}
