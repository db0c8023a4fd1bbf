import Basics
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Drawing charts")
struct GnuplotTests {
    private static var isInstalled: Bool { (try? Gnuplot()) != nil }

    private func folder(at path: String, _ results: [RunResult]) throws -> ReplayStore {
        let folder = try ReplayStore.begin(at: path, Samples.describe(), resume: false)
        for result in results { try folder.add(result) }
        return folder
    }

    @Test(
        "every chart is drawn, also for awkward names, empty runs and caches without objects",
        .enabled(if: isInstalled))
    func drawing() throws {
        try withTemporaryFolder { root in
            let empty = ["nothing", "at all"].map { RunResult(identity: Samples.identity(trace: "empty", cache: $0)) }
            let few = Samples.review(trace: "'q' a'b''c ]]> $(date) `date` \"b\" {x_1}^2 5% @ü", caches: 12).filter {
                $0.identity.repetition == 1
            }
            let single = [Samples.ten(Samples.identity(trace: "single"))]
            let folder = try folder(at: root, few + empty + single)
            var options = ChartOptions()
            options.formats = [.svg, .png, .pdf]
            let pictures = try folder.drawCharts(options).pictures
            // The empty runs have neither times nor a timeline, and the few ones have one without blank cells, and
            // differ. The overview is of all.
            #expect(pictures.count == (3 * ChartKind.ofPlainRuns.count - 3 - 1 + 1 + 1) * 3)
            for picture in pictures {
                let start = try Data(contentsOf: URL(fileURLWithPath: picture)).prefix(5)
                let isWhole =
                    start.starts(with: Data("<?xml".utf8)) || start.starts(with: [0x89, 0x50])
                    || start.starts(with: Data("%PDF".utf8))
                #expect(isWhole, "\(picture)")
            }
            let stray = try names(in: "\(root)/charts").filter { $0.hasPrefix(".") }
            #expect(stray.isEmpty)
        }
    }

    @Test("without gnuplot the scripts and data are written, and the message says how to install it")
    func missing() throws {
        try withTemporaryFolder { root in
            let folder = try folder(at: root, [Samples.ten()])
            let error = #expect(throws: ResultsError.self) {
                try folder.drawCharts(ChartOptions()) { try Gnuplot(searching: "\(root):\(root)/missing") }
            }
            #expect(error?.kind == .missingTool)
            #expect(error?.message.contains("apt-get install gnuplot-nox") == true)
            #expect(error?.message.contains("brew install gnuplot") == true)
            #expect(try names(in: "\(root)/charts").count == 2 * ChartKind.ofPlainRuns.count)
        }
    }

    @Test(
        "the message of a script that gnuplot rejects has gnuplot's reason, and no picture is left",
        .enabled(if: isInstalled))
    func refused() throws {
        try withTemporaryFolder { root in
            var chart = try #require(ChartKind.charts([Samples.ten()]).first)
            #expect(chart.name == "feed-outcomes")
            chart.script = "set output 'feed-outcomes.svg'\nset terminal svg\nplot 'gone.csv'\n"
            let error = #expect(throws: ResultsError.self) { try Gnuplot().draw(chart, formats: [.svg], in: root) }
            #expect(error?.kind == .ioError)
            #expect(error?.message.contains("gone.csv") == true)
            let left = try names(in: root)
            #expect(left.isEmpty)
        }
    }

    @Test("an edited script is kept and draws the chart, also after a new replay", .enabled(if: isInstalled))
    func editedScript() throws {
        try withTemporaryFolder { root in
            let first = try folder(at: root, [Samples.ten()])
            var options = ChartOptions()
            options.formats = [.svg]
            #expect(try first.drawCharts(options).keptScripts.isEmpty)
            let script = "\(root)/charts/feed-outcomes.gp"
            let edited = try text(of: script).replacing("share of requests", with: "MY AXIS")
            try write(edited, to: script)
            let again = try first.drawCharts(options)
            #expect(again.keptScripts == [script])
            #expect(try text(of: "\(root)/charts/feed-outcomes.svg").contains("MY AXIS"))
            try first.finish(at: Date(timeIntervalSince1970: 1_700_000_060))
        }
        try withTemporaryFolder { root in
            let script = "\(root)/charts/feed-outcomes.gp"
            do {
                let first = try folder(at: root, [Samples.ten()])
                try first.drawCharts()
                try write(try text(of: script) + "# mine\n", to: script)
            }
            let second = try folder(at: root, [Samples.ten()])
            #expect(try names(in: "\(root)/charts") == ["feed-outcomes.gp"])
            #expect(try second.drawCharts().keptScripts == [script])
        }
    }

    @Test(
        "pictures have the size that is asked for, whatever the length of names", .enabled(if: isInstalled),
        arguments: ["480x320", "640x400", "1280x720", "1920x1080"])
    func sizes(size: String) throws {
        try withTemporaryFolder { root in
            let long = (0..<12).map { index -> RunResult in
                let name = "memory: \(String(repeating: "lru(20MB) ", count: 7))\(index)"
                var run = Samples.ten(Samples.identity(cache: name))
                run.counts.shown = 8 - index % 3
                run.tiers.memoryPeakBytes = Int64(1_000 + index * 500)
                return run
            }
            let folder = try folder(at: root, long)
            var options = ChartOptions()
            options.size = PictureSize(size)
            options.formats = [.svg, .png]
            let pictures = try folder.drawCharts(options).pictures
            #expect(!FileManager.default.fileExists(atPath: "\(root)/report.html"))
            for picture in pictures where picture.hasSuffix(".png") {
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture)))
                func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
                #expect("\(number(at: 16))x\(number(at: 20))" == size)
            }
            // Texts begin and end within the picture: the width of a character is at most 0.62 of the font's height.
            let wanted = try #require(options.size)
            for picture in pictures where picture.hasSuffix(".svg") {
                let texts = try SVGText.all(in: try text(of: picture))
                #expect(texts.count > 5)
                for text in texts {
                    #expect(text.left > -4 && text.right < Double(wanted.width) + 4, "\(picture): \(text)")
                    #expect(text.y > 0 && text.y <= Double(wanted.height), "\(picture): \(text)")
                }
            }
        }
    }
}

/// A text of a picture, with its place in pixels.
struct SVGText {
    var text: String
    var left: Double
    var right: Double
    var y: Double

    /// Returns the texts that are not rotated.
    static func all(in svg: String) throws -> [SVGText] {
        let group =
            #/
            <g\ transform="translate\(([-0-9.]+),([-0-9.]+)\)"[^>]*font-size="([0-9.]+)"\s*text-anchor="(\w+)">
            \s*<text>(?:<tspan[^>]*>)?(?:<!\[CDATA\[)?([^\]<]*)
            /#
        return svg.matches(of: group).compactMap { match in
            guard let x = Double(match.1), let y = Double(match.2), let size = Double(match.3) else { return nil }
            let text = String(match.5).trimmingCharacters(in: .whitespacesAndNewlines)
            let width = Double(TextGrid.width(text)) * size * 0.62
            let left =
                switch match.4 {
                case "middle": x - width / 2
                case "end": x - width
                default: x
                }
            return SVGText(text: text, left: left, right: left + width, y: y)
        }
    }
}
