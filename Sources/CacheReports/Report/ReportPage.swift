import Basics
import CachePolicies
import Foundation
import ImageLibraries
import ReplayEngine
import ResultColumns
import Runs

/// `report.html`: the conclusions, tables, charts and caches of a replay in one file that needs no network.
///
/// The page is a ``Document``. All but the interactive charts can be read without the page's script, which takes names
/// from the tables, and writes them as text.
struct ReportPage {
    /// The caches of each trace and network are in the order of the rows of its table.
    let inputs: [ChartInput]
    let results: ResultSet
    /// The groups of each trace and network, in the order of the terminal, ``ResultOrder/standard``.
    let groups: [RunGroup]
    /// The identifiers of the groups' rows in the tables of their sections.
    let rows: [RunGroup.Key: String]
    /// The conclusions, with which the page begins.
    let conclusions: [Finding]
    let manifest: Manifest<ReplayFacts>?
    /// The charts, each with its SVG.
    private let pictures: [Chart.Picture]
    let caches: [ReportCache]
    let runs: [RunResult]
    /// The figures of all sessions, if ``runs`` are only a few of them; otherwise nil.
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

    /// Returns the page. Figures above the size `mostBytes` are left out, visibly.
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

    /// Returns the document of the page.
    ///
    /// - Parameter notices: Sentences on the figures that the page leaves out.
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
        let durations = manifest.map { " (\(BasisWords.durations($0.timing)))" } ?? ""
        let date = manifest.map { " on \($0.start.formatted(.iso8601.year().month().day()))" } ?? ""
        let version = manifest?.versions["cachereplay"].map { " \($0)" } ?? ""
        let sessions = fleet?.lead ?? HumanText.count(inputs.map(\.trace).unique().count, "session")
        let networks = inputs.compactMap(\.network).unique()
        let over = networks.isEmpty ? "" : " over \(NameList.text(networks, most: 6))"
        return """
            CacheReplay\(version) replayed \(sessions)\(over) through \
            \(HumanText.count(caches.count, "cache"))\(date)\(durations). The tables and charts show what each cache \
            would have cost the user of these sessions.
            """
    }

    /// The findings besides the answer: what made the difference, what made none, and how far to trust it.
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

    /// The name of the session in the header of its trace, at most 40 columns of it; empty for nothing.
    func sessionTitle(of input: ChartInput) -> String {
        let title = manifest?.traces.first { $0.name == input.trace }?.session?.title ?? ""
        let printable = VisibleText.printable(title)
        return TextGrid.width(printable) > 40 ? TextGrid.prefix(printable, width: 39) + "…" : printable
    }

    /// The facts about sessions in the headers of the traces.
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

extension ReportPage {
    /// The terms of the page: the columns of its tables, and the words that their meanings use.
    var glossary: Document.Block {
        let columns = inputs.flatMap { input in
            ResultsTable.entries(for: groups.filter { $0.key.place == input.place })
        }
        var seen: Set<String> = []
        let entries = columns.filter { seen.insert($0.title).inserted }.map { ($0.title, $0.meaning) } + Self.terms
        return .section(
            "Glossary", id: "glossary", [.terms(entries.map { (RichText($0), [RichText($1)]) })])
    }

    private static let terms = [
        ("session, trace", "What a user and a network did, and the file that records it."),
        ("cell", "A view of a list that shows an image."),
        ("request", "A cell that appears and needs its image."),
        ("blank cell", "A visible cell without its image."),
        ("fetch", "A transfer from the network, with its retries."),
        ("tier", "The memory or the disk of a cache."),
        ("policy", "Decides which objects stay in a tier."),
        ("limit", "The most bytes or objects that a policy keeps. Some libraries exceed it until their next trim."),
        ("rule", "A setting of a cache beside its policies."),
        ("preset", "A cache that people use: a library at a version, or a common hand-written design."),
        (
            "virtual clock",
            "Time jumps from event to event, so the speed of the machine does not change the order of events."
        ),
        (
            "modelled durations",
            "A cost model gives the durations of disk and decoding, so each figure can be repeated exactly."
        ),
        (
            "measured durations",
            "Disk and memory really work, and their durations are measured on the machine named below."
        ),
    ]

    private static let mostTraces = 50

    /// How to repeat the replay: the command, its inputs, and the machine.
    var provenance: [Document.Block] {
        guard let manifest else { return [] }
        var items = manifest.traces.prefix(Self.mostTraces).map { trace -> RichText in
            "\(trace.name): SHA-256 \(code: trace.sha256)"
        }
        if manifest.traces.count > items.count {
            items.append("and \(HumanText.count(manifest.traces.count - items.count, "trace")), which run.json has")
        }
        let repeats = manifest.repeats == 1 ? "one run" : "\(manifest.repeats) runs"
        items.append(
            "Seed \(manifest.seed), virtual clock, \(manifest.timing) timing, \(repeats) of each cache")
        if let networks = manifest.networks { items.append("Networks: \(networks.joined(separator: ", "))") }
        if let injected = manifest.injected { items.append("Injected events: \(injected)") }
        if let costs = manifest.costs {
            let values = CostModel.Constant.all.compactMap { constant in
                costs.constants[constant.name].map { "\(constant.name): \($0)" }
            }
            let path = costs.path.map { " of \($0)" } ?? ""
            items.append(
                "Costs\(path), SHA-256 \(code: costs.sha256): \(code: values.joined(separator: ", "))")
        }
        let versions = manifest.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        items.append("Versions: \(versions.joined(separator: ", "))")
        items.append("The program's file has the SHA-256 \(code: manifest.inputs.program)")
        items.append(RichText(manifest.machine.summary))
        return [
            .section(
                "How to repeat it", id: "repeat",
                [
                    .code(ShellText.line(manifest.command)), .list(items),
                    .sentences([
                        "The specification of each cache, with every default, is at the end of its section above."
                    ]),
                ])
        ]
    }
}

extension ReportPage {
    /// The section of all caches: their policies, their rules, and the facts of their presets.
    var cacheSection: Document.Block {
        var explained: [String: Int] = [:]
        let parts = caches.enumerated().map { index, cache -> Document.Block in
            var first = index
            if let preset = cache.preset?.name {
                first = explained[preset] ?? index
                explained[preset] = first
            }
            return part(cache, number: index + 1, factsAt: first + 1)
        }
        let meaning = """
            What each cache does: its policies, its rules that differ from the defaults, and how certain each fact of \
            a preset is.
            """
        let isLong = caches.count > 40
        return .section(
            "Caches", id: "caches",
            [.sentences([meaning])]
                + (isLong
                    ? [.details(RichText(HumanText.count(caches.count, "cache")), as: .init(state: .folded), parts)]
                    : parts))
    }

    private func part(_ cache: ReportCache, number: Int, factsAt first: Int) -> Document.Block {
        var blocks: [Document.Block] = []
        if let preset = cache.preset {
            blocks.append(.sentences(["Preset \(code: preset.name): \(preset.source)."]))
        }
        if cache.isSwept {
            blocks.append(
                .sentences([
                    """
                    \(HumanText.count(cache.variants.count, "row")) of a sweep are this cache with other values. What \
                    follows is the first of them.
                    """
                ]))
        } else if !cache.variants.isEmpty {
            blocks.append(
                .sentences([
                    """
                    \(NSCacheModelChoice.explanation) The rows \(cache.variants.joined(separator: ", ")) are this \
                    cache with other models.
                    """
                ]))
        }
        if let configuration = cache.configuration { blocks += [policies(configuration)] + rules(configuration) }
        if let preset = cache.preset {
            let other = "c\(first)"
            blocks +=
                first == number
                ? facts(preset)
                : [.sentences(["The facts of the preset are at \(link: caches[first - 1].name, to: other)."])]
        }
        blocks.append(.heading("In full", level: 4))
        for (traces, text) in cache.texts {
            if !traces.isEmpty { blocks.append(.sentences(["On \(traces.joined(separator: ", ")):"])) }
            blocks.append(.code(text))
        }
        let fold = Document.Fold(state: .folded, level: 3, id: "c\(number)", about: cache.summary)
        return .details(RichText(cache.name), as: fold, blocks)
    }

    /// Returns the policies of the tiers, with the meaning of each policy in them.
    private func policies(_ cache: CacheConfiguration) -> Document.Block {
        let disk = cache.disk ?? .none
        if let own = cache.own {
            return .terms([("Memory: a program, \(code: own)", []), ("Disk: \(code: disk.description)", [])])
        }
        return .terms(
            [("Memory", cache.memory), ("Disk", disk)].map { tier, spec in
                let meanings = names(in: spec).compactMap { name -> RichText? in
                    PolicyRegistry.builtIn[name].map { "\(code: name): \(RichText(prose: $0.summary))" }
                }
                return ("\(tier): \(code: spec.description)", meanings)
            })
    }

    /// Returns the names of a policy and of the policies within it, each once. Other words, such as the model of an
    /// `nscache`, can have the name of a policy too.
    private func names(in spec: PolicySpec) -> [String] {
        let labels = PolicyRegistry.builtIn[spec.name]?.parameters.filter { $0.kind == .policy }.map(\.label) ?? []
        return
            ([spec.name]
            + spec.arguments.filter { labels.contains($0.label) }.flatMap { argument -> [String] in
                guard case .spec(let inner) = argument.value else { return [] }
                return names(in: inner)
            }).unique()
    }

    private func rules(_ cache: CacheConfiguration) -> [Document.Block] {
        let rows = Rule.all.filter { $0.text(in: cache) != $0.defaultText }.map { rule -> [RichText] in
            [
                "\(code: rule.name)", "\(code: rule.text(in: cache))", "\(code: rule.defaultText)",
                RichText(prose: rule.meaning),
            ]
        }
        guard !rows.isEmpty else { return [.sentences(["Every rule has its default."])] }
        let name = "Rules that differ from their defaults"
        return [
            .heading(name, level: 4), .table(name, ["rule", "value", "default", "meaning"].map { .text($0) }, rows),
        ]
    }

    private func facts(_ preset: CachePreset) -> [Document.Block] {
        PresetFact.Certainty.allCases.flatMap { certainty -> [Document.Block] in
            let facts = preset.facts.filter { $0.certainty == certainty }
            guard !facts.isEmpty else { return [] }
            let name = certainty.rawValue.prefix(1).uppercased() + certainty.rawValue.dropFirst()
            let terms = facts.map { fact -> (term: RichText, meanings: [RichText]) in
                let library = fact.library.map { " (\($0))" } ?? ""
                return (RichText(fact.parameter), [RichText(fact.value + library)])
            }
            return [
                .heading("\(name) (\(facts.count))", level: 4), .sentences([certainty.meaning], as: .remark),
                .terms(terms),
            ]
        }
    }
}

extension PresetFact.Certainty {
    /// The meaning of the word about a fact, in a sentence.
    var meaning: String {
        switch self {
        case .executed:
            "The library's own classes ran on the same requests as the preset, and every request had the same outcome."
        case .exact: "Read in the source code of that version."
        case .documented: "Stated by the vendor."
        case .believed: "Observed or concluded by others, and not confirmed."
        case .assumed: "Chosen for the preset, because the library leaves it open or a trace does not record it."
        }
    }
}

/// The sections of the traces, and the notes.
extension ReportPage {
    func section(_ input: ChartInput, id: String, _ pictures: [Chart.Picture]) -> Document.Block {
        let groups = groups.filter { $0.key.place == input.place }
        let session = manifest?.traces.first { $0.name == input.trace }?.session
        let facts =
            [session?.title].compactMap { $0 } + [HumanText.length(nanoseconds: input.caches[0].typical.traceDuration)]
        let own = Document.Block.pictures(pictures.filter { $0.chart.trace == input.place })
        let fold = Document.Fold(state: .folded, level: 4)
        let charts =
            [.interactive] + notices(input)
            + (own.isEmpty ? [] : [.details("Static charts (\(own.count))", as: fold, own)])
        return .section(
            input.place, id: id,
            [.sentences([(facts + ResultsTable.settings(groups)).joined(separator: " · ")], as: .remark)]
                + table(groups, id: id)
                + rowNotes(input) + causes(input)
                + [.details("Charts", as: .init(state: .open, level: 3), charts)])
    }

    private func table(_ groups: [RunGroup], id: String) -> [Document.Block] {
        let entries = ResultsTable.entries(for: groups)
        let names = ShortNames(groups.map(ResultsTable.name), limit: Self.nameLimit)
        let fullNames = ShortNames(groups.map(\.key.cache), limit: Self.nameLimit)
        let best = ResultsTable.best(entries, groups, results.relevanceThreshold)
        let rows = groups.indices.map { row -> [Document.Table.Cell] in
            let group = groups[row]
            let name = names[ResultsTable.name(group)]
            // The charts have no column for swept values.
            let full = fullNames[group.key.cache]
            let head = Document.Table.Cell(
                text: "\(link: name, to: anchor(of: group.key.cache))", name: full == name ? nil : full,
                id: self.rows[group.key])
            return [head]
                + entries.indices.map { index in
                    .init(
                        text: RichText(entries[index].text(group) ?? "–"), value: entries[index].value(group),
                        isBest: best[index].contains(row))
                }
        }
        let about: RichText = """
            The best figures of a column are marked, among the caches whose blank time is within \
            \(results.relevanceThreshold.text(.ratio)) of the least. The \(link: "glossary", to: "glossary") explains \
            the columns.
            """
        let cut = "Names that end in a number, such as [1], are cut; the link has the whole name."
        let table = Document.Table(
            caption: "Figures of each cache", headings: [.text("cache")] + entries.map { .figure($0.title) },
            rows: rows, about: "\(id)-about", figures: entries)
        return [.sentences([about], as: .remark, id: table.about), .table(table)]
            + (names.explanations.isEmpty ? [] : [.sentences([cut], as: .remark)])
    }

    /// The longest name in columns. A longer one is cut in tables; the section of the cache has all of it.
    static let nameLimit = 48

    /// Returns the notes that concern the rows of one trace and network, beside their table.
    private func rowNotes(_ input: ChartInput) -> [Document.Block] {
        let own = ResultNotes.notes(runs.filter { input.has($0.identity) })
        guard !own.isEmpty, inputs.count > 1 else { return [] }
        let title = "\(HumanText.count(own.count, "note")) on these rows"
        return [.details(RichText(title), as: .init(state: .folded), [.list(own.map(\.text))])]
    }

    /// Returns findings on the causes of each cache's misses and blank time, and their tables, for runs with causes.
    private func causes(_ input: ChartInput) -> [Document.Block] {
        let runs = input.caches.compactMap { RunExplanation($0.typical) }
        guard !runs.isEmpty else { return [] }
        let names = ShortNames(runs.map(\.cache), limit: Self.nameLimit)
        func link(_ run: RunExplanation) -> RichText { "\(link: names[run.cache], to: anchor(of: run.cache))" }
        let tables = RunExplanation.parts(runs).map { parts in
            func text(_ amount: Double) -> String {
                parts.isTime ? HumanText.microseconds(amount * 1_000) : HumanText.count(amount)
            }
            let rows = zip(runs, parts.amounts).map { run, amounts in
                [link(run)]
                    + amounts.map { amount in
                        RichText(amount.map { "\(text($0.amount)) (\(RunExplanation.wholePercent($0.share)))" } ?? "–")
                    }
            }
            return Document.Block.table(
                parts.caption, [.text(parts.title)] + parts.names.map { .figure($0) }, rows)
        }
        let sentences = runs.map { run -> RichText in "\(link(run)): \(run.findings.map(\.text).joined(separator: " "))"
        }
        let fold = Document.Fold(state: runs.count > 8 ? .folded : .open, level: 3)
        return [.details("Causes", as: fold, [.list(sentences)] + tables)]
    }

    /// Returns remarks that say which timelines, films and events are not kept.
    private func notices(_ input: ChartInput) -> [Document.Block] {
        let kept = input.caches.filter { !$0.typical.timeline.isEmpty }
        var sentences: [RichText] = []
        if kept.isEmpty {
            sentences.append(
                """
                There is no timeline, and no film of what the user saw: these results keep none. A replay with \
                \(code: "--timeline 1") keeps them.
                """)
        } else {
            if kept.count < input.caches.count {
                let names = kept.map { NameList.name($0.name) }
                sentences.append(
                    """
                    Timelines, films and causes are those of \(NameList.text(names, most: 6)), which the conclusions \
                    name. A replay with \(code: "--timeline 1") keeps those of all caches.
                    """)
            }
            if kept.allSatisfy({ $0.typical.film == nil }) {
                sentences.append(
                    """
                    There is no film of what the user saw: it needs a timeline of every second \
                    (\(code: "--timeline 1")), and a session that records when cells vanish.
                    """)
            }
        }
        if let omitted = input.caches.map(\.typical.omittedMarks).max(), omitted > 0 {
            sentences.append("The timeline leaves out the last \(omitted) events of the system.")
        }
        return sentences.isEmpty ? [] : [.sentences(sentences, as: .remark)]
    }

    /// All notes, as the command prints them, by subject.
    var notes: [Document.Block] {
        if let fleet { return [.section("Notes", id: "notes", [.list(fleet.statistics.notes)])] }
        guard !results.notes.isEmpty else { return [] }
        let blocks = results.notes.map(\.group).unique().flatMap { group -> [Document.Block] in
            [
                .heading(group.prefix(1).uppercased() + group.dropFirst(), level: 3),
                .list(results.notes.filter { $0.group == group }.map(\.text)),
            ]
        }
        return [.section("Notes", id: "notes", blocks)]
    }
}

extension ReportPage {
    /// The most caches of the matrix, beside those that the conclusions name.
    private static let mostRows = 24

    /// The first part of the page: the figure that a person notices, by cache and session, the least mean first.
    var overview: [Document.Block] {
        if let fleet { return fleet.overview }
        guard let matrix = BlankMatrix(self) else { return [] }
        let all = matrix.rows
        let named = Set(conclusions.flatMap(\.caches))
        let shown = all.enumerated().filter { $0.offset < Self.mostRows || named.contains($0.element.cache) }
        let tolerance = results.relevanceThreshold.text(.ratio)
        var about = "Framed: the best of its column, and what ties with it, within \(tolerance)."
        if shown.count < all.count {
            about += """
                 The first \(Self.mostRows) caches by the mean are here, and those that the conclusions name. The \
                tables of the sessions have all \(all.count).
                """
        }
        let title = matrix.title(inputs.count > 1)
        return [
            .section(
                title, id: "overview",
                [
                    .matrix(matrix.table(shown.map(\.element), title)),
                    .sentences(["\(about) A cell leads to its session and cache."], as: .remark),
                ])
        ]
    }
}

/// One share by cache and place, with the sizes that it costs.
private struct BlankMatrix {
    struct Row {
        var cache: String
        /// By place; nil without runs.
        var groups: [RunGroup?]
        /// nil if a place has no figure.
        var mean: Double?
    }

    /// A column of sizes.
    private struct Size {
        var title: String
        /// The place whose colour the bars have.
        var place: String
        var metric: String
        /// Whether the figures of places are added; otherwise the largest counts.
        var isSum = false
    }

    private let page: ReportPage
    private let caches: ComparedCaches
    private let places: [String]
    let rows: [Row]
    /// By place: the best runs among the caches that an answer can name; nil without any.
    private let best: [RunGroup?]
    private let allowed: Set<RunGroup.Key>

    private static let sizes = [
        Size(title: "peak memory", place: "memory", metric: "memory_peak_bytes"),
        Size(title: "peak disk", place: "disk", metric: "disk_peak_bytes"),
        Size(title: "fetched", place: "network", metric: "origin_bytes", isSum: true),
    ]

    /// - Returns: nil without figures.
    init?(_ page: ReportPage) {
        let caches = ComparedCaches(page.groups, page.results.relevanceThreshold, page.results.budgets)
        let metric = caches.measure.metric
        guard page.groups.contains(where: { $0.median(metric) != nil }) else { return nil }
        let places = page.inputs.map(\.place)
        let allowed = Set(caches.variants.flatMap { $0.models.joined() }.map(\.key))
        self.page = page
        (self.caches, self.places, self.allowed) = (caches, places, allowed)
        best = places.map { place in
            page.groups.filter { $0.key.place == place && allowed.contains($0.key) }.min(by: caches.isBetter)
        }
        let byCache = Dictionary(grouping: page.groups, by: \.key.cache)
        let all = page.results.groups.map(\.key.cache).unique().map { cache -> Row in
            let groups = places.map { place in byCache[cache]?.first { $0.key.place == place } }
            let values = groups.compactMap { $0?.median(metric) }
            let mean = values.count == places.count ? values.reduce(0, +) / Double(values.count) : nil
            return Row(cache: cache, groups: groups, mean: mean)
        }
        let polarity = caches.measure.isHigherBetter ? Polarity.higherIsBetter : .lowerIsBetter
        rows = ResultOrder.standard.ordered(all, by: \.cache, polarity) { row -> ResultOrder.Figure? in
            row.mean.map { ($0, HumanText.share($0)) }
        }
    }

    /// - Parameter hasSeveral: Whether there are several places.
    func title(_ hasSeveral: Bool) -> String {
        let noun = caches.measure.noun
        let place = !hasSeveral ? "" : caches.noun == "networks" ? " and network" : " and session"
        return "\(noun.prefix(1).uppercased() + noun.dropFirst()) by cache\(place)"
    }

    func table(_ rows: [Row], _ title: String) -> Document.Matrix {
        let measure = caches.measure
        // The names of the tables of sessions.
        let names = ShortNames(page.groups.map(\.key.cache), limit: ReportPage.nameLimit)
        let sizes = Self.sizes.filter { size in rows.contains { amount($0, size) ?? 0 > 0 } }
        let hasMean = places.count > 1
        var columns = page.inputs.enumerated().map { index, input in
            Document.Matrix.Column(
                title: "\(link: input.place, to: "t\(index + 1)")", about: page.sessionTitle(of: input), kind: .share)
        }
        if hasMean { columns.append(Document.Matrix.Column(title: "mean", kind: .plain)) }
        columns += sizes.map { size in
            let about = !hasMean ? "" : size.isSum ? "in all sessions" : "at most"
            return Document.Matrix.Column(
                title: RichText(size.title), about: about, meaning: SummaryColumns[size.metric]?.sentence ?? "",
                kind: .bar(size.place))
        }
        let cells = rows.map { row -> Document.Matrix.Row in
            let mean = Document.Matrix.Cell(text: RichText(row.mean.map(HumanText.share) ?? "–"), value: row.mean)
            let bars = sizes.map { size -> Document.Matrix.Cell in
                let amount = amount(row, size)
                return Document.Matrix.Cell(text: RichText(amount.map(HumanText.bytes) ?? "–"), value: amount)
            }
            return Document.Matrix.Row(
                head: "\(link: names[row.cache], to: page.anchor(of: row.cache))",
                cells: places.indices.map { cell(row, $0) } + (hasMean ? [mean] : []) + bars)
        }
        return Document.Matrix(
            caption: title, corner: "\(measure.noun), % of \(measure.whole)",
            meaning: SummaryColumns[measure.metric]?.sentence ?? "", columns: columns, rows: cells,
            isHigherBetter: measure.isHigherBetter, tolerance: page.results.relevanceThreshold)
    }

    private func cell(_ row: Row, _ place: Int) -> Document.Matrix.Cell {
        guard let group = row.groups[place], let value = group.median(caches.measure.metric) else {
            return Document.Matrix.Cell(text: "–")
        }
        let ties = best[place].map { caches.ties(group, $0) } ?? false
        return Document.Matrix.Cell(
            text: "\(link: HumanText.share(value), to: page.rows[group.key] ?? "")", value: value,
            isFramed: rows.count > 1 && allowed.contains(group.key) && ties)
    }

    /// Returns the largest size of a cache at any place, or the sum over the places; nil if a place has none.
    private func amount(_ row: Row, _ size: Size) -> Double? {
        let values = row.groups.compactMap { $0?.median(size.metric) }
        guard values.count == places.count else { return nil }
        return size.isSum ? values.reduce(0, +) : values.max()
    }
}
