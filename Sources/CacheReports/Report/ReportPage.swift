import Basics
import Foundation
import ReplayEngine
import Runs

/// `report.html`: the conclusions, tables, charts and caches of a replay in one file that needs no network.
///
/// The page is a ``Document``. All but the interactive charts can be read without the page's script, which takes names
/// from the tables, and writes them as text.
struct ReportPage {
    /// The caches of each trace and network are in the order of the rows of its table.
    let inputs: [ChartInput]
    let results: ResultSet
    /// Those of each trace and network in the order of the terminal, ``ResultOrder/standard``.
    let groups: [RunGroup]
    /// The identifiers of the groups' rows in the tables of their sections.
    let rows: [RunGroup.Key: String]
    /// What the page says first.
    let conclusions: [Finding]
    let manifest: Manifest<ReplayFacts>?
    /// The charts, each with its SVG.
    private let pictures: [Chart.Picture]
    let caches: [ReportCache]
    let runs: [RunResult]
    /// What all sessions say, of which ``runs`` are a few; nil if they are all.
    let fleet: ReportFleet?
    /// The small pictures of the images that the phones show.
    private let thumbnails: [SessionThumbnails]

    /// The size in bytes above which timelines are thinned, and then static charts are left out.
    static let mostBytes = 5_000_000
    /// Timelines are not thinned below this number of rows.
    private static let fewestRows = 200

    init(
        _ runs: [RunResult], _ manifest: Manifest<ReplayFacts>?, _ pictures: [Chart.Picture],
        fleet: ReportFleet? = nil, thumbnails: [SessionThumbnails] = []
    ) {
        self.fleet = fleet
        self.thumbnails = thumbnails
        self.runs = runs
        self.manifest = manifest
        self.pictures = pictures
        var inputs = ChartInput.byTrace(runs)
        let results = ResultSet(runs, source: "", judgedBy: manifest?.facts)
        let all = results.groups
        let groups = inputs.flatMap { input in
            ResultOrder.standard.ordered(all.filter { $0.key.place == input.place })
        }
        conclusions = fleet?.statistics.conclusions ?? results.conclusions
        caches = ReportCache.all(runs, manifest)
        var rows: [RunGroup.Key: String] = [:]
        for index in inputs.indices {
            var ranks: [String: Int] = [:]
            for (row, group) in groups.filter({ $0.key.place == inputs[index].place }).enumerated() {
                rows[group.key] = "t\(index + 1)-r\(row + 1)"
                ranks[group.key.cache] = row
            }
            inputs[index].caches = inputs[index].caches.stableSorted { ranks[$0.name] ?? 0 < ranks[$1.name] ?? 0 }
        }
        (self.inputs, self.results, self.groups, self.rows) = (inputs, results, groups, rows)
    }

    var html: String { html(mostBytes: Self.mostBytes) }

    /// Returns the page.
    ///
    /// - Parameter mostBytes: The size above which figures are left out, visibly.
    func html(mostBytes: Int) -> String {
        func room(_ pictures: [Chart.Picture]) -> Int {
            mostBytes - document(pictures, TimelineData([], step: 1)).html().utf8.count
        }
        let named = Set(conclusions.flatMap(\.caches))
        let space = room(pictures)
        var data = TimelineData.fitting(
            inputs, bytes: space, fewest: Self.fewestRows, first: named, thumbnails: thumbnails)
        var drawn = pictures
        if data.json.utf8.count > space, !pictures.isEmpty {
            // Timelines that say nothing any more help less than the static charts, which `charts/` has too.
            drawn = []
            data = TimelineData.fitting(inputs, bytes: room([]), fewest: Self.fewestRows, first: named)
        }
        let notices = notices(data, mostBytes, omitsPictures: drawn.count < pictures.count)
        return document(drawn, data, notices).html()
    }

    /// Returns the sentences that say what the page leaves out because of its size.
    private func notices(_ data: TimelineData, _ mostBytes: Int, omitsPictures: Bool) -> [String] {
        let limit = HumanText.bytes(Double(mostBytes))
        var sentences: [String] = []
        if data.step > 1 {
            sentences.append(
                """
                A point of a timeline has the most memory, and the means of the other figures, of \(data.step) \
                seconds, because the timelines of all seconds would make this page larger than \(limit). \
                timeline.csv has every second.
                """)
        }
        if data.omittedFilms > 0 {
            let place =
                data.omittedFilms < data.films
                ? "is on this page only for the caches that the conclusions name" : "is not on this page"
            sentences.append(
                "What the user saw of each cell \(place), because it would make the page larger than \(limit).")
        }
        if !thumbnails.isEmpty, !data.hasThumbnails {
            sentences.append(
                """
                The phones show no small pictures of the images, because they would make the page larger than \(limit).
                """)
        }
        if omitsPictures {
            sentences.append(
                """
                The \(pictures.count) static charts are not on this page, because they would make it larger than \
                \(limit). The folder charts has them.
                """)
        }
        return sentences
    }

    /// Returns all that the page says.
    ///
    /// - Parameters:
    ///   - data: The figures of the interactive charts.
    ///   - notices: What the page leaves out.
    func document(_ pictures: [Chart.Picture], _ data: TimelineData, _ notices: [String] = []) -> Document {
        let answer = conclusions.first { $0.subject == .best }
        var document = Document(
            "replay", title: fleet?.lead ?? inputs.map(\.place).joined(separator: ", "),
            headline: answer.map { $0.headline.isEmpty ? $0.text : $0.headline } ?? "Which cache?")
        let lever = conclusions.first { $0.subject == .difference }
        document.context = [answer, lever].compactMap { $0?.context }.filter { !$0.isEmpty }.joined(separator: " ")
        document.lead = overview + boxes + (notices.isEmpty ? [] : [.sentences(notices, as: .notice)])
        document.blocks = (fleet?.sections ?? []) + [sessions]
        document.blocks += inputs.enumerated().map { section($1, id: "t\($0 + 1)", pictures) }
        document.blocks.append(cacheSection)
        let rest = [glossary] + provenance + notes
        let fold = Document.Fold(state: .folded, id: "rest")
        document.blocks.append(.details("Terms, notes and how to repeat it", as: fold, rest))
        document.script = Document.Script(code: PageFiles.report, data: data.json)
        return document
    }

    private var lead: String {
        let clock = manifest.map { " (\(BasisWords.durations($0.timing, clock: $0.clock)))" } ?? ""
        let date = manifest.map { " on \($0.start.formatted(.iso8601.year().month().day()))" } ?? ""
        let version = manifest?.versions["cachereplay"].map { " \($0)" } ?? ""
        let sessions = fleet?.lead ?? HumanText.count(inputs.map(\.trace).unique().count, "session")
        let networks = inputs.compactMap(\.network).unique()
        let over = networks.isEmpty ? "" : " over \(NameList.text(networks, most: 6))"
        return """
            CacheReplay\(version) replayed \(sessions)\(over) through \
            \(HumanText.count(caches.count, "cache"))\(date)\(clock). The tables and charts show what each cache would \
            have cost the user of these sessions.
            """
    }

    /// The findings beside the answer: what made the difference, what made none, and how far to trust it.
    private var boxes: [Document.Block] {
        func findings(_ subjects: [Finding.Subject]) -> [Finding] {
            // The first answer is the title of the page.
            conclusions.dropFirst(conclusions.first?.subject == .best ? 1 : 0).filter { subjects.contains($0.subject) }
        }
        let isSwept = groups.contains { $0.settings("swept").contains { !$0.isEmpty } }
        let remark: RichText = """
            These runs change nothing one at a time. \(code: "--sweep memory=8MB..64MB") does, and \
            \(code: "cachereplay explain") tries each lever of a cache.
            """
        let boxes = [
            Document.Box(
                title: "What made the difference",
                findings: findings([.best, .difference, .memory, .users, .tail, .wrongPictures, .causes])),
            Document.Box(
                title: "What made none", findings: findings([.noDifference]),
                remark: isSwept || fleet != nil ? "" : remark),
            Document.Box(title: "How far to trust it", findings: findings([.limits, .basis])),
        ].filter { !$0.findings.isEmpty || !$0.remark.plain.isEmpty }
        guard !conclusions.isEmpty, !boxes.isEmpty else { return [] }
        let sections = Dictionary(inputs.enumerated().map { ($1.place, "t\($0 + 1)") }) { first, _ in first }
        return [.section("Conclusions", id: "conclusions", [.boxes(boxes, sections: sections)])]
    }

    // MARK: Sessions

    /// What the header of a trace calls its session, at most 40 columns of it; empty for nothing.
    func sessionTitle(of input: ChartInput) -> String {
        let title = manifest?.traces.first { $0.name == input.trace }?.session?.title ?? ""
        let printable = VisibleText.printable(title)
        return TextGrid.width(printable) > 40 ? TextGrid.prefix(printable, width: 39) + "…" : printable
    }

    /// What the headers of the traces say about their sessions.
    private var sessions: Document.Block {
        let rows = inputs.enumerated().map { index, input -> [RichText] in
            let run = input.caches[0].typical
            let session = manifest?.traces.first { $0.name == input.trace }?.session
            let cells = [
                session?.title ?? "–", Self.origin(session), session?.started.map { String($0.prefix(10)) } ?? "–",
                HumanText.count(Double(run.counts.requests)), HumanText.length(nanoseconds: run.traceDuration),
            ]
            return ["\(link: input.place, to: "t\(index + 1)")"] + cells.map { RichText($0) }
        }
        let choice = fleet.map(Self.choice) ?? []
        return .section(
            fleet == nil ? "Sessions" : "Sessions in detail", id: "sessions",
            [.sentences([lead])] + choice + [
                .sentences(["As the headers of their traces describe them."], as: .remark),
                .table(
                    "Sessions",
                    ["session", "title", "origin", "date"].map { .text($0) }
                        + [.figure("requests"), .figure("length")], rows),
            ])
    }

    /// Returns the sentences that say why the sessions of a page were chosen.
    private static func choice(_ fleet: ReportFleet) -> [Document.Block] {
        [
            .sentences([
                RichText(
                    prose: """
                        The rest of the page shows \(HumanText.count(fleet.details.count, "session")) in detail. \
                        `cachereplay chart --trace NAME` draws the charts of others, and summary.csv has the figures \
                        of all.
                        """)
            ]),
            .list(fleet.details.map { "\($0.session): \($0.reason)" }),
        ]
    }

    /// Returns who or what made a session.
    private static func origin(_ session: TraceSource.Session?) -> String {
        guard let session else { return "–" }
        if session.synthetic { return "synthetic: made by a model\(session.recorder.map { " (\($0))" } ?? "")" }
        let recorder = session.recorder.map { " by \($0)" } ?? ""
        return "recorded\(recorder)\(session.scripted ? "; a script used the app, not a person" : "")"
    }

    // MARK: Texts

    func anchor(of cache: String) -> String {
        let index = caches.firstIndex { $0.name == cache || $0.variants.contains(cache) } ?? 0
        return "c\(index + 1)"
    }
}
