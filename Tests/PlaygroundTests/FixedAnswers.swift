import Foundation

@testable import Playground

/// Answers the page with fixed figures. The headline names the memory limit of the current cache, so that a test sees
/// which question an answer belongs to.
struct FixedAnswers: PlayAnswering {
    /// A title that would run a script as HTML.
    static let hostile = "<img src=x onerror='window.broken=1'>"
    /// The number of people of the population `crowd`.
    static let people = 20

    func start(isOvertaken: @escaping @Sendable () -> Bool) -> String {
        let question = Self.question
        return """
            {"version": "1.0", "complete": true, "sessions": [
              {"name": "feed", "title": "\(Self.hostile)", "requests": 544, "duration_us": 126000000,
               "sizes": {"largest": 24300000, "working_set": 180000000}, "problem": null, "people": 0},
              {"name": "\(Self.hostile)", "title": null, "requests": null, "duration_us": null, "problem": null,
               "people": 0},
              {"name": "crowd", "title": "people", "requests": null, "duration_us": null, "problem": null,
               "people": \(Self.people)}],
             "caches": [{"base": "nuke-13", "about": "Nuke 13", "group": "libraries"},
                        {"base": "kingfisher-8", "about": "Kingfisher 8", "group": "libraries"}],
             "networks": [{"name": "auto", "label": "as recorded"}, {"name": "lte", "label": "LTE"}],
             "devices": [{"name": "iPhone X", "memory": "64MB", "about": "measured"}],
             "controls": [
              {"rule": "memory", "label": "Memory limit", "kind": "size", "unlimited": true,
               "marks": [{"value": "24.3MB", "bytes": 24300000, "label": "largest image"}]},
              {"rule": "prefetch", "label": "Prefetch", "kind": "choice", "values": ["none", "rows(1)", "rows(2)"]},
              {"rule": "connections", "label": "Connections", "kind": "count", "least": 1, "most": 16}],
             "question": \(question), "figures": \(Self.figures(Array(question.utf8)))}
            """
    }

    func allSessions(isOvertaken: @escaping @Sendable () -> Bool) -> String { #"{"sessions": []}"# }

    func answer(
        _ request: PlayRequest, _ question: [UInt8], isOvertaken: @escaping @Sendable () -> Bool
    ) throws -> String {
        switch request {
        case .figures:
            if Self.bases(question).contains("lru(") {
                throw PlayFailure(.badQuestion, "lru( has no end; write ')'.", cache: 1, column: 5)
            }
            return Self.figures(question)
        case .curve: return Self.curve
        case .moves: return Self.moves
        case .film: return Self.film(question)
        case .bound: return #"{"cache": 1, "blank": 0.07, "least": 0.031, "text": "3.9 points."}"#
        case .people: return Self.people(question)
        case .export:
            return """
                {"command": "\(Self.command(question))", "yaml": "caches: []", "gate": "budgets: []",
                 "swift": {"text": "pipeline.cache.costLimit = 1", "source": "https://example.com"}, "kotlin": null,
                 "markdown": "**headline**"}
                """
        }
    }

    func replayArguments(_ question: [UInt8]) throws -> [String] { ["replay", "feed.jsonl"] }

    // MARK: Answers

    private static let question = """
        {"session": "feed", "caches": [{"base": "nuke-13", "rules": {}, "network": "auto"},
         {"base": "kingfisher-8", "rules": {}, "network": "auto"}], "a": 0, "b": 1, "warnings": [], "decode": true,
         "seed": 1, "app": "equal"}
        """

    private static func object(_ question: [UInt8]) -> [String: Any] {
        let value: Any? = try? JSONSerialization.jsonObject(with: Data(question))
        return value as? [String: Any] ?? [:]
    }

    private static func caches(_ question: [UInt8]) -> [[String: Any]] {
        object(question)["caches"] as? [[String: Any]] ?? []
    }

    private static func bases(_ question: [UInt8]) -> [String] {
        caches(question).map { $0["base"] as? String ?? "" }
    }

    /// The memory limits of the caches.
    private static func limits(_ question: [UInt8]) -> [String] {
        caches(question).map { cache in
            let rules: [String: Any] = cache["rules"] as? [String: Any] ?? [:]
            return rules["memory"] as? String ?? "64MB"
        }
    }

    /// Whether each library has its own rules of the app.
    private static func isOwn(_ question: [UInt8]) -> Bool { object(question)["app"] as? String == "own" }

    private static func command(_ question: [UInt8]) -> String {
        "cachereplay replay feed.jsonl\(isOwn(question) ? " --app own" : "")"
    }

    private static func figures(_ question: [UInt8]) -> String {
        let limits: [String] = limits(question)
        let current: Int = object(question)["b"] as? Int ?? 0
        let titles: [String] = ["blank", "shown within 100 ms", "fetched", "peak memory", "hits"]
        let texts: String = limits.map { _ in "\"7.0%\"" }.joined(separator: ", ")
        let rows: [String] = titles.map { title in
            """
            {"key": "\(title)", "title": "\(title)", "meaning": "", "better": "lower", "texts": [\(texts)],
             "difference": "−7.1 points", "relevant": true, "good": true}
            """
        }
        let held = isOwn(question) ? "null" : "\"cancelOnDisappear: true for all libraries.\""
        let caches: [String] = limits.map { limit in
            """
            {"name": "cache", "canonical": "cache", "figures": {"blank_ratio": 0.07}, "error": null,
             "values": {"memory": "\(limit)", "prefetch": "none", "connections": "6"}}
            """
        }
        return """
            {"headline": "B has \(limits[current]).", "context": "feed: 544 requests.", "tie": false,
             "caches": [\(caches.joined(separator: ", "))], "rows": [\(rows.joined(separator: ", "))],
             "causes": {"head": ["cause", "A", "B"], "rows": [["evicted", "12", "3"]]},
             "waits": {"head": ["wait", "A", "B"], "rows": [["network", "1 s", "2 s"]]},
             "notes": ["A note."], "held": \(held), "command": "\(command(question))"}
            """
    }

    private static let curve: String = {
        let limits: [String] = (0..<64).map { "\(1_000_000 * ($0 + 1))" }
        let values: String = Array(repeating: "0.07", count: 64).joined(separator: ", ")
        let texts: String = Array(repeating: "\"7.0%\"", count: 64).joined(separator: ", ")
        return """
            {"limits": [\(limits.joined(separator: ", "))],
             "curves": [{"cache": 0, "values": [\(values)], "texts": [\(texts)]},
                        {"cache": 1, "values": [\(values)], "texts": [\(texts)]}],
             "marks": [{"bytes": 24300000, "label": "largest image"}], "enough": [null, 32000000]}
            """
    }()

    private static let moves = """
        {"steps": [{"label": "A", "value": 0.14, "text": "14.0%"},
         {"label": "memory: 64MB → 48MB", "value": 0.1403, "change": "+0.03 points", "relevant": false},
         {"label": "B", "value": 0.07, "text": "7.0%"}], "alone": []}
        """

    /// Three cells of each of two caches, in two columns; none in the session with the hostile name.
    private static func film(_ question: [UInt8]) -> String {
        let session: String = object(question)["session"] as? String ?? ""
        let cells: String =
            session == hostile ? "" : "\"film\": [0, 1000000, 500001, 2000001, 4, 500000, 1, 3000001, 0, 0, 0, 0, 8], "
        let run: String = """
            {"limit": 64000000, \(cells)"s": [0, 1, 1], "m": [1, 2, 3], "f": [0, 1, 0.5], "b": [1, 0, 0]}
            """
        return """
            {"trace": {"end": 5.5, "marks": [["scroll_began", 1], ["scroll_ended", 2], ["memory_warning", 3]],
             "places": [0, 0, 2, 0, 1, 2, 1, 0, 2], "runs": [\(run), \(run)]},
             "names": ["A nuke-13", "B kingfisher-8"]}
            """
    }

    private static func people(_ question: [UInt8]) -> String {
        let asked: [String: Any] = object(question)
        let first: Int = asked["first"] as? Int ?? 0
        let end: Int = min(first + (asked["count"] as? Int ?? 0), people)
        let names: [String] = (first..<end).map { "{\"name\": \"p\($0)\", \"values\": [0.1, 0.05]}" }
        let summary = """
            , "summary": {"headline": "Everyone is better off.", "better": 20, "worse": 0, "same": 0,
             "means": [0.1, 0.05], "quantiles": [{"share": 0.5, "values": [0.1, 0.05]}]}
            """
        return """
            {"of": \(people), "first": \(first), "people": [\(names.joined(separator: ", "))]\
            \(end == people ? summary : "")}
            """
    }
}
