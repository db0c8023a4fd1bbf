import Basics
import ResultColumns
import Runs

/// The data dictionary of all CSV files, made from the tables of columns that write them.
public enum ColumnDictionary {
    public struct Entry: Sendable, Equatable {
        public var file: String
        public var column: String
        public var unit: Unit
        /// The better direction of a metric; nil for columns that identify a row.
        public var better: Polarity?
        /// Whether `compare` fails on the metric without `--allow`.
        public var isGated: Bool
        public var meaning: String
    }

    /// Every column, in the order of the files and of the columns in them.
    public static let entries: [Entry] = ofReplays + ofSimulations

    private static let ofReplays: [Entry] =
        entries("summary.csv", SummaryColumns.all) + entries("latency.csv", LatencyColumns.all)
        + entries("timeline.csv", TimelineColumns.all) + entries("requests.csv", RequestColumns.all)
        + entries("fleet.csv", FleetColumns.statistics) + entries("fleet-pairs.csv", FleetColumns.pairs)
        + entries("fleet-latency.csv", FleetColumns.latencies)
        + entries("causes.csv", CauseColumns.all) + entries("waits.csv", WaitColumns.all)
        + entries("advice.csv", AdviceColumns.all)

    private static let ofSimulations: [Entry] =
        entries("miss_ratio.csv", MissRatioFile.allColumns)
        + entries("miss_ratio_over_time.csv", MissRatioOverTimeFile.columns)
        + entries("curve.csv", CurveFile.columns + CurveFile.intervals)
        + entries("least_misses.csv", LeastMissesFile.columns)

    private static func entries<Row>(_ file: String, _ columns: [Column<Row>]) -> [Entry] {
        columns.map {
            Entry(
                file: file, column: $0.name, unit: $0.unit, better: $0.polarity, isGated: $0.isGated,
                meaning: $0.meaning)
        }
    }

    public static var csv: String { CSVText.header(columns) + CSVText.rows(columns, entries) }

    private static let columns: [Column<Entry>] = [
        .identity("file", "name of the file") { .text($0.file) },
        .identity("column", "name of the column") { .text($0.column) },
        .identity("unit", "unit of its numbers") { .text($0.unit.rawValue) },
        .identity("better", "higher, lower or neutral; empty for columns that identify a row") {
            .text($0.better?.rawValue ?? "")
        },
        .identity("gated", "whether compare fails on it without --allow") { .text($0.isGated ? "yes" : "no") },
        .identity("meaning", "its meaning") { .text($0.meaning) },
    ]
}
