import Basics
import Foundation
import Runs
import Statistics

/// The figures of many commits: a CSV file that grows by lines.
///
/// Each line has one figure of one trace and cache at one commit, and can be read without the others. Files of two
/// branches therefore merge by union of their lines (`history.csv merge=union` in `.gitattributes`): the order of
/// lines, further header lines and repeated lines mean nothing.
public struct History: Sendable {
    /// One figure of one commit: the median of its repeats.
    public struct Entry: Sendable, Hashable {
        public var time: Date
        public var commit: String
        public var series: Series
        /// `measured`, `modelled` or `instant`, as results name it.
        public var timing: String
        public var value: Double
        public var repeats: Int
        /// The least and the largest figure of the repeats.
        public var low: Double
        public var high: Double
    }

    /// A metric of a trace and cache.
    public struct Series: Sendable, Hashable, Comparable {
        public var trace: String
        public var cache: String
        public var metric: String

        public static func < (one: Series, other: Series) -> Bool {
            (one.trace, one.cache, one.metric) < (other.trace, other.cache, other.metric)
        }
    }

    /// A line that is not used. It stays in the file.
    public struct Problem: Sendable, Equatable {
        public var line: Int
        public var reason: String
    }

    static let columns = [
        "time", "commit", "trace", "cache", "timing", "metric", "value", "repeats", "low", "high",
    ]
    static let header = CSVText.line(columns)

    /// The figures in the order of time, and of commits with equal time in that of the file.
    public private(set) var entries: [Entry] = []
    public private(set) var problems: [Problem] = []

    /// Reads the text of a history. Wrong lines become ``problems``.
    public init(_ text: String) {
        var seen: [Key: Entry] = [:]
        // Each line by itself: a torn line with an open quote must not swallow those behind it.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let header = Self.header.dropLast()
        for (index, line) in lines.enumerated() where !line.isEmpty {
            let line = line.last == "\r" ? line.dropLast() : line
            if line == header { continue }
            do {
                let entry = try Self.entry(String(line))
                let key = Key(commit: entry.commit, series: entry.series)
                if let earlier = seen[key] {
                    if earlier != entry {
                        problems.append(
                            Problem(
                                line: index + 1, reason: "another figure of a commit that has one; the first counts"))
                    }
                    continue
                }
                seen[key] = entry
                entries.append(entry)
            } catch let problem as LineProblem {
                problems.append(Problem(line: index + 1, reason: problem.reason))
            } catch {
                problems.append(Problem(line: index + 1, reason: "not a line of CSV"))
            }
        }
        entries = entries.stableSorted { $0.time < $1.time }
    }

    private struct Key: Hashable {
        var commit: String
        var series: Series
    }

    private struct LineProblem: Error {
        var reason: String
    }

    private static func entry(_ line: String) throws -> Entry {
        let fields = try CSVReader.records(of: line + "\n", file: "").first?.fields ?? []
        guard fields.count == columns.count else {
            throw LineProblem(reason: "\(fields.count) fields, expected \(columns.count): torn, or of another program")
        }
        guard let time = try? Date(fields[0], strategy: .iso8601) else {
            throw LineProblem(reason: "time is '\(fields[0])', expected 2026-01-31T12:00:00Z")
        }
        func number(_ place: Int) throws -> Double {
            guard let number = Double(fields[place]), number.isFinite else {
                throw LineProblem(reason: "\(columns[place]) is '\(fields[place])', expected a finite number")
            }
            return number
        }
        guard let repeats = Int(fields[7]), repeats > 0 else {
            throw LineProblem(reason: "repeats is '\(fields[7])', expected a whole number from 1 on")
        }
        return Entry(
            time: time, commit: fields[1], series: Series(trace: fields[2], cache: fields[3], metric: fields[5]),
            timing: fields[4], value: try number(6), repeats: repeats, low: try number(8), high: try number(9))
    }

    /// Returns the lines for the gated figures of results.
    ///
    /// - Parameters:
    ///   - results: The results of one commit.
    ///   - commit: The name of the commit, without line breaks.
    ///   - time: The time of the commit, in seconds.
    static func lines(of results: ResultSet, commit: String, time: Date) -> String {
        results.groups.map { group in
            SummaryColumns.metrics.filter(\.isGated).compactMap { metric -> String? in
                let values = group.values(metric.name).sorted()
                guard let low = values.first, let high = values.last else { return nil }
                let numbers = [Median.ofSorted(values), low, high].map { metric.unit.history.written(.real($0)) }
                return CSVText.line([
                    time.formatted(.iso8601), commit, line(group.key.place), line(group.key.cache),
                    group.settings("timing").sorted().joined(separator: "/"), metric.name, numbers[0],
                    "\(values.count)", numbers[1], numbers[2],
                ])
            }.joined()
        }.joined()
    }

    /// Names with line breaks would tear lines.
    private static func line(_ name: String) -> String { VisibleText.printable(name) }

    // MARK: Files

    /// The largest file of a history in bytes: about three million figures.
    public static let largestFile = 256 << 20

    /// Reads a file.
    /// - Throws: `ResultsError`: `notFound`, `ioError`, or `badData` for a file without a figure, one that is not a
    ///   regular one, or one above ``largestFile``.
    public static func read(_ file: String) throws -> History {
        guard ResultFile.exists(file) else { throw ResultsError(.notFound, file: file, "no such file; check the path") }
        let history = History(try HistoryFile.text(at: file))
        guard !history.entries.isEmpty else {
            let first = history.problems.first.map { "line \($0.line): \($0.reason)" } ?? "it is empty"
            throw ResultsError(.badData, file: file, "no figure of a commit: \(first)")
        }
        return history
    }

    /// The figures of each series, in the order of time.
    public var series: [(series: Series, entries: [Entry])] {
        Dictionary(grouping: entries, by: \.series).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The changes of level in all series.
    public var changes: [Change] {
        series.flatMap { series, entries in
            let isExact = entries.allSatisfy { !$0.timing.hasPrefix("measured") }
            return ChangePoints.ofHistories.find(entries.map(\.value), isExact: isExact).map { place in
                Change(
                    series: series, entry: entries[place.index], before: place.before, after: place.after)
            }
        }
    }

    /// A commit with which a figure changed.
    public struct Change: Sendable, Equatable {
        public var series: Series
        /// The first commit with the new level.
        public var entry: Entry
        /// The medians of the levels.
        public var before: Double
        public var after: Double
    }
}

extension Unit {
    /// The unit whose digits a history keeps: medians of counts can end in .5.
    fileprivate var history: Unit { places == 0 ? .perSecond : self }
}

extension ChangePoints {
    /// The changes that a history reports.
    static let ofHistories = ChangePoints(
        smallestStep: SmallestEffect.ofCommits, smallestShift: SmallestEffect.ofBuilds)
}
