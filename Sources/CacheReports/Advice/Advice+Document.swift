import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// Returns the document of the advice.
    ///
    /// - Parameter details: Whether it has all levers, caches and settings, and the code that sets the limits. Without
    ///   them, it fits on a screen.
    package func document(details: Bool = true, pictures: [Document.Block] = []) -> Document {
        var blocks: [Document.Block] = [.findings(findings, bullet: "")] + leverTables(details)
        if details {
            let causes = [why].compactMap(\.self).map { Finding(subject: .causes, text: $0) }
            let reasons = searched + causes + exempt
            blocks += [.heading("Caches and limits"), .table(caches)] + pictures
            blocks += reasons.isEmpty ? [] : [.findings(reasons, bullet: "")]
            let settings = settings.flatMap(\.blocks)
            blocks += front + (settings.isEmpty ? [] : [.heading("The limits as code")] + settings)
        }
        return Document("advice", title: "advice", headline: "Which cache, and what to change in it?", blocks)
    }

    // MARK: Levers

    private static let mostLevers = 3

    /// The levers of the cache that the answer is about, or in detail of each cache that was tried: what they gain and
    /// cost, the changes of the app first.
    private func leverTables(_ details: Bool) -> [Document.Block] {
        let names = details ? levers.map(\.cache).unique() : [answer?.cache].compactMap(\.self)
        return names.compactMap { cache -> Document.Block? in
            let own = levers.filter { $0.cache == cache && (details || $0.isRelevant) }
                .stableSorted { abs($0.gain) > abs($1.gain) }
            let shown = details ? own : Array(own.prefix(Self.mostLevers))
            let ofApp = shown.filter(\.lever.kind.isOfApp).stableSorted { $0.gain > $1.gain }
            let ofCache = shown.filter { !$0.lever.kind.isOfApp }.stableSorted { $0.gain > $1.gain }
            guard !shown.isEmpty else { return nil }
            let gained = objective == .bytes ? "bytes" : "points of blank time"
            return Document.Block.table(
                leverGrid(ofApp + ofCache),
                "One change of \(NameList.name(cache)) at a time: \(gained) gained, and costs",
                dispensable: ["95 % interval"])
        }
    }

    private func leverGrid(_ gains: [LeverGain]) -> TextGrid {
        let hasIntervals = gains.contains { $0.low != nil }
        var grid = TextGrid(headings: [.text("change"), .text("by"), .figure("gain")])
        if hasIntervals { grid.headings.append(.figure("95 % interval")) }
        if objective == .bytes { grid.headings.append(.figure("blank, points")) }
        grid.headings.append(.figure("fetched"))
        grid.headings.append(.figure("memory"))
        grid.rows = gains.map { gain in
            var row = [gain.lever.title, gain.lever.maker, signed(gain.gain)]
            if hasIntervals {
                row.append(gain.low.flatMap { low in gain.high.map { "\(signed(low)) to \(signed($0))" } } ?? "–")
            }
            if objective == .bytes { row.append(Self.plus(gain.addedBlank, Self.inPoints)) }
            return row + [gain.addedBytes, gain.addedPeak].map { Self.plus($0, HumanText.bytes) }
        }
        return grid
    }

    /// A gain of the figure of the objective, with its sign.
    private func signed(_ gain: Double) -> String {
        Self.plus(gain, objective == .bytes ? HumanText.bytes : Self.inPoints)
    }

    /// Returns the text of an amount with its sign; `0` for one that is too small to be read.
    private static func plus(_ amount: Double, _ text: (Double) -> String) -> String {
        amount == 0 ? "0" : (amount < 0 ? "−" : "+") + text(abs(amount))
    }

    // MARK: Caches

    private var caches: TextGrid {
        let columns = columns
        return TextGrid(headings: columns.map(\.heading), rows: rows.map { row in columns.map { $0.text(row) } })
    }

    private typealias RowColumn = (heading: TextGrid.Heading, text: (Row) -> String)

    /// The columns of the table of caches, as far as they say something.
    private var columns: [RowColumn] {
        func bytes(_ limit: Int?) -> String { limit.map { HumanText.bytes(Double($0)) } ?? "–" }
        var columns: [RowColumn] = [
            (.text("cache"), { $0.cache }), (.figure("blank"), { HumanText.share($0.blankRatio) }),
        ]
        if rows.contains(where: { $0.low != nil }) {
            columns.append(
                (
                    .figure("95 % interval"),
                    { row in
                        row.low.flatMap { low in row.high.map { "\(HumanText.share(low)) to \(HumanText.share($0))" } }
                            ?? "–"
                    }
                ))
        }
        columns.append((.figure(users == 1 ? "memory" : "memory p95"), { HumanText.bytes($0.peakBytes) }))
        columns.append((.figure("fetched"), { HumanText.bytes($0.originBytes) }))
        columns.append((.figure("enough"), { bytes($0.smallestSufficientLimit) }))
        if users > 1 {
            columns.append((.figure("for \(crowd)"), { $0.enoughForUsers.map(Self.rounded) ?? "–" }))
            columns.append((.figure("on average"), { bytes($0.enoughOnAverage) }))
        }
        if disk != nil { columns.append((.figure("enough disk"), { bytes($0.diskEnough) })) }
        if dataPerDay != nil {
            columns.append((.figure("per day"), { $0.bytesPerDay.map { HumanText.bytes($0) } ?? "–" }))
        }
        if app != nil { columns.append((.figure("near the app's limit"), { $0.near?.text ?? "–" })) }
        if rows.contains(where: { !$0.changes.isEmpty }) {
            columns.append((.text("rules"), { $0.changes.isEmpty ? "its own" : Self.rules($0.changes) }))
        }
        return columns
    }

    // MARK: The front

    /// The front of blank time, memory and bytes, and its knee, in order of rising memory; nothing if one setting
    /// matches all others.
    private var front: [Document.Block] {
        let front = points.filter(\.isOnFront).stableSorted { $0.peakBytes < $1.peakBytes }
        guard front.count > 1 else { return [] }
        let sentence = """
            \(front.count) of \(HumanText.count(points.count, "setting")) make the front: one of them matches each \
            other setting in blank time, memory and bytes, within \(relevanceThreshold.text(.ratio)) and \
            \(relevanceThreshold.text(.bytes)).
            """
        var grid = TextGrid(headings: [
            .text("cache"), .figure("memory limit"), .figure("blank"), .figure(users == 1 ? "memory" : "memory p95"),
            .figure("fetched"),
        ])
        let hasKnee = front.contains(where: \.isKnee)
        let isChanged = front.contains { !$0.changes.isEmpty }
        if disk != nil { grid.headings.insert(.figure("disk limit"), at: 2) }
        if app != nil { grid.headings.append(.figure("near the app's limit")) }
        if hasKnee { grid.headings.append(.text("")) }
        if isChanged { grid.headings.append(.text("rules")) }
        grid.rows = front.map { point in
            [point.cache, point.limitText] + (disk == nil ? [] : [point.diskText]) + [
                HumanText.share(point.blankRatio), HumanText.bytes(point.peakBytes), HumanText.bytes(point.originBytes),
            ] + (app == nil ? [] : [point.near?.text ?? "–"]) + (hasKnee ? [point.isKnee ? "knee" : ""] : [])
                + (isChanged ? [Self.rules(point.changes)] : [])
        }
        return [.sentences([sentence]), .table(grid)]
    }
}

extension AdviceSearchSummary {
    /// The summary of the search, as sentences.
    public var text: String {
        var text = "\(HumanText.count(replays, "replay"))"
        if replaysRead > 0 { text += ", and \(replaysRead) of an earlier search" }
        text += "; \(settings) settings count."
        if exhaustive > Double(replays + replaysRead) {
            let share = HumanText.share(Double(replays + replaysRead) / exhaustive)
            text +=
                " All settings on all sessions would be \(exhaustive.fixed(0)) replays, of which these are \(share)."
        }
        if !isComplete { text += " The search ended at --time-limit, before its end." }
        return text
    }
}
