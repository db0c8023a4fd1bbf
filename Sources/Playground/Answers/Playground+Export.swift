import Basics
import CachePolicies
import CacheReports
import ImageLibraries
import ReplayEngine
import ResultColumns
import Runs

extension Playground {
    /// Answers `export`: the command, the files and the code for the question, and its figures as Markdown.
    func export(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let results = try asked.results(session, isFull: true)
        let cache = asked.caches[asked.question.b]
        let setting = Self.setting(cache)
        let command = try asked.replayCommand()
        return JSONWriter.object { json in
            json.member("command", command)
            json.member("yaml", yaml(asked))
            json.member("gate", gate(asked, results[asked.question.b]))
            for language in SettingAsCode.Language.allCases {
                json.key(language.rawValue)
                if let code = setting.code, code.language == language, !code.code.isEmpty {
                    json.object { json in
                        json.member("text", code.code)
                        json.member("source", code.source)
                    }
                } else {
                    json.null()
                }
            }
            json.member("setting", setting.sentences)
            json.member("markdown", markdown(asked, session, results))
        }.text
    }

    /// Returns the code of a library that has the values of a cache, and what it does not set.
    private static func setting(_ cache: PlayCache) -> (code: SettingAsCode?, sentences: [String]) {
        let name = NameList.name(cache.configuration.name)
        let found = try? CacheConfiguration.presetAndDevice(in: cache.specification)
        let device = found?.device ?? Device()
        guard let code = try? SettingAsCode(cache.configuration, on: device) else {
            let sentence =
                cache.configuration.preset.map { "No code is known that sets the rules of \($0)." }
                ?? "\(name) is no library's cache, so no library has a setting for it."
            return (nil, [sentence])
        }
        if code.code.isEmpty, code.unsupported.isEmpty {
            return (code, ["No value differs from the library's defaults."])
        }
        return (code, code.unsupported)
    }

    /// Returns a text in quotation marks, as YAML and JSON read it.
    private static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return json.text
    }

    /// Returns the file for --config with the sessions, the caches and the injected events.
    func yaml(_ asked: Asked) -> String {
        let paths = asked.population?.path.map { [$0] } ?? asked.places.map { options.sessions[$0].path }
        var lines: [String] = []
        if asked.question.app == .own {
            lines.append("# Run with --app own: each library has its own rules of the app.")
        }
        lines += ["traces:"] + paths.map { "  - \(Self.quoted($0))" } + ["caches:"]
        var seen: Set<String> = []
        for cache in asked.caches where seen.insert(cache.configuration.name).inserted {
            lines.append("  \(Self.quoted(cache.configuration.name)): \(Self.quoted(cache.specification))")
        }
        if !asked.question.warnings.isEmpty {
            let times = asked.question.warnings.map { Self.quoted(TimeSpan.text($0)) }.joined(separator: ", ")
            lines += ["inject:", "  memory-warning-at: [\(times)]"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the file for --config with the current cache, and with budgets that its figures keep. A build whose
    /// figures are over a budget fails.
    private func gate(_ asked: Asked, _ result: RunResult) -> String {
        let cache = asked.caches[asked.question.b]
        var limits: [String] = []
        if let blank = result.figure("blank_ratio") {
            let share = (blank + Tolerance.standard.difference(from: blank, .ratio)) * 100
            limits.append("blank_ratio<=\(HumanText.decimals((share * 10).rounded(.up) / 10, 1))%")
        }
        if let peak = result.figure("memory_peak_bytes") {
            let bytes = (peak + Tolerance.standard.difference(from: peak, .bytes)).rounded(.up)
            limits.append("memory_peak_bytes<=\(Int(bytes))B")
        }
        var lines = ["# Run: cachereplay replay --config gate.yaml --timing modelled, with the options of the command."]
        let paths = asked.population?.path.map { [$0] } ?? asked.places.map { options.sessions[$0].path }
        lines += ["traces:"] + paths.map { "  - \(Self.quoted($0))" }
        lines += ["caches:", "  app: \(Self.quoted(cache.standingSpecification))", "budgets:"]
        lines += limits.map { "  - \(Self.quoted($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the figures as a table of Markdown.
    private func markdown(_ asked: Asked, _ session: PlaySession, _ results: [RunResult]) -> String {
        func cell(_ text: String) -> String {
            VisibleText.printable(text).replacing(scalars: ["\\": "\\\\", "|": "\\|", "<": "&lt;"])
        }
        let rows = PlayRow.rows(results, a: asked.question.a, b: asked.question.b)
        var lines = ["| \(cell(session.name)) | " + asked.names.map(cell).joined(separator: " | ") + " |"]
        lines.append("|---|" + asked.caches.map { _ in "--:|" }.joined())
        for row in rows { lines.append("| \(row.title) | " + row.texts.joined(separator: " | ") + " |") }
        return lines.joined(separator: "\n") + "\n"
    }
}
