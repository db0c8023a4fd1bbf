import Basics

extension Trace {
    /// Returns the first `count` events, with the objects that they name.
    public func prefix(_ count: Int) -> Trace {
        var head = Trace(header: header, events: Array(events.prefix(count)))
        let last = head.events.lazy.compactMap(\.action.object).max() ?? -1
        head.objects = Array(objects.prefix(Int(last) + 1))
        return head
    }

    /// Returns the events as a table of text: seconds, kind, variant, bytes and key.
    public func table() -> String {
        TextGrid.lines([["seconds", "event", "variant", "bytes", "key"]] + events.map(row)).joined(separator: "\n")
    }

    private func row(_ event: TraceEvent) -> [String] {
        let seconds = "\(event.time / 1_000_000).\(String(String(1_000_000 + event.time % 1_000_000).dropFirst()))"
        let object = event.action.object.map { objects[Int($0)] }
        let key = object.map { Self.shortened($0.key) } ?? ""
        let bytes = object?.bytes.map(String.init) ?? ""
        switch event.action {
        case .appear(_, let variant), .disappear(_, let variant), .prefetch(_, let variant):
            return [seconds, event.action.name, variant.description, bytes, key]
        case .fetch(_, let fetch):
            let parts = [
                fetch.queued.map { "queued \($0) µs" }, fetch.connect.map { "connect \($0) µs" },
                fetch.timeToFirstByte.map { "first byte \($0) µs" }, fetch.transferTime.map { "transfer \($0) µs" },
                fetch.networkProtocol?.rawValue,
            ]
            let timing = (["status \(fetch.status)"] + parts.compactMap(\.self)).joined(separator: ", ")
            return [seconds, event.action.name, "", fetch.bytes.map(String.init) ?? "", "\(key)  (\(timing))"]
        case .scroll(let phase, let offset, let velocity):
            return [seconds, event.action.name, "", "", "\(phase.rawValue), offset \(offset), velocity \(velocity)"]
        case .remove: return [seconds, event.action.name, "", bytes, key]
        case .list(_, let variant, let position, let row):
            let place = "\(key)  (position \(position), row \(row))"
            return [seconds, event.action.name, variant.description, bytes, place]
        case .served(_, let variant, let source):
            return [seconds, event.action.name, variant.description, bytes, "\(key)  (from \(source))"]
        case .memoryWarning, .background, .foreground, .terminate:
            return [seconds, event.action.name]
        }
    }

    /// Returns the first 100 characters of a key.
    private static func shortened(_ key: String) -> String {
        let text = String(String.UnicodeScalarView(key.unicodeScalars.prefix(100)))
        return key.unicodeScalars.count > 100 ? text + "…" : text
    }
}
