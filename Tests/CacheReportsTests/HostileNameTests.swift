import Basics
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import Testing
import TraceAnalysis

@testable import CacheReports
@testable import Runs

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Charts and pages of real results with hostile names, drawn by gnuplot and read by an XML parser.
@Suite("Hostile names in charts and pages", .enabled(if: (try? Gnuplot()) != nil))
struct HostileNameTests {
    @Test("every chart of a replay is drawn, and shows the names of its trace and caches", arguments: HostileName.all)
    func replay(hostile: HostileName) throws {
        try withTemporaryFolder { root in
            // Two caches have the same figures, and are compared with the third one.
            let results = [(hostile.name, 0.7), ("lru", 0.7), ("other", 0.2)].map { name, quality in
                var run = Samples.session(
                    Samples.identity(trace: hostile.name, cache: name), quality: quality, memory: quality * 1e8)
                run.timeline[0].blankCells = 1 - quality
                let delivered = Int64((1 - quality) * 1_000_000)
                run.film = Film([.init(appeared: 0, delivered: delivered, source: .origin)])
                return run
            }
            var description = Samples.describe(caches: [hostile.name, "lru", "other"])
            description.traces[0].name = hostile.name
            description.command.append(hostile.name)
            let folder = try ReplayStore.begin(at: root, description, resume: false)
            for var result in results {
                result.prefetch.fetches = 1
                try folder.add(result)
            }
            var options = ChartOptions()
            options.formats = [.svg]
            let pictures = try folder.drawCharts(options).pictures
            #expect(pictures.count == ChartKind.allCases.count - 1)  // Nothing is swept.
            try Self.check(pictures, show: hostile)
            try Self.checkPage("\(root)/report.html", shows: hostile)
            #expect(try names(in: "\(root)/charts").allSatisfy { !$0.hasPrefix("hostile") })
            #expect(!FileManager.default.fileExists(atPath: "hostile"))
        }
    }

    @Test(
        "every chart of a simulation is drawn, and shows the names of its trace and policies",
        arguments: HostileName.all)
    func simulation(hostile: HostileName) throws {
        try withTemporaryFolder { root in
            var description = SimulationChartTests.describe(name: hostile.name)
            description.policies = [.init(name: hostile.name, specification: hostile.name)]
            let folder = try SimulationStore.begin(at: root, description, resume: false)
            for (index, policy) in ["lru", hostile.name].enumerated() {
                for capacity in [100, 1_000] {
                    try folder.add(
                        SimulationChartTests.row(
                            policy, capacity, misses: 90 - index - capacity / 20, trace: hostile.name))
                }
            }
            let pictures = try folder.drawCharts(ChartOptions(formats: [.svg])).pictures
            #expect(pictures.count == SimulationChart.allCases.count - 1)  // Nothing is counted over time.
            try Self.check(pictures, show: hostile)
            try Self.checkPage("\(root)/report.html", shows: hostile)
            #expect(try SimulationStore.open(root).rows == folder.rows)
        }
    }

    @Test("every chart of a trace is drawn, and shows the name of its trace", arguments: HostileName.some)
    func trace(hostile: HostileName) throws {
        try withTemporaryFolder { root in
            var trace = TracePageTests.trace
            trace.header.title = hostile.name
            for object in trace.objects.indices { trace.objects[object].key += hostile.name }
            var encoder = JSONLinesEncoder()
            encoder.append(trace)
            let inspection = try TraceInspection(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
            let pictures = try inspection.writeFigures(named: hostile.name, to: root, formats: [.svg]).pictures
            #expect(pictures.count == TraceChart.allCases.count)
            try Self.check(pictures, show: hostile)
        }
    }

    @Test("a comparison of hostile names is JUnit that any XML parser reads", arguments: HostileName.all)
    func junit(hostile: HostileName) throws {
        let identity = Samples.identity(trace: hostile.name, cache: hostile.name)
        let results = ResultSet([Samples.ten(identity)], source: "test")
        let junit = try Comparison(baseline: results, candidate: results).rendered(as: .junit)
        #expect(throws: Never.self) { try XMLText(Data(junit.utf8)) }
    }

    // MARK: Reading

    private static func folded(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// Checks that SVG pictures show a name. Blanks are removed, because long names are wrapped and drivers trim lines.
    private static func check(_ pictures: [String], show hostile: HostileName) throws {
        let name = folded(hostile.drawn)
        for picture in pictures {
            let text = folded(try XMLText(try Data(contentsOf: URL(fileURLWithPath: picture))).text)
            #expect(name.isEmpty || text.contains(name), "\(picture): \(text.prefix(2_000))")
        }
    }

    /// Checks that a page shows a name only in its escaped form.
    private static func checkPage(_ path: String, shows hostile: HostileName) throws {
        let page = try String(contentsOfFile: path, encoding: .utf8)
        #expect(page.contains(MarkupText.escaped(hostile.name)))
        // The report on a replay has a script and a block of data of its own.
        let scripts = path.hasSuffix("/report.html") && page.contains("script-src") ? 2 : 0
        #expect(page.components(separatedBy: "<script").count == 1 + scripts)
        #expect(!page.contains("</svg>") && !page.contains("]]>"))
        let hidden = page.unicodeScalars.filter { scalar in
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
            return isControl || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
        #expect(hidden.isEmpty)
    }
}

/// The characters of an XML document.
private final class XMLText: NSObject, XMLParserDelegate {
    struct NotWellFormed: Error { var reason: String }

    private(set) var text = ""

    /// - Throws: ``NotWellFormed`` if the document is not well-formed.
    init(_ data: Data) throws {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        guard parser.parse() else { throw NotWellFormed(reason: "\(parser.parserError as Any)") }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }
}
