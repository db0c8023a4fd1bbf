import CacheReports
import ReplayEngine
import SessionModel

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
