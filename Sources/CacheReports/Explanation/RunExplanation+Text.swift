import Basics
import Foundation
import ReplayEngine

extension RunExplanation {
    /// Returns what follows from the figures, a sentence each.
    public var sentences: [String] {
        var sentences: [String] = []
        let misses = requests - memoryHits
        guard misses > 0 else { return ["Memory answered all \(requests) requests."] }
        let unavoidable = memoryMisses(.firstRequest, .similarKey)
        let limited = memoryMisses(.capacity, .policy, .evictedAtOnce, .wrongPrefetch)
        if limited == 0 {
            sentences.append(
                """
                The memory limit caused none of the \(Self.count(misses, "miss", "misses")): \
                \(unavoidable == misses ? "all" : "\(unavoidable)") were first requests\
                \(unavoidable == misses ? "" : ", \(misses - unavoidable) had other causes").
                """)
        } else {
            let avoidable = memoryMisses(.policy)
            sentences.append(
                """
                \(limited) of \(Self.count(misses, "miss", "misses")) \(limited == 1 ? "was" : "were") of images that \
                had left memory to make room. With the same memory and knowledge of the future, \
                \(Self.count(avoidable, "of them would be a hit", "of them would be hits")).
                """)
        }
        let purged = memoryMisses(.memoryWarning, .background, .relaunch)
        if purged > 0 {
            let parts = [
                (memoryMisses(.memoryWarning), "memory warnings"), (memoryMisses(.background), "the background"),
                (memoryMisses(.relaunch), "relaunches"),
            ].filter { $0.0 > 0 }.map { "\($0.1) \($0.0)" }
            var text =
                "Emptied memory caused \(Self.count(purged, "miss", "misses")): \(parts.joined(separator: ", "))."
            if soonAfterWarnings > 0 {
                text +=
                    " \(soonAfterWarnings) \(soonAfterWarnings == 1 ? "image" : "images") returned within 2 s of a "
                    + "memory warning."
            }
            sentences.append(text)
        }
        let guesses = memoryMisses(.wrongPrefetch)
        if guesses > 0 {
            sentences.append(
                """
                \(Self.count(guesses, "miss was of an image", "misses were of images")) that had left for what was \
                prefetched and never used.
                """)
        }
        let expired = memoryMisses(.expired)
        if expired > 0 { sentences.append("Lifetimes caused \(Self.count(expired, "miss", "misses")).") }
        let refused = memoryMisses(.refused)
        if refused > 0 {
            sentences.append(
                """
                \(Self.count(refused, "miss was", "misses were")) of images that memory had not taken, or may not keep.
                """
            )
        }
        // A tenth of the misses is worth a sentence.
        let others: [(MissCause, String)] = [
            (.inFlight, "of images that were already on their way"),
            (.cancelled, "of images whose earlier fetch was cancelled when their cell disappeared"),
            (.deferred, "of images that were not fetched before because the list was moving"),
            (.failed, "of images whose earlier fetch failed"),
            (.blocked, "of bodies that are no images, which the cache does not fetch again"),
        ]
        for (cause, words) in others where memoryMisses(cause) * 10 >= misses {
            sentences.append("\(Self.count(memoryMisses(cause), "miss was", "misses were")) \(words).")
        }
        if let wait = waits.max(by: { $0.milliseconds < $1.milliseconds }), blankMilliseconds > 0 {
            sentences.append(
                """
                Cells were blank for \(HumanText.milliseconds(blankMilliseconds, 0)), of which \
                \(HumanText.share(wait.share)) went \
                to: \
                \(wait.wait.title).
                """)
        }
        for change in changes where change.matters(beside: blankMilliseconds) {
            let isOne = abs(change.gainedHits) == 1
            var text = "With \(change.name): \(Self.signed(change.gainedHits)) memory \(isOne ? "hit" : "hits")"
            if let attributed = change.attributed {
                text += " (of \(Self.count(attributed, "miss", "misses")) with this cause)"
            }
            let blank = change.blankMilliseconds - blankMilliseconds
            text += ", \(blank > 0 ? "+" : "−")\(HumanText.milliseconds(abs(blank), 0)) of blank time."
            sentences.append(text)
        }
        return sentences
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private static func signed(_ number: Int) -> String { number < 0 ? "−\(-number)" : "+\(number)" }

    /// Returns what explanations say, by trace.
    ///
    /// - Parameters:
    ///   - runs: The explanations, those of a trace together.
    ///   - staying: The traces in which no cell disappears, which a note says.
    ///   - pictures: The charts, by trace.
    package static func document(
        _ runs: [RunExplanation], staying: Set<String> = [], pictures: [String: [Document.Block]] = [:]
    ) -> Document {
        let names = runs.map(\.trace).unique()
        var document = Document(
            "explanation", title: names.joined(separator: ", "), headline: "Why were images missing?")
        let runsByTrace = Dictionary(grouping: runs, by: \.trace)
        for name in names {
            let own = runsByTrace[name] ?? []
            document.blocks.append(.heading("\(name): \(own[0].requests) requests"))
            if staying.contains(name) { document.blocks.append(.sentences([RunNote.cellsStay.text])) }
            for run in own { document.blocks += [.heading(run.cache, level: 3), .list(run.sentences)] }
            document.blocks += pictures[name] ?? []
            document.blocks += tables(own).map { .table($0) }
            for run in own where !run.worstKeys.isEmpty {
                document.blocks.append(.heading(run.cache, level: 3))
                document.blocks += run.worst.map { .table($0) }
            }
        }
        return document
    }

    /// Returns a table of the causes for each tier, and one of the waits, with a column per cache.
    private static func tables(_ runs: [RunExplanation]) -> [TextGrid] {
        let tiers = Tier.allCases.filter { tier in runs.contains { run in run.causes.contains { $0.tier == tier } } }
        var tables = tiers.map { tier -> TextGrid in
            let causes = MissCause.allCases.filter { cause in
                runs.contains { run in run.causes.contains { $0.tier == tier && $0.cause == cause } }
            }
            var grid = TextGrid(headings: heading("misses of \(tier.rawValue)", runs))
            grid.rows = causes.map { cause in
                [cause.title]
                    + runs.map { run in
                        run.causes.first { $0.tier == tier && $0.cause == cause }.map {
                            "\($0.requests)  \(percent($0.share))"
                        } ?? "–"
                    }
            }
            grid.rows.append(
                ["all"]
                    + runs.map { run in
                        "\(run.causes.filter { $0.tier == tier }.reduce(0) { $0 + $1.requests })  \(percent(1))"
                    })
            return grid
        }
        let waits = Wait.allCases.filter { wait in runs.contains { run in run.waits.contains { $0.wait == wait } } }
        guard !waits.isEmpty else { return tables }
        var grid = TextGrid(headings: heading("blank time, waiting for", runs))
        grid.rows = waits.map { wait in
            [wait.title]
                + runs.map { run in
                    run.waits.first { $0.wait == wait }.map {
                        "\(HumanText.milliseconds($0.milliseconds, 0))  \(percent($0.share))"
                    }
                        ?? "–"
                }
        }
        grid.rows.append(["all"] + runs.map { "\(HumanText.milliseconds($0.blankMilliseconds, 0))  \(percent(1))" })
        tables.append(grid)
        return tables
    }

    private static func heading(_ title: String, _ runs: [RunExplanation]) -> [TextGrid.Heading] {
        [TextGrid.Heading(title: title, alignment: .left)] + runs.map { TextGrid.Heading(title: $0.cache) }
    }

    /// A share in whole per cent.
    static func wholePercent(_ share: Double) -> String {
        share > 0 && share < 0.005 ? "<1%" : "\(Int((share * 100).rounded()))%"
    }

    /// A share in four columns.
    private static func percent(_ share: Double) -> String {
        let text = wholePercent(share)
        return String(repeating: " ", count: max(0, 4 - text.count)) + text
    }

    private static func shortened(_ key: String) -> String {
        let key = VisibleText.printable(key)
        return TextGrid.width(key) > 60 ? TextGrid.prefix(key, width: 59) + "…" : key
    }

    /// The keys and the seconds with the most blank time.
    private var worst: [TextGrid] {
        var keys = TextGrid(headings: [
            .init(title: "worst keys", alignment: .left), .init(title: "blank"), .init(title: "misses"),
            .init(title: "mostly", alignment: .left),
        ])
        keys.rows = worstKeys.map {
            [
                Self.shortened($0.key), HumanText.milliseconds($0.blankMilliseconds, 0),
                "\($0.misses) of \($0.requests)",
                $0.cause,
            ]
        }
        var moments = TextGrid(headings: [
            .init(title: "worst seconds", alignment: .left), .init(title: "blank"), .init(title: "requests"),
            .init(title: "mostly waiting for", alignment: .left), .init(title: "mostly", alignment: .left),
        ])
        moments.rows = worstMoments.map {
            [
                "second \($0.second)", HumanText.milliseconds($0.blankMilliseconds, 0), "\($0.requests)", $0.wait,
                $0.cause,
            ]
        }
        return [keys, moments]
    }
}
