import Basics
import Foundation

/// The files that Apache Otava reads: one CSV for each trace and cache, and the configuration that names them.
///
/// Source: the documentation of Apache Otava 0.8, "CSV importer" (`type: csv`, `time_column`, `attributes`, `metrics`
/// with `direction` 1 if higher is better and -1 if lower is better).
public enum OtavaFiles {
    /// Writes `otava.yaml` and the CSV files to a folder.
    /// - Returns: The names of the tests.
    /// - Throws: ``ResultsError``: `cannotCreate`, also if the folder has such files of others, or `ioError`.
    public static func write(_ history: History, to folder: String) throws -> [String] {
        try ResultsFolder.makeFolder(folder)
        let groups = Dictionary(grouping: history.entries) {
            RunGroup.Key(trace: $0.series.trace, cache: $0.series.cache)
        }
        var yaml = beginning
        var names: [String] = []
        var files: [(name: String, text: String)] = []
        for (key, entries) in groups.sorted(by: { ($0.key.trace, $0.key.cache) < ($1.key.trace, $1.key.cache) }) {
            let name = "\(SafeName(key.trace))--\(SafeName(key.cache))"
            names.append(name)
            let metrics = SummaryColumns.metrics.filter { metric in
                entries.contains { $0.series.metric == metric.name }
            }
            var rows: [[String]] = []
            var places: [String: Int] = [:]
            for entry in entries {
                let place = places[entry.commit] ?? rows.count
                if place == rows.count {
                    places[entry.commit] = place
                    rows.append([entry.time.formatted(.iso8601), entry.commit] + metrics.map { _ in "" })
                }
                guard let column = metrics.firstIndex(where: { $0.name == entry.series.metric }) else { continue }
                rows[place][column + 2] = metrics[column].unit == .ratio ? entry.value.fixed(6) : entry.value.fixed(3)
            }
            let text = ([["time", "commit"] + metrics.map(\.name)] + rows).map(CSVText.line).joined()
            files.append(("\(name).csv", text))
            yaml += "  \(name):\n    type: csv\n    file: \(folder)/\(name).csv\n    time_column: time\n"
            yaml += "    attributes: [commit]\n    metrics:\n"
            for metric in metrics {
                let direction = metric.polarity == .higherIsBetter ? 1 : -1
                yaml += "      \(metric.name): {column: \(metric.name), direction: \(direction)}\n"
            }
        }
        let own = OwnFiles(
            [configuration] + files.map(\.name), shownBy: configuration, of: "an earlier `history otava`"
        ) { folder in
            guard let file = FileHandle(forReadingAtPath: "\(folder)/\(configuration)") else { return false }
            defer { try? file.close() }
            return (try? file.read(upToCount: beginning.utf8.count)) == Data(beginning.utf8)
        }
        try own.refuseForeign(in: folder)
        for file in files { try ResultFile.write(file.text, to: "\(folder)/\(file.name)") }
        try ResultFile.write(yaml, to: "\(folder)/\(configuration)")
        return names
    }

    private static let configuration = "otava.yaml"
    private static let beginning = "# Written by `cachereplay history otava`.\ntests:\n"
}
