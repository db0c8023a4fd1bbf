import Basics
import Runs
import Statistics

extension FleetStatistics {
    /// The conclusions, figures and notes as JSON, with a line break at the end.
    public var json: String {
        JSONValue.object([
            ("conclusions", .array(conclusions.map { .string($0.text) })),
            ("sessions", .number("\(sessionCount)")), ("users", .number("\(userCount)")),
            ("figures", .array(rows.map(Self.json))), ("pairs", .array(pairs.map(Self.json))),
            ("latencies", .array(latencies.map { FleetColumns.latencies.json($0) })),
            ("notes", .array(notes.map(JSONValue.string))),
        ]).text(.indented) + "\n"
    }

    private static func json(_ row: Row) -> JSONValue {
        let unit = row.figure.unit
        return .object(
            [
                ("cache", .string(row.cache)), ("figure", .string(row.figure.rawValue)),
                ("over", .string(row.level.rawValue)), ("mean", json(row.mean, unit)),
            ] + zip(shareNames, row.quantiles).map { ($0, json($1, unit)) } + [
                ("count", .number("\(row.count)")), ("without", .number("\(row.countWithout)")),
            ])
    }

    private static func json(_ pair: Pair) -> JSONValue {
        .object([
            ("first", .string(pair.first)), ("second", .string(pair.second)),
            ("figure", .string(pair.figure.rawValue)), ("difference", json(pair.difference, pair.figure.unit)),
            ("better", .figure(pair.better, .ratio)), ("worse", .figure(pair.worse, .ratio)),
            ("equal", .figure(pair.equal, .ratio)), ("count", .number("\(pair.count)")),
            ("without", .number("\(pair.countWithout)")),
        ])
    }

    private static func json(_ estimate: Estimate, _ unit: Unit) -> JSONValue {
        .object([
            ("value", .figure(estimate.value, unit)), ("low", .figure(estimate.interval?.low, unit)),
            ("high", .figure(estimate.interval?.high, unit)),
            ("no_interval", estimate.lack.map { .string($0.rawValue) } ?? .null),
        ])
    }
}
