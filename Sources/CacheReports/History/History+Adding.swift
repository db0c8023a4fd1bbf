import Basics
import Foundation
import Runs

extension History {
    /// What happens to figures of a commit that the history has with other values.
    public enum SameCommit: String, Sendable, CaseIterable {
        /// Nothing is added, and an error says so.
        case refuse
        /// The new figures replace the old ones.
        case replace
    }

    /// Adds the figures of a commit to a file, which is created if it does not exist.
    ///
    /// A torn last line stays a line of its own. Figures that the file has for the commit are not repeated, whatever
    /// their time. The file is replaced by its old content with the new lines, so that a reader, a crash or a full disk
    /// finds all of them or none. Other processes that add to it wait.
    /// - Parameters:
    ///   - results: The figures of the commit.
    ///   - commit: The commit.
    ///   - time: The time of the commit.
    ///   - file: The file of the history.
    ///   - same: What happens to figures of the commit that the file has with other values.
    /// - Returns: The number of new lines, and the problems of the file's earlier lines.
    /// - Throws: `ResultsError`: `badData` for results without figures, a wrong commit, other figures of the commit, a
    ///   file that is not a regular one, or one above ``largestFile``; `cannotCreate`, `ioError`.
    public static func add(
        _ results: ResultSet, commit: String, time: Date, to file: String, same: SameCommit = .refuse
    ) throws -> (new: Int, problems: [Problem]) {
        guard !commit.isEmpty, !commit.contains(where: { $0.isNewline || $0 == "," || $0 == "\"" }) else {
            throw ResultsError(.badData, file: file, "the commit is empty, or has a comma, quote or line break")
        }
        let lines = lines(of: results, commit: commit, time: time)
        guard !lines.isEmpty else {
            throw ResultsError(.badData, file: results.source, "no gated figure, so there is nothing to add")
        }
        let history = try HistoryFile(file)
        var old = try history.text()
        let known = figures(of: commit, in: History(old))
        var new: [Substring] = []
        var others: Set<Series> = []
        for line in lines.split(separator: "\n") {
            guard let entry = History(String(line)).entries.first, let earlier = known[entry.series] else {
                new.append(line)
                continue
            }
            if hasEqualFigures(entry, earlier) { continue }
            others.insert(entry.series)
            new.append(line)
        }
        if let first = others.sorted().first {
            guard same == .replace else {
                throw ResultsError(
                    .badData, file: file,
                    """
                    has other figures of the commit \(commit) already, such as \(first.metric) of \(first.cache) in \
                    \(first.trace); replace them with --same-commit replace, or name another commit
                    """)
            }
            old = removing(others, of: commit, from: old)
        }
        if !new.isEmpty {
            let start = old.isEmpty ? header : old.hasSuffix("\n") ? old : old + "\n"
            try history.replace(with: start + new.map { $0 + "\n" }.joined())
        }
        return (new.count, History(old).problems)
    }

    private static func figures(of commit: String, in history: History) -> [Series: Entry] {
        var figures: [Series: Entry] = [:]
        for entry in history.entries where entry.commit == commit { figures[entry.series] = entry }
        return figures
    }

    /// Whether two entries differ in their time at most.
    private static func hasEqualFigures(_ one: Entry, _ other: Entry) -> Bool {
        var same = one
        same.time = other.time
        return same == other
    }

    /// Returns a text without the lines that have a figure of a commit in some series. Other lines stay as they are.
    private static func removing(_ series: Set<Series>, of commit: String, from text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.filter { line in
            guard line.contains(commit), let entry = History(String(line)).entries.first else { return true }
            return entry.commit != commit || !series.contains(entry.series)
        }
        return kept.joined(separator: "\n")
    }
}
