import Foundation
import Testing

@testable import CacheReports

@Suite("chart draws every kind of results again", .namesCommands, .enabled(if: (try? Gnuplot()) != nil))
struct ChartCommandTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-grid.jsonl").path

    struct Case: Sendable, CustomTestStringConvertible {
        var kind: ResultKind
        var arguments: [String]
        /// The pictures in one format.
        var pictures: Int
        /// A page that restyled pictures leave as it is; nil for results without one.
        var page: String?

        var testDescription: String { kind.rawValue }
    }

    static let cases = [
        Case(
            kind: .replay, arguments: ["replay", trace, "--cache", "lru(2MB)", "--timing", "modelled", "-q"],
            pictures: 7, page: "report.html"),
        Case(
            kind: .simulation,
            arguments: ["simulate", trace, "--policy", "lru,fifo", "--capacity", "1MB,2MB", "-q"], pictures: 3,
            page: "report.html"),
        Case(
            kind: .explanation, arguments: ["explain", trace, "--cache", "lru(2MB)", "-q"], pictures: 2,
            page: "explanation.html"),
        Case(
            kind: .advice, arguments: ["advise", trace, "--for", "kingfisher-8", "--memory", "64MB", "-q"], pictures: 1,
            page: "advice.html"),
        Case(kind: .trace, arguments: ["trace", "info", trace, "--quiet"], pictures: 9, page: "trace.html"),
        Case(
            kind: .gate, arguments: ["gate", "caches.yaml", "caches.yaml", trace, "--timing", "modelled", "-q"],
            pictures: 6, page: nil),
    ]

    @Test("each kind has a case here")
    func complete() { #expect(Self.cases.map(\.kind) == ResultKind.allCases) }

    @Test("in another size, font, look and order, and the page stays as it is", arguments: cases)
    func restyled(example: Case) throws {
        try withTemporaryFolder { folder in
            _ = try folder.write("caches:\n  app: {memory: lru(2MB)}\n", to: "caches.yaml")
            let made = try Binary.run(example.arguments + ["--output", "out"], in: folder)
            try #require(made.status == 0, "\(made.errors)")
            let output = folder.appendingPathComponent("out")
            let page = try example.page.map { try output.text($0) }
            let drawn = try Binary.run(
                [
                    "chart", "out", "--pictures", "svg", "--size", "900x500", "--font", "Georgia,13", "--dark",
                    "--order", "name", "--title", "It's for the review",
                ], in: folder)
            #expect(drawn.status == 0, "\(drawn.errors)")
            let pictures = drawn.output.split(separator: "\n")
            #expect(pictures.count == example.pictures, "\(pictures)")
            for picture in pictures {
                let svg = try folder.text(String(picture))
                #expect(svg.contains("width=\"900\" height=\"500\"") && svg.contains("font-family=\"Georgia\""))
                #expect(svg.contains("It's for the review") && svg.contains("fill=\"#17181c\""))
            }
            #expect(try example.page.map { try output.text($0) } == page)
            let unknown = try Binary.run(["chart", "out", "--trace", "stress-gird"], in: folder)
            #expect(unknown.status == 66, "\(unknown.errors)")
            #expect(unknown.errors.contains("has no trace 'stress-gird'"), "\(unknown.errors)")
        }
    }

    @Test("an explanation in the folder of a replay is drawn with it")
    func together() throws {
        try withTemporaryFolder { folder in
            for kind in [0, 2] {
                let made = try Binary.run(Self.cases[kind].arguments + ["--no-charts", "--output", "out"], in: folder)
                try #require(made.status == 0, "\(made.errors)")
            }
            let drawn = try Binary.run(
                ["chart", "out", "--pictures", "svg", "--cache", "lru(2MB)", "--trace", "stress-grid"], in: folder)
            #expect(drawn.status == 0 && drawn.output.split(separator: "\n").count == 9, "\(drawn.errors)")
        }
    }
}
