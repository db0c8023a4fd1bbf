import CachePolicies
import ImageLibraries
import ReplayEngine

extension ReportPage {
    /// The section of all caches: their policies, their rules, and the facts of their presets.
    var cacheSections: String {
        var explained: [String: Int] = [:]
        let sections = caches.enumerated().map { index, cache -> String in
            var first = index
            if let preset = cache.preset?.name {
                first = explained[preset] ?? index
                explained[preset] = first
            }
            return section(cache, number: index + 1, factsAt: first + 1)
        }
        let body = sections.joined()
        let many = caches.count > 40
        return """
            <section aria-labelledby="caches">
            <h2 id="caches">Caches</h2>
            <p>What each cache does: its policies, its rules that differ from the defaults, and how certain each fact \
            of a \
            preset is.</p>
            \(many ? "<details class=\"folded\" open><summary>\(Self.counted(caches.count, "cache"))</summary>\n" : "")\
            \(body)\(many ? "</details>\n" : "")</section>

            """
    }

    private func section(_ cache: ReportCache, number: Int, factsAt first: Int) -> String {
        let configuration = cache.configuration
        let short = cache.summary
        var parts: [String] = []
        if let preset = cache.preset {
            parts.append("<p>Preset \(HTML.code(preset.name)): \(HTML.text(preset.source)).</p>\n")
        }
        if cache.isSwept {
            parts.append(
                """
                <p>\(Self.counted(cache.variants.count, "row")) of a sweep are this cache with other values. What \
                follows \
                is the first of them.</p>

                """)
        } else if !cache.variants.isEmpty {
            parts.append(
                """
                <p>\(HTML.text(NSCacheModelChoice.explanation)) The rows \
                \(HTML.text(cache.variants.joined(separator: ", "))) are this cache with other models.</p>

                """)
        }
        if let configuration {
            parts.append(policies(configuration))
            parts.append(rules(configuration))
        }
        if let preset = cache.preset {
            parts.append(
                first == number
                    ? facts(preset)
                    : """
                    <p>The facts of the preset are at <a href="#c\(first)">\(HTML.text(caches[first - 1].name))</a>.</p>

                    """
            )
        }
        parts.append(fullTexts(cache))
        return """
            <details class="cache folded" id="c\(number)" open>
            <summary><h3>\(HTML.text(cache.name))</h3> <span class="quiet">\(HTML.text(short))</span></summary>
            \(parts.joined())</details>

            """
    }

    /// Returns the policies of the tiers, with the meaning of each policy in them.
    private func policies(_ cache: CacheConfiguration) -> String {
        if let own = cache.own {
            return "<dl>\n<dt>Memory: a program, \(HTML.code(own))</dt>\n"
                + "<dt>Disk: \(HTML.code((cache.disk ?? .none).description))</dt>\n</dl>\n"
        }
        let tiers = [("Memory", cache.memory), ("Disk", cache.disk ?? .none)].map { name, spec -> String in
            let meanings = names(in: spec).compactMap { name in
                PolicyRegistry.builtIn[name].map { "\(HTML.code(name)): \(HTML.prose($0.summary))" }
            }
            return "<dt>\(name): \(HTML.code(spec.description))</dt>\n"
                + meanings.map { "<dd>\($0)</dd>\n" }.joined()
        }
        return "<dl>\n\(tiers.joined())</dl>\n"
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

    private func rules(_ cache: CacheConfiguration) -> String {
        let rows = Rule.all.filter { $0.text(in: cache) != $0.defaultText }.map { rule in
            [
                HTML.code(rule.name), HTML.code(rule.text(in: cache)), HTML.code(rule.defaultText),
                HTML.prose(rule.meaning),
            ]
        }
        guard !rows.isEmpty else { return "<p>Every rule has its default.</p>\n" }
        let name = "Rules that differ from their defaults"
        return "<h4>\(name)</h4>\n"
            + HTML.table(name, [("rule", ""), ("value", ""), ("default", ""), ("meaning", "wide")], rows)
    }

    private func facts(_ preset: CachePreset) -> String {
        let groups = PresetFact.Certainty.allCases.compactMap { certainty -> String? in
            let facts = preset.facts.filter { $0.certainty == certainty }
            guard !facts.isEmpty else { return nil }
            let rows = facts.map { fact in
                let library = fact.library.map { " (\($0))" } ?? ""
                return "<dt>\(HTML.text(fact.parameter))</dt><dd>\(HTML.text(fact.value + library))</dd>\n"
            }
            return """
                <h4>\(certainty.rawValue.prefix(1).uppercased() + certainty.rawValue.dropFirst()) (\(facts.count))</h4>
                <p class="quiet">\(HTML.text(certainty.meaning))</p>
                <dl>
                \(rows.joined())</dl>

                """
        }
        return groups.joined()
    }

    private func fullTexts(_ cache: ReportCache) -> String {
        let lines = cache.texts.map { traces, text in
            (traces.isEmpty ? "" : "<p>On \(HTML.text(traces.joined(separator: ", "))):</p>\n")
                + "<pre><code>\(HTML.text(text))</code></pre>\n"
        }
        return "<h4>In full</h4>\n" + lines.joined()
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
