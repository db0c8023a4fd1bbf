import Basics
import Foundation
import ReplayEngine

@testable import Playground

/// Random states of the page, the same ones on every machine.
struct PlayStates {
    private static let bases = [
        "nuke-13", "kingfisher-8", "coil-3", "lru(3MB)", "app=nuke-13; memory: 8MB", "sieve(5MB); disk: lru(4MB)",
        "memory: ttl(lru(6MB), lifetime: 1h); disk: ttl(lru(20MB), lifetime: 7d)", "memory: none; disk: lru(50MB)",
        "kingfisher-8; ram: 2GB", "memory: fifo(10 objects); connections: 2", "yycache", "sdwebimage-5",
    ]
    private static let sizes = ["1MB", "2500kB", "4MB", "12MB", "48MB", "unlimited", "10%"]
    private static let networks = ["auto", "3g", "lte", "wifi", "recorded"]

    private var random: SplitMix64
    private let session: String
    /// The length of the session, in seconds.
    private let seconds: Int

    init(seed: UInt64, session: String, seconds: Int) {
        random = SplitMix64(seed: seed)
        (self.session, self.seconds) = (session, seconds)
    }

    private mutating func one(of values: [String]) -> String { values[random.next(below: values.count)] }

    private mutating func cache() -> PlayQuestion.Cache {
        var cache = PlayQuestion.Cache(base: one(of: Self.bases), network: one(of: Self.networks))
        for _ in 0..<random.next(below: 4) {
            let control = PlayControls.all[random.next(below: PlayControls.all.count)]
            switch control.kind {
            case .size(let words): cache.rules[control.rule] = one(of: Self.sizes + words)
            case .choice(let values): cache.rules[control.rule] = one(of: values)
            case .count(let range): cache.rules[control.rule] = "\(range.lowerBound + random.next(below: range.count))"
            }
        }
        return cache
    }

    /// Returns the next state. The caches may refuse it.
    mutating func next() -> PlayQuestion {
        let caches = (0..<(1 + random.next(below: 2))).map { _ in cache() }
        var question = PlayQuestion(session: session, caches: caches, seed: UInt64(random.next(below: 5)))
        question.decodes = random.next(below: 4) > 0
        for _ in 0..<random.next(below: 3) {
            question.warnings.append(Int64(random.next(below: seconds * 10)) * 100_000)
        }
        question.warnings = Set(question.warnings).sorted()
        question.app = random.next(below: 2) > 0 ? .equal : .own
        return question
    }
}

extension PlayStates {
    /// Returns the digits of all figures of an answer as it is written: by cache, by column; null for no figure.
    static func digits(_ answer: String) -> [[String: String]] {
        answer.components(separatedBy: "\"figures\":{").dropFirst().map { part -> [String: String] in
            let members = part.prefix { $0 != "}" }.split(separator: ",")
            var digits: [String: String] = [:]
            for member in members {
                let sides = member.split(separator: ":")
                digits[String(sides[0]).replacing("\"", with: "")] = String(sides[1])
            }
            return digits
        }
    }
}
