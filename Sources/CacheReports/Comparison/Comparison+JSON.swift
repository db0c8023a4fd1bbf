extension Comparison {
    /// For programs: every figure that was judged, also those that stayed the same.
    var json: String {
        let whole = JSONText.object([
            ("worse", .bool(hasWorsened)), ("verdict", .string(verdict)),
            ("warnings", .array(warnings.map { .string($0) })),
            ("missing_cells", .array(missingCells.map(Self.json))), ("new_cells", .array(newCells.map(Self.json))),
            ("findings", .array(findings.map(Self.json))),
        ])
        return whole.rendered() + "\n"
    }

    private static func json(_ cell: Cell) -> JSONText {
        .object([("trace", .string(cell.trace)), ("cache", .string(cell.cache))])
    }

    private static func json(_ finding: Finding) -> JSONText {
        .object([
            ("trace", .string(finding.trace)), ("cache", .string(finding.cache)), ("metric", .string(finding.metric)),
            ("baseline", .figure(finding.baseline, finding.unit)),
            ("candidate", .figure(finding.candidate, finding.unit)),
            ("gated", .bool(finding.isGated)), ("allowed", .figure(finding.allowed, finding.unit)),
            ("verdict", .string(finding.verdict.rawValue)), ("failed", .bool(finding.isFailure)),
        ])
    }
}
