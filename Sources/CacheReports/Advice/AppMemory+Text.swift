import Advising
import Basics
import ImageLibraries
import Runs

extension AppMemory {
    /// The consequence at the limit, in a phrase after "at which".
    var consequence: String {
        guard let known else { return "the app is stopped" }
        let system = known.system.map { " (\(known.evidence.rawValue) for \($0))" } ?? ""
        return switch known.consequence {
        case .processEnds: "iOS ends an app on \(known.name)\(system)"
        case .managedHeapIsFull: "the managed heap of \(known.name) is full\(system)"
        }
    }

    /// A sentence about what the limit does not bound; nil if it bounds all memory of the app.
    private var caveat: String? {
        guard known?.consequence == .managedHeapIsFull else { return nil }
        return """
            From Android 8 on, the pixels of bitmaps are outside of the managed heap, and this limit does not hold for \
            them.
            """
    }

    /// The sentences after the shares: what they count.
    func contents(_ near: NearLimit) -> [String] {
        let rest =
            baseline.map { "\(HumanText.bytes(Double($0))) for the rest of the app" }
            ?? "nothing for the rest of the app, because --app-baseline is not given"
        let text = """
            The memory is the peak of all images in a session, and \(rest). Images are those that the \
            cache holds, those that cells show, those in transfer, and those being decoded.
            """
        let cacheOnly = """
            Of \(HumanText.count(near.cacheOnly, "session")) without a record of when cells vanish, only what \
            the cache holds counts.
            """
        return [text] + (near.cacheOnly > 0 ? [cacheOnly] : []) + (caveat.map { [$0] } ?? [])
    }
}

extension NearLimit {
    /// `12% (5% to 24%)`.
    var text: String { "\(HumanText.share(share)) (\(HumanText.share(low)) to \(HumanText.share(high)))" }
}

extension KnownDevice {
    /// The devices as a table for a terminal, with their sources below it.
    public static var table: String {
        let sources = all.map(\.source).unique()
        var grid = TextGrid(headings: [
            .text("device"), .figure("limit, MiB"), .figure("memory, MiB"),
            .text("system"), .text("evidence"), .text("source"),
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
