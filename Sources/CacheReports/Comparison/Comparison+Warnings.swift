extension Comparison {
    /// What makes figures incomparable although their names agree.
    static func warnings(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [CellFigures], _ after: [CellFigures.Key: CellFigures]
    ) -> [String] {
        var warnings: [String] = []
        func warn(_ text: String) {
            if !warnings.contains(text) { warnings.append(text) }
        }
        for old in common {
            guard let new = after[old.key] else { continue }
            let trace = ShortNames.printable(old.key.trace)
            if let was = baseline.traceHashes[old.key.trace], let now = candidate.traceHashes[old.key.trace] {
                if was != now { warn("trace \(trace) is not the same file on both sides (its SHA-256 differs)") }
            } else if ["requests", "trace_s"].contains(where: { old.median($0) != new.median($0) }) {
                warn("trace \(trace) does not seem to be the same: its requests or its length differ")
            }
            for setting in ["clock", "timing", "seed"] where old.settings(setting) != new.settings(setting) {
                let was = old.settings(setting).sorted().joined(separator: "/")
                let now = new.settings(setting).sorted().joined(separator: "/")
                warn("the \(setting) differs: \(was) before, \(now) now; replay both sides the same way")
            }
        }
        return warnings
    }
}
