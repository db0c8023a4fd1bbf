import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The colours of areas")
struct FillTests {
    @Test("contrasts are those of WCAG: 21 for black and white, 4.5 for the known grey")
    func contrast() {
        #expect(abs(Fill.contrast("#000000", "#FFFFFF") - 21) < 1e-9)
        #expect(abs(Fill.contrast("#FFFFFF", "#777777") - 4.478) < 0.001)
        #expect(Fill.contrast("#123456", "#123456") == 1)
    }

    @Test("text is readable on every area", arguments: Fill.allCases)
    func ink(fill: Fill) { #expect(Fill.contrast(fill.colour, fill.ink) >= 4.5) }

    @Test("no area has the colour of another one")
    func distinct() { #expect(Set(Fill.allCases.map(\.colour)).count == Fill.allCases.count) }

    @Test("Text is readable in the darkest cell of a matrix, on white and on dark paper")
    func matrix() {
        // A cell has at most 94 % of the full colour, and the rest is paper.
        func mixed(_ fill: Fill, _ paper: String) -> String {
            let (full, none) = (Int(fill.colour.dropFirst(), radix: 16) ?? 0, Int(paper.dropFirst(), radix: 16) ?? 0)
            let number = [16, 8, 0].reduce(0) { (sum: Int, shift: Int) -> Int in
                let level = 0.94 * Double(full >> shift & 0xFF) + 0.06 * Double(none >> shift & 0xFF)
                return sum << 8 | Int(level.rounded())
            }
            return "#" + String(number, radix: 16)
        }
        for fill in [Fill.late, .within100ms] { #expect(Fill.contrast(mixed(fill, "#ffffff"), "#1b1f24") >= 4.5) }
        for fill in [Fill.never, .within16ms] { #expect(Fill.contrast(mixed(fill, "#14181d"), "#e6e9ed") >= 4.5) }
    }

    /// Returns the colours of the parts of a chart's bars in the order of the picture.
    private func colours(_ chart: Chart) -> [String] {
        chart.script.matches(of: /with boxxyerror linecolor rgb '(#[0-9A-F]{6})'/).map { String($0.1) }
    }

    /// A part can be empty in a row, and then the parts beside it are neighbours. So every pair counts.
    private func check(_ chart: Chart, parts: Int) {
        let colours = colours(chart)
        #expect(colours.count == parts, "\(chart.name)")
        for one in colours.indices {
            for other in colours.indices where other > one {
                let contrast = Fill.contrast(colours[one], colours[other])
                #expect(contrast >= 1.5, "\(chart.name): \(colours[one]) and \(colours[other])")
            }
        }
    }

    @Test("any two parts of a bar of requests have a contrast of at least 1.5")
    func requests() throws {
        var run = Samples.ten()
        (run.counts.wrong, run.counts.failed) = (1, 2)
        (run.counts.shownWithin16ms, run.counts.shownWithin100ms, run.counts.shownWithin1s) = (3, 5, 7)
        let charts = ChartKind.charts([run])
        check(try #require(charts.first { $0.name == "feed-outcomes" }), parts: 6)
        check(try #require(charts.first { $0.name == "feed-times" }), parts: 5)
    }

    @Test("any two causes, and any two waits, have a contrast of at least 1.5, and the words of the tables")
    func explanations() throws {
        var run = Samples.ten()
        run.counts.originFetches += 100
        run.causes = CauseTotals()
        for cause in MissCause.allCases { run.causes?.memory[cause.name] = 2 }
        for wait in Wait.allCases { run.causes?.waits[wait.name] = 1_000_000_000 }
        let explanation = try #require(RunExplanation(run))
        let charts = ExplanationChart.charts([explanation], ChartOptions(formats: [.svg]))
        #expect(charts.map(\.name) == ["feed-causes", "feed-waits"])
        check(charts[0], parts: 7)
        check(charts[1], parts: 7)
        for cause in MissCause.allCases { #expect(charts[0].script.contains(cause.title), "\(cause)") }
        for wait in Wait.allCases { #expect(charts[1].script.contains(wait.title), "\(wait)") }
    }

    @Test("nothing is drawn of what did not happen: no cause without a miss, no wait without blank time")
    func nothing() throws {
        var run = RunResult(identity: Samples.identity())
        run.counts.memoryHits = 4
        run.causes = CauseTotals()
        let explanation = try #require(RunExplanation(run))
        #expect(ExplanationChart.charts([explanation], ChartOptions(formats: [.svg])).isEmpty)
    }
}
