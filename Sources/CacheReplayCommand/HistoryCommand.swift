import ArgumentParser
import Basics
import CacheReports
import Foundation

/// `cachereplay history`: the figures of many commits.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Keep the figures of many commits, and find the commits that changed them.",
        discussion: """
            EXAMPLE
              cachereplay history add Results/main --commit "$(git rev-parse HEAD)"
              cachereplay history page history.csv --output history.html

            Files of two branches merge by their lines: write "history.csv merge=union" to
            .gitattributes.
            """,
        subcommands: [Add.self, Page.self, Otava.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Append the gated figures of results to a history.",
            discussion: """
                Figures that the history has for the commit are not added again. Other figures of the same commit \
                are an error. With --same-commit replace, they replace the earlier ones.

                Example: cachereplay history add Results/main --commit 1a2b3c4
                """)

        @Argument(help: "The results: a results folder, a folder of gate (its candidate is added), or a summary.csv.")
        var results: String

        @Option(help: "The commit that the results are of.")
        var commit: String

        @Option(
            help: ArgumentHelp(
                "The time of the commit, such as 2026-01-31T12:00:00Z; by default now.", valueName: "time"))
        var time: String?

        @Option(help: "The file of the history; by default history.csv.", completion: .file())
        var history: String?

        @Option(help: "What to do with other figures of the same commit: refuse them, or replace the earlier ones.")
        var sameCommit = History.SameCommit.refuse

        // The earlier name of --history, for one release.
        @Option(help: .hidden)
        var to: String?

        @OptionGroup var printing: QuietOption

        func validate() throws {
            if history != nil, to != nil { throw ValidationError("--to is the old name of --history; give one.") }
            if let time, (try? Date(time, strategy: .iso8601)) == nil {
                throw ValidationError("--time is a time such as 2026-01-31T12:00:00Z, not '\(time)'.")
            }
        }

        func run() throws {
            let file = history ?? to ?? "history.csv"
            let date = try time.map { try Date($0, strategy: .iso8601) } ?? Date()
            let (new, problems) = try History.add(
                try ResultSet.read(results), commit: commit, time: date, to: file, same: sameCommit)
            guard !printing.quiet else { return }
            report(problems, of: file)
            CommandOutput.print(
                new == 0 ? "\(file) has these figures already." : "Added \(new) figures of \(commit) to \(file).")
        }
    }

    struct Page: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "page", abstract: "Write a page with a line for each figure and the commits that changed it.",
            discussion: """
                The messages and dates of the commits that changed figures come from the git repository of the \
                current folder, if it has commits of these ids. Their links lead to its remote repository origin, if \
                its address is https://HOST/PATH or git@HOST:PATH.

                Example: cachereplay history page history.csv --output history.html
                """)

        @Argument(help: "The file of the history.")
        var file: String

        @Option(name: .shortAndLong, help: "The page.")
        var output: String

        @Option(
            name: .customLong("commit-url"),
            help: ArgumentHelp(
                """
                The address of a commit's page, with % for the id: https://example.com/owner/app/commit/%. By default \
                that of the remote repository.
                """, valueName: "template"),
            transform: { text in
                guard let address = CommitAddress(template: text) else {
                    throw ValidationError(
                        "expected an address with one % for the id, such as https://example.com/owner/app/commit/%")
                }
                return address
            })
        var commitURL: CommitAddress?

        @Flag(help: "Print how many figures changed, and the changes.")
        var changes = false

        @Flag(help: "Print the changes as JSON.")
        var json = false

        func run() throws {
            let history = try HistoryCommand.read(file)
            let found = history.changes
            let facts = GitRepository.facts(of: found.map(\.entry.commit).unique(), stated: commitURL)
            try HistoryPage.write(history, found, facts, to: output)
            if json {
                if let note = facts.note { printToStandardError(note) }
                try printJSON(facts.records(of: found))
            } else if changes {
                CommandOutput.print(HistoryPage.summary(found, of: history.series.count, facts))
            }
        }
    }

    /// The earlier name `history otava`, now `export --as otava`. It is accepted for one release.
    struct Otava: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "otava", abstract: "Write a history in the form that Apache Otava reads.",
            discussion: """
                Example: cachereplay history otava history.csv --output Results/otava
                         otava analyze --config-file Results/otava/otava.yaml feed--app
                """,
            shouldDisplay: false)

        @Argument(help: "The file of the history.")
        var file: String

        @Option(name: .shortAndLong, help: "The folder for the files.")
        var output: String

        func run() throws {
            try ExportCommand.writeOtavaFiles(of: file, to: output, command: "history otava")
        }
    }

    /// Reads a history, and reports lines that are not used.
    static func read(_ file: String) throws -> History {
        let history = try History.read(file)
        report(history.problems, of: file)
        return history
    }
}

extension History.SameCommit: ExpressibleByArgument {}

/// Reports lines that are not used.
private func report(_ problems: [History.Problem], of file: String) {
    for problem in problems.prefix(10) { printToStandardError("\(file):\(problem.line): not used: \(problem.reason).") }
    if problems.count > 10 { printToStandardError("\(file): \(problems.count - 10) more lines are not used.") }
}
