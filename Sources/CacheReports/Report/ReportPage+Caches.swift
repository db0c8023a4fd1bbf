import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine

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
    /// What the word says about a fact, in a sentence.
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
