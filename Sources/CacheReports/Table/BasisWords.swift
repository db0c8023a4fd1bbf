/// Says in words what the figures of runs rest on: where durations come from, and how images come over the network.
enum BasisWords {
    /// Returns where the durations of runs come from, such as "modelled durations with decoding".
    /// - Parameter timing: The timing as results name it: `modelled+decode`, or with the checksum of costs of a file
    ///   `modelled+decode+costs:1a2b3c4d`.
    static func durations(_ timing: String) -> String {
        let parts = timing.split(separator: "+")
        guard let base = parts.first, base != "instant" else { return "no durations" }
        let decoding = parts.contains("decode") ? " with decoding" : ""
        let costs = parts.last { $0.hasPrefix("costs:") }.map { " (costs \($0.dropFirst("costs:".count)))" } ?? ""
        return "\(base) durations\(decoding)\(costs)"
    }

    /// Returns the durations of runs on a clock. Only a wall clock is named: the other one is a matter of the replay.
    static func durations(_ timing: String, clock: String) -> String {
        durations(timing) + (clock == "wall" ? " in real time" : "")
    }

    /// Returns how images come over the network of a name, such as "fetches over one shared link".
    static func network(_ name: String) -> String {
        switch name {
        case "none": "no network"
        case "recorded": "recorded fetch times"
        case "shared": "fetches over one shared link"
        default: "network \(name)"
        }
    }
}
