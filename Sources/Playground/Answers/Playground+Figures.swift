import Basics
import CacheReports
import ReplayEngine
import ResultColumns
import Runs

extension Playground {
    /// Answers `figures`: the figures of all caches, and what is different between the pinned and the current one.
    func figures(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let results = try asked.results(session, isFull: true)
        let headline = headline(asked, session, results)
        let rows = PlayRow.rows(results, a: asked.question.a, b: asked.question.b)
        let notes = try notes(asked, session, results)
        let command = try asked.replayCommand()
        return JSONWriter.object { json in
            json.member("headline", headline.text)
            json.member("context", context(asked, session, results))
            json.member("tie", headline.isTie)
            json.array("caches", asked.caches.indices) { json, place in
                write(asked.caches[place], results[place], to: &json)
            }
            json.array("rows", rows) { json, row in row.write(to: &json) }
            json.member("causes") { json in Self.writeCauses(results, to: &json) }
            json.member("waits") { json in Self.writeWaits(results, to: &json) }
            json.member("notes", notes)
            json.member("held", asked.heldSentence)
            json.member("command", command)
        }.text
    }

    private func write(_ cache: PlayCache, _ result: RunResult, to json: inout JSONWriter) {
        json.object { json in
            json.member("name", cache.configuration.name)
            json.member("canonical", result.identity.specification)
            json.object("values") { json in
                for control in PlayControls.all {
                    let value = PlayControls.value(
                        control.rule, in: cache.configuration, cache.specification, registry: options.registry)
                    json.member(control.rule, value)
                }
            }
            json.object("figures") { json in
                for column in SummaryColumns.metrics {
                    let digits = column.written(result)
                    json.key(column.name)
                    // The digits of summary.csv.
                    if digits.isEmpty { json.null() } else { json.number(digits) }
                }
            }
            // The rule whose value all libraries share, whatever the text of the cache says.
            json.member("held", cache.held?.rule.name)
            json.member("error", String?.none)
        }
    }

    // MARK: Sentences

    private func headline(_ asked: Asked, _ session: PlaySession, _ results: [RunResult]) -> PlayHeadline {
        let (a, b) = (asked.question.a, asked.question.b)
        guard a != b else {
            return PlayHeadline(of: asked.caches[b].configuration.name, Self.figures(results[b]))
        }
        let changes = PlayChange.changes(from: asked.question.caches[a], to: asked.question.caches[b])
        var words: String?
        if changes.count == 1, let change = changes.first {
            let levers = asked.caches[a].configuration.levers(
                for: Lever.Sessions(session.trace), registry: options.registry)
            words = change.words(
                from: asked.caches[a], to: asked.caches[b], levers: levers, registry: options.registry)
        }
        return PlayHeadline(from: Self.figures(results[a]), to: Self.figures(results[b]), change: words)
    }

    private static func figures(_ result: RunResult) -> PlayHeadline.Figures {
        PlayHeadline.Figures(
            blank: result.figure("blank_ratio"), hits: result.figure("hit_ratio"),
            memory: result.figure("memory_peak_bytes"), fetched: result.figure("origin_bytes"))
    }

    /// Returns the session, the network and the timing of the figures, as a sentence.
    private func context(_ asked: Asked, _ session: PlaySession, _ results: [RunResult]) -> String {
        let length = HumanText.length(nanoseconds: results.first?.traceDuration ?? 0)
        let networks = asked.caches.map(\.network.label).unique().joined(separator: " and ")
        let place =
            networks == "as recorded"
            ? "over the recorded network" : "over \(networks)"
        let people =
            asked.population.map { population in
                " This is one of \(HumanText.count(population.sessions.count, "session")) of \(population.name)."
            } ?? ""
        let warnings =
            asked.question.warnings.isEmpty
            ? "" : ", with \(HumanText.count(asked.question.warnings.count, "injected memory warning"))"
        return """
            \(VisibleText.line(session.name)): \(HumanText.count(session.requests, "request")) in \(length), \(place)\
            \(warnings); modelled timing\(asked.question.decodes ? "" : " without decoding"), one run each.\
            \(VisibleText.line(people))
            """
    }

    /// Returns the notes that `replay` prints below its table.
    private func notes(_ asked: Asked, _ session: PlaySession, _ results: [RunResult]) throws -> [String] {
        var all: [RunResult] = []
        for (cache, result) in zip(asked.caches, results) {
            all.append(result)
            all += try runs.otherModels(of: result, cache, session, asked.settings)
        }
        return ResultSet(all, source: session.name).notes.map { "\($0.group): \(VisibleText.printable($0.text))" }
    }

    // MARK: Causes

    private static func writeCauses(_ results: [RunResult], to json: inout JSONWriter) {
        let rows = MissCause.allCases.compactMap { cause -> [String]? in
            let counts = results.map { $0.causes?.memory[cause.name] ?? 0 }
            guard counts.contains(where: { $0 > 0 }) else { return nil }
            return [cause.title] + counts.map { HumanText.count(Double($0)) }
        }
        write("cause", rows, columns: results.count, to: &json)
    }

    /// Writes the blank time by what cells waited for.
    private static func writeWaits(_ results: [RunResult], to json: inout JSONWriter) {
        let rows = Wait.allCases.compactMap { wait -> [String]? in
            let times = results.map { $0.causes?.waits[wait.name] ?? 0 }
            guard times.contains(where: { $0 > 0 }) else { return nil }
            return [wait.title] + times.map { HumanText.microseconds(Double($0) / 1_000) }
        }
        write("wait", rows, columns: results.count, to: &json)
    }

    private static func write(_ title: String, _ rows: [[String]], columns: Int, to json: inout JSONWriter) {
        json.object { json in
            json.member("head", [title] + (0..<columns).map(Asked.letter))
            json.array("rows", rows) { json, row in json.array(row) { $0.string($1) } }
        }
    }
}
