import CacheReports

extension JSONSchema {
    // MARK: The output of `replay --json`

    static var results: Value {
        let text: Value = ["type": "string"]
        let metrics = SummaryColumns.metrics.map { column -> (String, Any) in
            let direction = column.polarity.map { "; better: \($0.rawValue)" } ?? ""
            return (
                column.name,
                described(["type": ["number", "null"]], "\(column.meaning) (\(column.unit.rawValue)\(direction))")
            )
        }
        var row: Value = [
            "trace": text, "cache": text,
            "repeats": described(["type": "integer", "minimum": 1], "The runs whose medians the figures are."),
        ]
        row.merge(metrics) { $1 }
        let evidence = object(
            ["trace": text, "cache": text, "metric": text, "value": ["type": ["number", "null"]]],
            required: ["trace", "cache", "metric", "value"])
        let conclusion = object(
            [
                "subject": ["type": "string", "enum": Conclusion.Subject.allCases.map(\.rawValue)],
                "text": text, "evidence": ["type": "array", "items": evidence],
            ], required: ["subject", "text", "evidence"])
        let note = object(["group": text, "text": text], required: ["group", "text"])
        return document(
            "The output of `cachereplay replay --json`",
            object(
                [
                    "conclusions": ["type": "array", "items": conclusion, "maxItems": 5],
                    "results": ["type": "array", "items": object(row, required: row.keys.sorted())],
                    "notes": ["type": "array", "items": note],
                ], required: ["conclusions", "results", "notes"]))
    }
}
