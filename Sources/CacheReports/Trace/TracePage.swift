import Basics
import ReplayEngine
import TraceAnalysis

extension TraceInspection {
    /// Returns the statistics of a trace as the page `trace.html`.
    ///
    /// - Parameters:
    ///   - pictures: The charts.
    func document(named trace: String, _ consistency: ConsistencyReport?, pictures: [Document.Block]) -> Document {
        var figures = TextGrid(headings: [
            .text("figure"), .text("value"),
        ])
        figures.rows = rows(consistency).map { [$0.label, $0.value] }
        var document = Document("trace", title: trace, headline: summary.header.title ?? trace)
        if summary.header.synthetic {
            document.blocks.append(.sentences(["Synthetic: a model made this session; it is not recorded."]))
        }
        document.blocks += [.table(figures)] + pictures
        if !warnings.isEmpty { document.blocks += [.heading("Notes"), .list(warnings)] }
        return document
    }
}
