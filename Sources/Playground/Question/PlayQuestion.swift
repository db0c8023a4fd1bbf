import Basics
import Foundation

/// The question of the page: a session, the caches, and their common rules.
struct PlayQuestion: Sendable, Equatable {
    /// A cache as the page describes it.
    struct Cache: Sendable, Equatable {
        /// The text that the cache begins with, as --cache takes it.
        var base: String
        /// The values that differ from the base, by the name of the rule.
        var rules: [String: String] = [:]
        /// The value of --network.
        var network: String
    }

    typealias AppChoice = PlayOptions.AppChoice

    /// The name of a session or of a population.
    var session: String
    /// One to four.
    var caches: [Cache]
    /// The place of the pinned cache.
    var a: Int
    /// The place of the current cache.
    var b: Int
    /// The times of injected memory warnings, in microseconds of the recording, sorted.
    var warnings: [Int64] = []
    /// Whether images are decoded before they are delivered.
    var decodes = true
    var seed: UInt64 = 1
    var app = AppChoice.equal
    /// The first person that is asked for, and the most people; nil for all.
    var first = 0
    var count: Int?
}

extension PlayQuestion {
    static let mostBytes = 1 << 17
    static let mostCaches = 4
    static let mostWarnings = 20
    /// The most rules of a cache that differ from its base.
    static let mostRules = 64
    /// The most bytes of the text of a base.
    static let longestBase = 16_384
    /// The most bytes of the value of a rule.
    static let longestValue = 1_024
    /// A number of JavaScript represents each whole number up to this one exactly.
    static let largestSeed = 1 << 53
    /// The latest moment of a memory warning, in seconds: 31 days.
    private static let longestTime = 31.0 * 86_400

    private static let members = [
        "session", "caches", "a", "b", "warnings", "decode", "seed", "app", "first", "count",
    ]

    /// Reads a question.
    ///
    /// `a` is 0 and `b` the last cache if they are left out, `decode` is true, `app` is `equal`, and there are no
    /// warnings.
    /// - Parameter seed: The seed of a question without one.
    /// - Throws: ``PlayFailure`` that names the member, what is expected, and the remedy.
    init(_ json: [UInt8], seed: UInt64) throws {
        guard json.count <= Self.mostBytes else {
            throw PlayFailure(
                .badQuestion, "The question has \(json.count) bytes; send at most \(Self.mostBytes).")
        }
        let value: PlayJSON
        do { value = try JSONDecoder().decode(PlayJSON.self, from: Data(json)) } catch {
            throw PlayFailure(.badQuestion, "The question is not JSON; send an object with session and caches.")
        }
        let question = try PlayMembers(value, "the question", known: Self.members)
        session = try question.text("session", atMost: 4_096, expected: "the name of a session")
        guard case .array(let values)? = question["caches"], (1...Self.mostCaches).contains(values.count) else {
            if case .array(let values)? = question["caches"] {
                throw PlayFailure(
                    .badQuestion,
                    "'caches' of the question has \(values.count) caches; give from 1 to \(Self.mostCaches).")
            }
            throw question.failure("caches", expected: "a list of 1 to \(Self.mostCaches) caches")
        }
        var caches: [Cache] = []
        for (place, value) in values.enumerated() { caches.append(try Self.cache(value, place)) }
        self.caches = caches
        a = try question.whole("a", 0...caches.count - 1, without: 0)
        b = try question.whole("b", 0...caches.count - 1, without: caches.count - 1)
        warnings = try Self.warnings(question)
        decodes = try question.flag("decode", without: true)
        self.seed =
            question["seed"] == nil ? seed : UInt64(try question.whole("seed", 0...Self.largestSeed, without: 0))
        app = try Self.app(question)
        first = try question.whole("first", 0...1_000_000_000, without: 0)
        if question["count"] != nil { count = try question.whole("count", 1...1_000_000_000, without: 1) }
    }

    private static func cache(_ value: PlayJSON, _ place: Int) throws -> Cache {
        let members = try PlayMembers(
            value, "cache \(place + 1)", cache: place, known: ["base", "rules", "network"])
        let base = try members.text("base", atMost: longestBase, expected: "a cache, such as nuke-13 or lru(20MB)")
        let network = try members.text("network", atMost: 4_096, expected: "the name of a network, such as auto")
        var cache = Cache(base: base, network: network)
        guard let value = members["rules"] else { return cache }
        guard case .object(let rules) = value else {
            throw members.failure("rules", expected: "an object such as {\"memory\": \"48MB\"}")
        }
        guard rules.count <= mostRules else {
            throw PlayFailure(
                .badQuestion, "\(members.name) sets \(rules.count) rules; set at most \(mostRules).", cache: place)
        }
        for (name, value) in rules {
            guard case .string(let text) = value, text.utf8.count <= longestValue else {
                let found =
                    if case .string = value { "a text of more than \(longestValue) bytes" } else { value.kind }
                throw PlayFailure(
                    .badQuestion,
                    """
                    The rule '\(name.prefix(80))' of \(members.name) is \(found); expected is a short text, such as \
                    "48MB".
                    """, cache: place)
            }
            cache.rules[name] = text
        }
        return cache
    }

    /// Returns the values that the caches have for rules of the app.
    private static func app(_ question: PlayMembers) throws -> AppChoice {
        guard let value = question["app"] else { return .equal }
        let expected = AppChoice.allCases.map(\.rawValue).joined(separator: " or ")
        guard case .string(let text) = value else { throw question.failure("app", expected: expected) }
        guard let choice = AppChoice(rawValue: text) else {
            let found = VisibleText.line(String(text.prefix(80)))
            throw PlayFailure(.badQuestion, "'app' of the question is '\(found)'; expected is \(expected).")
        }
        return choice
    }

    /// Returns the times of memory warnings in microseconds.
    private static func warnings(_ question: PlayMembers) throws -> [Int64] {
        guard let value = question["warnings"] else { return [] }
        let expected = "a list of at most \(mostWarnings) times in seconds, such as [12.5]"
        guard case .array(let values) = value else { throw question.failure("warnings", expected: expected) }
        guard values.count <= mostWarnings else {
            throw PlayFailure(
                .badQuestion,
                "'warnings' of the question has \(values.count) times; expected is \(expected).")
        }
        var times: [Int64] = []
        for value in values {
            guard case .number(let seconds) = value, seconds >= 0, seconds <= longestTime else {
                let found = if case .number(let number) = value { "\(number)" } else { value.kind }
                throw PlayFailure(
                    .badQuestion, "A time in 'warnings' of the question is \(found); expected is \(expected).")
            }
            times.append(Int64((seconds * 1e6).rounded()))
        }
        return Set(times).sorted()
    }

    /// A text that is equal for questions with equal answers.
    var key: String {
        JSONWriter.object { json in
            json.member("session", session)
            json.array("caches", caches) { json, cache in
                json.object { json in
                    json.member("base", cache.base)
                    json.object("rules") { json in
                        for (name, value) in cache.rules.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
                    }
                    json.member("network", cache.network)
                }
            }
            json.array("places", [a, b, first, count ?? 0]) { $0.integer($1) }
            json.array("warnings", warnings) { $0.integer($1) }
            json.member("decode", decodes)
            json.member("seed", seed)
            json.member("app", app.rawValue)
        }.text
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("session", session)
            json.array("caches", caches) { json, cache in
                json.object { json in
                    json.member("base", cache.base)
                    json.object("rules") { json in
                        for (name, value) in cache.rules.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
                    }
                    json.member("network", cache.network)
                }
            }
            json.member("a", a)
            json.member("b", b)
            json.array("warnings", warnings) { $0.double(Double($1) / 1e6) }
            json.member("decode", decodes)
            json.member("seed", seed)
            json.member("app", app.rawValue)
        }
    }

    /// Creates a question of the program's own.
    init(session: String, caches: [Cache], seed: UInt64) {
        (self.session, self.caches, self.seed) = (session, caches, seed)
        (a, b) = (0, max(0, caches.count - 1))
        if caches.count > 1 { b = 1 }
    }
}
