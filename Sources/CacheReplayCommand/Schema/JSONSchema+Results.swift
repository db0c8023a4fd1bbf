import CacheReports
import ReplayEngine
import SessionModel

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
        let required = row.keys.sorted()
        let network = described(text, "The network; absent if the results of the trace are over one.")
        row["network"] = network
        let evidence = object(
            ["trace": text, "network": network, "cache": text, "metric": text, "value": ["type": ["number", "null"]]],
            required: ["trace", "cache", "metric", "value"])
        let subjects = Finding.Subject.ofReplays.map(\.rawValue)
        let conclusion = object(
            [
                "subject": ["type": "string", "enum": subjects],
                "text": text, "evidence": ["type": "array", "items": evidence],
            ], required: ["subject", "text", "evidence"])
        let note = object(["group": text, "text": text], required: ["group", "text"])
        return document(
            "The output of `cachereplay replay --json`",
            object(
                [
                    "conclusions": ["type": "array", "items": conclusion, "maxItems": subjects.count],
                    "results": ["type": "array", "items": object(row, required: required)],
                    "notes": ["type": "array", "items": note],
                ], required: ["conclusions", "results", "notes"]))
    }
}

extension JSONSchema {
    // MARK: The output of `validate --cache --json`

    static var served: Value {
        let comparison = record([
            "trace": string, "cache": string, "requests": count,
            "compared": count("The requests with a recorded source."),
            "agreeing": count("Those whose recorded source is the predicted one."),
            "agreement": figure("The share of the compared requests that agree."),
            "agreement_low": number("The lower end of its 95 % interval, after Wilson."),
            "agreement_high": number("The upper end."),
            "kappa": figure("Cohen's kappa: the agreement beyond that of chance."),
            "unmatched": count("The served events that belong to no request."),
            "matrix": matrix,
            "disagreements": list(disagreement, "The first requests that do not agree."),
        ])
        return document(
            "The output of `cachereplay validate --cache --json`",
            list(comparison, "The comparisons: each trace with each cache."))
    }

    private static var sources: [String] { ServedSource.allCases.map(\.description) }
    private static var predictions: [String] { ServedComparison.Prediction.allCases.map(ServedTable.word) }

    private static var matrix: Value {
        let row = record(Dictionary(uniqueKeysWithValues: (sources + ["not_recorded"]).map { ($0, count) }))
        let rows = record(Dictionary(uniqueKeysWithValues: predictions.map { ($0, row) }))
        return described(rows, "The requests by prediction, then by recorded source.")
    }

    private static var disagreement: Value {
        record([
            "request": count("The number of the request, from 0."), "time_s": number, "key": string,
            "variant": words(Variant.allCases.map(\.description), "What the cell shows."),
            "predicted": words(predictions, "Where the replay had the image."),
            "observed": words(sources, "Where the app had it."),
            "memory_cause": cause("Why memory missed in the replay; null if it did not."),
            "disk_cause": cause("Why the disk missed in the replay; null if it did not, or was not asked."),
            "reason": string("The reason of the prediction, for people."),
        ])
    }

    private static func cause(_ meaning: String) -> Value {
        described(["anyOf": [["type": "null"], words(MissCause.allCases.map(\.name), "A cause.")]], meaning)
    }
}

extension JSONSchema {
    // MARK: The file of `probe nscache --output`

    static var probe: Value {
        document(
            "The file of `cachereplay probe nscache --output`, which `--nscache` reads",
            record(
                [
                    "probe": described(["const": ProbeRecord.version], "The version of this form."),
                    "cachereplay": string("The version of the program that wrote the file."),
                    "class": string("NSCache, or the program in its place."),
                    "platform": record([
                        "name": string("Such as macOS or Linux."), "version": string("That of the system."),
                        "architecture": string, "foundation": string("Foundation, or swift-corelibs-foundation."),
                    ]),
                    "sequences": count("The sequences that ran, each on a new cache."),
                    "operations": count("The operations of all sequences, without the reads at their ends."),
                    "answers": count("The answers to reads."),
                    "repeated": count("The sequences that ran once more."),
                    "differing": count("Those of them whose answers differed then."),
                    "over_limits": count("The sequences at whose end more was held than the limits allow."),
                    "wrong": count("The sequences that returned an object that was not stored last."),
                    "verdict": words(ProbeVerdict.words, "What the probe found."),
                    "models": list(probeModel, "The models, those with the fewest contradictions first."),
                ],
                optional: ["best": words(ProbeModel.all.map(\.name), "The model that fits; absent without one.")]))
    }

    private static var probeModel: Value {
        record(
            [
                "name": words(ProbeModel.all.map(\.name), "The model."),
                "contradicted": count("The sequences with an answer that the model does not give."),
            ],
            optional: [
                "shortest": described(
                    record([
                        "limits": record(["cost": count("0: none."), "count": count("0: none.")]),
                        "operations": list(string, "The operations, with the answers to reads."),
                    ]), "The shortest of them; absent without one, and where answers change from run to run.")
            ])
    }
}
