import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("report.html")
struct ReportPageTests {
    @Test("has the table, the notes and every chart of its trace, and needs no network")
    func page() throws {
        var run = Samples.ten(Samples.identity(cache: "<lru> & \"co\""))
        run.notes = [.traceWarning("3 < 4")]
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        let charts = ChartKind.charts([run], formats: [.svg]).map { ($0, svg) }
        let html = ReportPage([run], nil, charts).html
        #expect(html.hasPrefix("<!doctype html>"))
        #expect(html.contains("&lt;lru&gt; &amp; ") && !html.contains("<lru>"))
        #expect(html.contains("3 &lt; 4"))
        #expect(html.components(separatedBy: svg.base64EncodedString()).count == 1 + charts.count)
        for reference in ["href=\"http", "src=\"http", "url(http", "@import"] {
            #expect(!html.contains(reference), "\(reference)")
        }
    }

    @Test("Conclusions come first, then the contents, the sessions and the tables")
    func order() throws {
        let html = ReportPage([Samples.ten()], nil, []).html
        let places = ["<h2 id=\"conclusions\">", "<h2>Contents</h2>", "Glossary</h2>"].map {
            html.range(of: $0)?.lowerBound
        }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test("A page that would be too large thins its timelines, and says so")
    func thinned() throws {
        let run = Samples.session(Samples.identity(), quality: 0.5, memory: 1e6, seconds: 5_000)
        let whole = ReportPage([run], nil, []).html
        let small = ReportPage([run], nil, []).html(mostBytes: whole.utf8.count / 2)
        #expect(small.utf8.count < whole.utf8.count)
        #expect(small.contains("A point of a timeline has the highest values of"))
        #expect(!whole.contains("A point of a timeline has the highest values of"))
    }
}
