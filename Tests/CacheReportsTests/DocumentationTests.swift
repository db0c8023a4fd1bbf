import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The documentation pages")
struct DocumentationTests {
    private static func page(_ name: String, of module: String = "CacheReports") throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("Sources/\(module)/\(module).docc/\(name).md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    /// Returns the section under a heading.
    private static func section(_ heading: String, of page: String) -> String {
        let parts = page.components(separatedBy: "\n### \(heading)\n")
        return parts.count == 2 ? parts[1].components(separatedBy: "\n### ")[0] : ""
    }

    /// Returns the rows of the tables in a text, without headings.
    private static func rows(_ text: String) -> [String] {
        text.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }
    }

    private static func row(_ entry: ColumnDictionary.Entry) -> String {
        let unit = entry.unit.rawValue.replacing("_", with: " ")
        let better = entry.better.map { $0 == .neutral ? "–" : $0.rawValue } ?? "–"
        return "| `\(entry.column)` | \(unit) | \(better) | \(entry.isGated ? "yes" : "–") | \(entry.meaning) |"
    }

    @Test("CSVColumns.md has every column of every file, in order, with unit, direction, gate and meaning")
    func columns() throws {
        let page = try Self.page("CSVColumns")
        for (file, entries) in Dictionary(grouping: ColumnDictionary.entries, by: \.file) {
            let documented = Self.rows(Self.section(file, of: page))
            #expect(documented == entries.map(Self.row), "\(file): run scripts/goldens --update")
        }
    }

    @Test("Explanations.md has every lever, in order, and who makes the change")
    func levers() throws {
        let page = try Self.page("Explanations", of: "ReplayEngine")
        let documented = Self.rows(page).filter { $0.contains("` | app | ") || $0.contains("` | cache | ") }
        #expect(documented.count == Lever.Kind.allCases.count)
        for (row, kind) in zip(documented, Lever.Kind.allCases) {
            #expect(row.hasPrefix("| `\(kind.rawValue)` | \(kind.isOfApp ? "app" : "cache") | "))
        }
    }

    @Test("ResultFiles.md lists every chart and every CSV file")
    func charts() throws {
        let page = try Self.page("ResultFiles")
        let documented = Self.rows(Self.section("Charts", of: page)).map { $0.split(separator: "`")[1] }
        let kinds = [
            ChartKind.allCases.map(\.rawValue), OverviewChart.allCases.map(\.rawValue),
            FleetChart.allCases.map(\.rawValue), SimulationChart.allCases.map(\.rawValue),
        ]
        #expect(documented.map(String.init) == kinds.flatMap { $0 })
        for kind in OverviewChart.allCases { #expect(page.contains("| `\(kind.rawValue)` | \(kind.meaning) |")) }
        for kind in ChartKind.allCases { #expect(page.contains("| `\(kind.rawValue)` | \(kind.meaning) |")) }
        for file in [
            "summary", "latency", "timeline", "requests", "miss_ratio", "miss_ratio_over_time", "curve",
            "least_misses",
        ] {
            #expect(page.contains("| `\(file).csv` |"), "\(file)")
        }
    }
}
