import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("Drawing charts")
struct GnuplotTests {
    private static var isInstalled: Bool { (try? Gnuplot()) != nil }

    private func folder(at path: String, _ results: [RunResult]) throws -> ResultsFolder {
        let folder = try ResultsFolder.begin(at: path, Samples.describe(), resume: false)
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
            let pictures = try folder.drawCharts([.svg, .png, .pdf])
            #expect(pictures.count == 3 * ChartKind.ofEveryReplay.count * 3)
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
                try folder.drawCharts([.svg], with: { try Gnuplot(searching: "\(root):/nonexistent") })
            }
            #expect(error?.kind == .missingTool)
            #expect(error?.message.contains("apt-get install gnuplot-nox") == true)
            #expect(error?.message.contains("brew install gnuplot") == true)
            #expect(try names(in: "\(root)/charts").count == 2 * ChartKind.ofEveryReplay.count)
        }
    }

    @Test("an edited script is kept by a new drawing and a new replay, and is drawn", .enabled(if: isInstalled))
    func edited() throws {
        try withTemporaryFolder { root in
            var first: ResultsFolder? = try folder(at: root, [Samples.ten()])
            var messages: [String] = []
            try first?.drawCharts([.svg]) { messages.append($0) }
            try first?.drawCharts([.svg]) { messages.append($0) }
            #expect(messages.isEmpty)
            let script = "\(root)/charts/feed-outcomes.gp"
            let edited = try String(contentsOfFile: script, encoding: .utf8)
                .replacing("What became of the requests", with: "My slide")
            try edited.write(toFile: script, atomically: true, encoding: .utf8)
            let pictures = try #require(try first?.drawCharts([.svg]) { messages.append($0) })
            #expect(messages == ["\(script) was edited, so it is kept; remove it to draw it anew"])
            #expect(try String(contentsOfFile: script, encoding: .utf8) == edited)
            let drawn = try String(contentsOfFile: pictures[0], encoding: .utf8)
            #expect(drawn.contains("My slide"))
            first = nil
            _ = try ResultsFolder.begin(at: root, Samples.describe(), resume: false)
            #expect(try String(contentsOfFile: script, encoding: .utf8) == edited)
            #expect(try names(in: "\(root)/charts") == ["feed-outcomes.gp"])
        }
    }

    @Test(
        "the message of a script that gnuplot rejects has gnuplot's reason, and no picture is left",
        .enabled(if: isInstalled))
    func refused() throws {
        try withTemporaryFolder { root in
            let chart = Chart(
                name: "feed-outcomes", trace: "feed", title: "Feed",
                script: "set output 'feed-outcomes.svg'\nset terminal svg\nplot 'gone.csv'\n",
                data: "")
            let error = #expect(throws: ResultsError.self) { try Gnuplot().draw(chart, formats: [.svg], in: root) }
            #expect(error?.kind == .ioError)
            #expect(error?.message.contains("gone.csv") == true)
            let left = try names(in: root)
            #expect(left.isEmpty)
        }
    }
}
