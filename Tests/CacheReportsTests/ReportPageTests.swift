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
        let html = ReportPage(ResultSet([run], source: "test"), nil, charts).html
        #expect(html.hasPrefix("<!doctype html>"))
        #expect(html.contains("<td>&lt;lru&gt; &amp; &quot;co&quot;"))
        #expect(html.contains("3 &lt; 4"))
        #expect(html.components(separatedBy: svg.base64EncodedString()).count == 1 + ChartKind.allCases.count)
        for reference in ["href=", "src=\"http", "<script", "url("] {
            #expect(!html.contains(reference), "\(reference)")
        }
    }
}
