import Basics
import Foundation
import ReplayEngine
import Runs

extension RunExplanation {
    /// The findings from the figures: the answer, then the rest.
    public var findings: [Finding] { answer + rest }

    /// Why cells were blank, what shortens it most, and how short it can be: at most four sentences.
    ///
    /// Where no cell was blank, the misses take the place of the blank time.
    var answer: [Finding] {
        var findings = [hasBlankTime ? blank : misses, most].compactMap(\.self)
        if let leastBlank, let text = leastBlank.sentences {
            findings.append(finding(text, [("blank_ratio", leastBlank.ownShare)]))
        }
        return findings
    }

    /// The other findings from the figures: the causes of misses, late frames and changes without an effect.
    var rest: [Finding] {
        var findings = hasBlankTime ? [misses] : []
        if requests > memoryHits {
            if let leastMisses { findings.append(finding(least(leastMisses))) }
            findings += (emptied + rules + others(requests - memoryHits)).map { finding($0) }
        }
        return findings + [hitchFinding, withoutEffect].compactMap(\.self)
    }

    /// How many requests were no hits of memory, and how many of them the limit caused.
    var misses: Finding {
        let count = requests - memoryHits
        return finding(
            count > 0 ? limit(count) : "Memory answered all \(requests) requests.",
            [("requests", Double(requests)), ("memory_hits", Double(memoryHits))])
    }

    /// The blank time, and the longest of its waits; nil if no cell was blank.
    var blank: Finding? {
        guard blankMilliseconds > 0, let wait = waits.max(by: { $0.milliseconds < $1.milliseconds }) else { return nil }
        let text = """
            Cells were blank for \(HumanText.milliseconds(blankMilliseconds, 0)), of which \
            \(HumanText.share(wait.share)) went to: \(wait.wait.title).
            """
        return finding(text, [("blank_s", blankMilliseconds / 1_000)])
    }

    /// The changes that gain most, with the gain of each one alone; nil if none gains more than the tolerance.
    private var most: Finding? {
        let gains = relevantChanges.filter { hasBlankTime ? $0.addedBlank < 0 : $0.gainedHits > 0 }.prefix(3)
        guard !gains.isEmpty else { return nil }
        let texts = gains.map { change in
            hasBlankTime
                ? "\(change.name) (\(HumanText.milliseconds(-change.addedBlank, 0)))"
                : "\(change.name) (\(change.gainedHits))"
        }
        let what = hasBlankTime ? "What shortens blank time most" : "What adds most memory hits"
        let alone = gains.count > 1 ? ", each change alone" : ""
        let figures = gains.map { change in
            Finding.Evidence(
                trace: trace, cache: "\(cache) \(change.lever?.setting.text ?? change.name)",
                metric: hasBlankTime ? "blank_s" : "memory_hits",
                value: hasBlankTime ? change.blankMilliseconds / 1_000 : Double(change.memoryHits))
        }
        let text = "\(what)\(alone): \(NameList.text(texts))."
        return Finding(subject: .difference, text: text, evidence: figures, caches: [cache])
    }

    /// The changes whose effect is within the tolerance; nil without any.
    private var withoutEffect: Finding? {
        let relevant = relevantChanges
        let others = changes.filter { !relevant.contains($0) }.map(\.name)
        guard !others.isEmpty else { return nil }
        return finding(
            """
            No difference of more than \(relevanceThreshold.text(.ratio)) \
            \(hasBlankTime ? "of blank time" : "of hits"): \(NameList.text(others)).
            """)
    }

    /// How much the main lane delays frames at 60 Hz, or else at 120 Hz, and by which work; nil if it delays none.
    private var hitchFinding: Finding? {
        guard let late = hitches?.first(where: { $0.milliseconds > 0 }), let most = late.works.first else { return nil }
        return finding(
            """
            While the list moved, the main lane delayed frames at \(late.rate) Hz by \
            \(HumanText.trimmed(late.millisecondsPerSecond)) ms/s, of which \(HumanText.share(most.share)) went to: \
            \(ReplayEvents.Work(rawValue: most.work)?.title ?? most.work).
            """, [("hitch_\(late.rate)hz_ms_per_s", late.millisecondsPerSecond)])
    }

    /// Returns the part of the memory limit in a number of misses above 0.
    private func limit(_ misses: Int) -> String {
        let unavoidable = memoryMisses(.firstRequest, .similarKey)
        let limited = limitedMisses
        guard limited > 0 else {
            return """
                The memory limit caused none of the \(Self.count(misses, "miss", "misses")): \
                \(unavoidable == misses ? "all" : "\(unavoidable)") were first requests\
                \(unavoidable == misses ? "" : ", \(misses - unavoidable) had other causes").
                """
        }
        return """
            \(limited) of \(Self.count(misses, "miss", "misses")) \(limited == 1 ? "was" : "were") of images that \
            had left memory to make room. With the same memory and knowledge of the future, \
            \(Self.count(memoryMisses(.policy), "of them would be a hit", "of them would be hits")).
            """
    }

    /// Returns how far another policy could get.
    private func least(_ misses: LeastMisses) -> String {
        let known =
            misses.known == misses.least
            ? "A schedule that knows the future has as few." : "The best known schedule has \(misses.known)."
        return """
            If fetches took no time, no policy with the same memory would have fewer than \
            \(Self.count(misses.least, "miss", "misses")). \(known)
            """
    }

    /// The effect of memory warnings, the background and relaunches: one sentence, or two; none without such misses.
    private var emptied: [String] {
        let purged = memoryMisses(.memoryWarning, .background, .relaunch)
        guard purged > 0 else { return [] }
        let parts = [
            (memoryMisses(.memoryWarning), "memory warnings"), (memoryMisses(.background), "the background"),
            (memoryMisses(.relaunch), "relaunches"),
        ].filter { $0.0 > 0 }.map { "\($0.1) \($0.0)" }
        var text = "Emptied memory caused \(Self.count(purged, "miss", "misses")): \(parts.joined(separator: ", "))."
        if soonAfterWarnings > 0 {
            text +=
                " \(soonAfterWarnings) \(soonAfterWarnings == 1 ? "image" : "images") returned within 2 s of a "
                + "memory warning."
        }
        return [text]
    }

    /// The effect of wrong prefetches, lifetimes and the rules of memory: a sentence for each that has misses.
    private var rules: [String] {
        var texts: [String] = []
        let guesses = memoryMisses(.wrongPrefetch)
        if guesses > 0 {
            texts.append(
                """
                \(Self.count(guesses, "miss was of an image", "misses were of images")) that had left for what was \
                prefetched and never used.
                """)
        }
        let expired = memoryMisses(.expired)
        if expired > 0 { texts.append("Lifetimes caused \(Self.count(expired, "miss", "misses")).") }
        let refused = memoryMisses(.refused)
        if refused > 0 {
            texts.append(
                """
                \(Self.count(refused, "miss was", "misses were")) of images that memory had not taken, or may not keep.
                """
            )
        }
        return texts
    }

    /// Returns a sentence for each other cause that has at least a tenth of the misses.
    private func others(_ misses: Int) -> [String] {
        let others: [(MissCause, String)] = [
            (.inFlight, "of images that were already on their way"),
            (.cancelled, "of images whose earlier fetch was cancelled when their cell disappeared"),
            (.deferred, "of images that were not fetched before because the list was moving"),
            (.failed, "of images whose earlier fetch failed"),
            (.blocked, "of bodies that are no images, which the cache does not fetch again"),
        ]
        return others.filter { memoryMisses($0.0) * 10 >= misses }.map { cause, words in
            "\(Self.count(memoryMisses(cause), "miss was", "misses were")) \(words)."
        }
    }

    /// The target of a change: the longest wait that it can shorten, or else the most frequent cause of misses that it
    /// can remove.
    private func target(of lever: Lever) -> String {
        let wait = waits.filter { lever.kind.waits.contains($0.wait) }.max { $0.milliseconds < $1.milliseconds }
        let cause = causes.filter { $0.tier == .memory && lever.kind.causes.contains($0.cause) }
            .max { $0.requests < $1.requests }
        return wait?.wait.title ?? cause?.cause.title ?? "–"
    }

    /// The changes that have an effect, each beside its target; nil if none has.
    private var remedies: Document.Table? {
        var grid = TextGrid(headings: [
            .text("change"), .text("by"), .text("against"), .figure("blank"), .figure("hits"), .figure("fetched"),
            .figure("memory"),
        ])
        grid.rows = relevantChanges.map { change in
            [
                change.name, change.maker, change.lever.map { target(of: $0) } ?? MissCause.memoryWarning.title,
                Self.signed(change.addedBlank) { HumanText.milliseconds($0, 0) }, Self.signed(change.gainedHits),
                Self.signed(Double(change.addedBytes), HumanText.bytes),
                Self.signed(Double(change.addedPeak), HumanText.bytes),
            ]
        }
        return grid.rows.isEmpty ? nil : Document.Table(grid, "", dispensable: ["hits", "memory", "fetched"])
    }

    /// - Parameter figures: Columns of `summary.csv` that the sentence follows from, with their values.
    private func finding(_ text: String, _ figures: [(String, Double)] = []) -> Finding {
        let evidence = figures.map { Finding.Evidence(trace: trace, cache: cache, metric: $0, value: $1) }
        return Finding(subject: .causes, text: text, evidence: evidence, caches: [cache])
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private static func signed(_ number: Int) -> String { number < 0 ? "−\(-number)" : "+\(number)" }

    private static func signed(_ amount: Double, _ text: (Double) -> String) -> String {
        (amount < 0 ? "−" : "+") + text(abs(amount))
    }

    /// Returns the document of explanations, by trace. The explanations of a trace follow each other.
    ///
    /// - Parameter staying: The traces in which no cell disappears, which a note names.
    package static func document(
        _ runs: [RunExplanation], staying: Set<String> = [], pictures: [String: [Document.Block]] = [:]
    ) -> Document {
        let names = runs.map(\.trace).unique()
        var document = Document(
            "explanation", title: names.joined(separator: ", "), headline: headline(runs))
        let runsByTrace = Dictionary(grouping: runs, by: \.trace)
        for name in names {
            let own = runsByTrace[name] ?? []
            document.blocks.append(.heading("\(name): \(own[0].requests) requests"))
            if let injected = own[0].injected {
                document.blocks.append(.sentences([RunNote.eventsInjected(injected).text], as: .remark))
            }
            if staying.contains(name) { document.blocks.append(.sentences([RunNote.cellsStay.text], as: .remark)) }
            for run in own {
                document.blocks += [.heading(run.cache, level: 3), .findings(run.answer, bullet: "  ")]
            }
            document.blocks += pictures[name] ?? []
            document.blocks += tables(own).map { .table($0) }
            for run in own {
                let worst = run.worstKeys.isEmpty ? [] : run.worst.map { Document.Table($0, "", dispensable: []) }
                let (tables, rest) = ([run.remedies].compactMap(\.self) + worst, run.rest)
                guard !tables.isEmpty || !rest.isEmpty else { continue }
                document.blocks += [.heading(run.cache, level: 3), .findings(rest, bullet: "  ")]
                document.blocks += tables.map { table in
                    var table = table
                    table.label = "\(table.headings[0].title) · \(run.cache) · \(name)"
                    return .table(table)
                }
            }
        }
        return document
    }

    /// Returns the title of the page: what the run with the most blank time waits for; a question if no run waits.
    private static func headline(_ runs: [RunExplanation]) -> String {
        guard let run = runs.max(by: { $0.blankMilliseconds < $1.blankMilliseconds }), run.blankMilliseconds > 0,
            let wait = run.waits.max(by: { $0.milliseconds < $1.milliseconds })
        else { return "Why were images missing?" }
        return """
            With \(NameList.name(run.cache)) on \(NameList.name(run.trace)), cells were blank for \
            \(HumanText.milliseconds(run.blankMilliseconds, 0)), of which \(HumanText.share(wait.share)) went to: \
            \(wait.wait.title).
            """
    }

    /// The parts of the misses of a tier, or of the blank time, for several runs.
    struct Parts {
        /// The name of the whole: `misses of memory`.
        var title: String
        var caption: String
        /// Whether amounts are milliseconds. Others are numbers of misses.
        var isTime = false
        var names: [String]
        /// The amount and share of each part, by run and part; nil for none.
        var amounts: [[(amount: Double, share: Double)?]]
        /// The whole amount of each run.
        var totals: [Double]
    }

    /// Returns the causes of misses for each tier, and the waits, as far as a run has any.
    static func parts(_ runs: [RunExplanation]) -> [Parts] {
        let tiers = Tier.allCases.map { tier in
            let own = runs.map { run in run.causes.filter { $0.tier == tier } }
            let causes = MissCause.allCases.filter { cause in own.contains { $0.contains { $0.cause == cause } } }
            return Parts(
                title: "misses of \(tier.rawValue)", caption: "Misses of \(tier.rawValue) by cause",
                names: causes.map(\.title),
                amounts: own.map { own in
                    causes.map { cause in
                        own.first { $0.cause == cause }.map { (Double($0.requests), $0.share) }
                    }
                }, totals: own.map { Double($0.reduce(0) { $0 + $1.requests }) })
        }
        let waits = Wait.allCases.filter { wait in runs.contains { run in run.waits.contains { $0.wait == wait } } }
        let blank = Parts(
            title: "blank time, waiting for", caption: "Blank time by what was waited for", isTime: true,
            names: waits.map(\.title),
            amounts: runs.map { run in
                waits.map { wait in run.waits.first { $0.wait == wait }.map { ($0.milliseconds, $0.share) } }
            }, totals: runs.map(\.blankMilliseconds))
        return (tiers + [blank]).filter { !$0.names.isEmpty }
    }

    /// Returns a table of the causes for each tier, and one of the waits, with a column per cache.
    private static func tables(_ runs: [RunExplanation]) -> [TextGrid] {
        parts(runs).map { parts in
            func text(_ amount: Double) -> String {
                parts.isTime ? HumanText.milliseconds(amount, 0) : HumanText.decimals(amount, 0)
            }
            var grid = TextGrid(headings: [.text(parts.title)] + runs.map { .figure($0.cache) })
            grid.rows = parts.names.enumerated().map { place, name in
                [name] + parts.amounts.map { $0[place].map { "\(text($0.amount))  \(percent($0.share))" } ?? "–" }
            }
            grid.rows.append(["all"] + parts.totals.map { "\(text($0))  \(percent(1))" })
            return grid
        }
    }

    static func wholePercent(_ share: Double) -> String {
        share > 0 && share < 0.005 ? "<1%" : "\(Int((share * 100).rounded()))%"
    }

    /// A share in four columns.
    private static func percent(_ share: Double) -> String {
        let text = wholePercent(share)
        return String(repeating: " ", count: max(0, 4 - text.count)) + text
    }

    /// Returns keys of at most 60 columns, without the middle of longer ones. Keys that would be equal then are whole.
    private static func shortened(_ keys: [String]) -> [String] {
        let keys = keys.map(VisibleText.printable)
        let short = keys.map { TextGrid.withoutMiddle($0, width: 60) }
        return zip(keys, short).map { key, name in short.count { $0 == name } == 1 ? name : key }
    }

    private static func title(ofCause name: String) -> String {
        MissCause.allCases.first { $0.name == name }?.title ?? name
    }

    private static func title(ofWait name: String) -> String { Wait.allCases.first { $0.name == name }?.title ?? name }

    /// The keys and the seconds with the most blank time.
    private var worst: [TextGrid] {
        var keys = TextGrid(headings: [.text("worst keys"), .figure("blank"), .figure("misses"), .text("mostly")])
        keys.rows = zip(Self.shortened(worstKeys.map(\.key)), worstKeys).map { name, key in
            [
                name, HumanText.milliseconds(key.blankMilliseconds, 0), "\(key.misses) of \(key.requests)",
                Self.title(ofCause: key.cause),
            ]
        }
        var moments = TextGrid(headings: [
            .text("worst seconds"), .figure("blank"), .figure("requests"), .text("mostly waiting for"), .text("mostly"),
        ])
        moments.rows = worstMoments.map {
            [
                "second \($0.second)", HumanText.milliseconds($0.blankMilliseconds, 0), "\($0.requests)",
                Self.title(ofWait: $0.wait), Self.title(ofCause: $0.cause),
            ]
        }
        return [keys, moments]
    }
}
