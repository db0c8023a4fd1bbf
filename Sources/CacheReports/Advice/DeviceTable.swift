import Basics
import ReplayEngine

extension KnownDevice {
    /// The devices as a table for a terminal, with their sources below it.
    public static var table: String {
        let sources = all.map(\.source).unique()
        var grid = TextGrid(headings: [
            .init(title: "device", alignment: .left), .init(title: "limit, MiB"), .init(title: "memory, MiB"),
            .init(title: "system", alignment: .left), .init(title: "evidence", alignment: .left),
            .init(title: "source", alignment: .left),
        ])
        grid.rows = all.map { device in
            [
                device.name, "\(device.limit >> 20)", device.memory.map { "\($0 >> 20)" } ?? "–",
                device.system ?? "–", device.evidence.rawValue,
                "[\((sources.firstIndex(of: device.source) ?? 0) + 1)]",
            ]
        }
        return grid.plain() + "\n" + sources.enumerated().map { "[\($0 + 1)] \($1)\n" }.joined()
    }
}
