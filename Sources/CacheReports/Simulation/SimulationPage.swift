import Basics
import Runs

extension Document {
    /// Creates `report.html` of a simulation: the policies that miss least, then charts and tables by trace.
    ///
    /// - Parameter manifest: The facts of the simulation; nil if the folder has none.
    init(
        _ rows: [MissRatioRow], _ bounds: [LeastMissesRow], _ manifest: Manifest<SimulationFacts>?,
        pictures: [Chart.Picture]
    ) {
        let traces = (rows.map(\.trace) + pictures.map(\.chart.trace)).unique()
        self.init("simulation", title: traces.joined(separator: ", "), headline: "Which policy, and how large?")
        let findings = MissRatioFile.findings(rows)
        if !findings.isEmpty { blocks.append(.findings(findings)) }
        if let warmup = MissRatioFile.meaningOfWarmUp(rows) { blocks.append(.sentences([warmup])) }
        if let samples = MissRatioFile.meaningOfSamples(rows, []) { blocks.append(.sentences([samples])) }
        let rowsByTrace = Dictionary(grouping: rows, by: \.trace)
        let boundsByTrace = Dictionary(grouping: bounds, by: \.trace)
        let picturesByTrace = Dictionary(grouping: pictures, by: \.chart.trace)
        for trace in traces {
            blocks.append(.heading(trace))
            blocks += Block.pictures(picturesByTrace[trace] ?? [])
            if let own = rowsByTrace[trace] { blocks.append(.details("Figures", [.table(MissRatioFile.grid(own))])) }
            guard let own = boundsByTrace[trace] else { continue }
            let table = Block.table(LeastMissesFile.grid(own))
            blocks.append(.details("The fewest misses of any policy", [table, .sentences(LeastMissesFile.meaning)]))
        }
        self = titledByAnswer()
        guard let manifest else { return }
        if let leftOut = manifest.leftOut {
            blocks += [.heading("Policies that a trace does not suit"), .list(leftOut.map(\.sentence))]
        }
        let machine = manifest.machine
        blocks += [
            .heading("How to repeat it"), .code(ShellText.line(manifest.command)),
            .list(
                manifest.traces.map { "\($0.name): SHA-256 \($0.sha256)" }
                    + manifest.policies.map { "\($0.name): \($0.specification)" } + [machine.summary]),
        ]
    }
}
