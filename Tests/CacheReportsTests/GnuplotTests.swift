import Basics
import Foundation
import ReplayEngine
import TestSupport
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

    @Test("a picture is whole if it ends as its format does")
    func endings() throws {
        try withTemporaryFolder { root in
            let whole: [(ChartFormat, [UInt8])] = [
                (.png, Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]), (.svg, Array("<g/>\n</svg>\n\n".utf8)),
                (.pdf, Array("startxref\n9\n%%EOF\n".utf8)),
            ]
            for (format, bytes) in whole {
                for (name, content) in [("whole", bytes), ("torn", Array(bytes.dropLast(4))), ("empty", [])] {
                    let path = "\(root)/\(name)"
                    try Data(content).write(to: URL(fileURLWithPath: path))
                    #expect(format.isComplete(path) == (name == "whole"), "\(format) \(name)")
                }
                #expect(!format.isComplete("\(root)/missing"))
            }
        }
    }

    @Test("a full disk leaves no torn picture", .enabled(if: isInstalled && SmallDisk.isAvailable))
    func fullDisk() throws {
        try withTemporaryFolder { root in
            let chart = try #require(ChartKind.charts([Samples.ten()]).first)
            for kilobytes in stride(from: 12, through: 60, by: 8) {
                let place = "\(root)/\(kilobytes)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                let disk = try SmallDisk(place, kilobytes: kilobytes)
                defer { disk.unmount() }
                _ = try? Gnuplot().draw(chart, formats: [.svg, .png], in: place)
                for format in [ChartFormat.svg, .png] {
                    let picture = "\(place)/\(chart.name).\(format.rawValue)"
                    #expect(!FileManager.default.fileExists(atPath: picture) || format.isComplete(picture))
                }
            }
        }
    }

    @Test("a script has a box for each character that no font has, and says which these are")
    func coverage() {
        let fonts = FontCoverage(charsets: "20-7e a0-17f\n5d0-5ea 753b\n")
        let script = "set title '画像 שלום é → ' . \"\u{600}\"\n"
        let (text, missing) = FontCoverage.drawable(script, fonts)
        // U+0600 is a format character, which has no place of its own.
        #expect(text == "set title '画□ שלום é → ' . \"\"\n")
        #expect(missing == ["像"])
        let none = FontCoverage.drawable("写'\u{5B0}\u{600}'真", FontCoverage(charsets: ""))
        #expect(none.text == "□''□" && none.missing == ["写", "真"])
        #expect(FontCoverage.drawable("Ж é □ ≤", FontCoverage(charsets: "")).missing.isEmpty)
    }

    @Test("an SVG keeps a name that no font has, a PNG has boxes, and the name is told", .enabled(if: isInstalled))
    func uncovered() throws {
        try withTemporaryFolder { root in
            let run = Samples.ten(Samples.identity(trace: "写真", cache: "画像"))
            let chart = try #require(ChartKind.charts([run]).first)
            for (fonts, missing) in [("4e00-9fff", ""), ("0-2ff", "画像写真")] {
                let gnuplot = try Gnuplot(fonts: FontCoverage(charsets: fonts))
                let told = try gnuplot.draw(chart, formats: [.svg, .png], in: root)
                #expect(told == Set(missing.unicodeScalars))
                let svg = try String(contentsOfFile: "\(root)/\(chart.name).svg", encoding: .utf8)
                #expect(svg.contains("写真") && ChartFormat.png.isComplete("\(root)/\(chart.name).png"))
            }
            #expect(try names(in: root).count == 2)
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
