import Basics
import Foundation
import Testing

@testable import Playground

@Suite("A question of the page is read, or refused with what is expected")
struct PlayQuestionTests {
    private func failure(_ json: String) -> PlayFailure? {
        do {
            _ = try PlayQuestion(Array(json.utf8), seed: 1)
            return nil
        } catch {
            return error as? PlayFailure
        }
    }

    @Test("What is left out has its value")
    func least() throws {
        let json = """
            {"session": "s", "caches": [{"base": "nuke-13", "network": "lte"}, {"base": "b", "network": "x"}]}
            """
        let question = try PlayQuestion(Array(json.utf8), seed: 7)
        #expect(question.session == "s")
        #expect(question.caches.map(\.base) == ["nuke-13", "b"])
        #expect(question.a == 0 && question.b == 1)
        #expect(question.warnings.isEmpty && question.decodes && question.seed == 7)
        #expect(question.first == 0 && question.count == nil && question.app == .equal)
    }

    @Test("Every member is read")
    func all() throws {
        let json = """
            {"session": "s", "caches": [{"base": "nuke-13", "rules": {"memory": "48MB"}, "network": "lte"}], "a": 0,
            "b": 0, "warnings": [12.5, 3, 3], "decode": false, "seed": 9, "app": "own", "first": 4, "count": 2}
            """
        let question = try PlayQuestion(Array(json.utf8), seed: 7)
        #expect(question.caches[0].rules == ["memory": "48MB"])
        #expect(question.warnings == [3_000_000, 12_500_000])
        #expect(!question.decodes && question.seed == 9 && question.first == 4 && question.count == 2)
        #expect(question.app == .own)
    }

    @Test(
        "A mistake is named with what is expected",
        arguments: [
            ("", "not JSON"), ("[", "not JSON"), ("[]", "is an object of JSON, not a list"),
            (#"{"caches": []}"#, "'session' of the question is missing"),
            (#"{"session": 1, "caches": []}"#, "'session' of the question is a number"),
            (#"{"session": "s"}"#, "'caches' of the question is missing; expected is a list of 1 to 4"),
            (#"{"session": "s", "caches": []}"#, "has 0 caches; give from 1 to 4"),
            (#"{"session": "s", "caches": {}}"#, "'caches' of the question is an object"),
            (#"{"session": "s", "caches": [1]}"#, "cache 1 is an object of JSON, not a number"),
            (#"{"session": "s", "caches": [{}]}"#, "'base' of cache 1 is missing"),
            (#"{"session": "s", "caches": [{"base": "x"}]}"#, "'network' of cache 1 is missing"),
            (#"{"session": "s", "caches": [{"base": "x", "network": "lte", "rule": 1}]}"#, "no member 'rule'"),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte", "rules": {"memory": 48}}]}"#,
                "The rule 'memory' of cache 1 is a number"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "b": 1}"#,
                "'b' of the question is 1.0; expected is a whole number from 0 to 0"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "seed": 1.5}"#,
                "'seed' of the question is 1.5"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "warnings": [-1]}"#,
                "A time in 'warnings' of the question is -1.0"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "app": "mine"}"#,
                "'app' of the question is 'mine'; expected is equal or own"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "app": true}"#,
                "'app' of the question is true or false; expected is equal or own"
            ),
            (
                #"{"session": "s", "caches": [{"base": "x", "network": "lte"}], "decode": 1}"#,
                "'decode' of the question is a number; expected is true or false"
            ),
        ])
    func mistakes(json: String, message: String) throws {
        let failure = try #require(self.failure(json), "\(json)")
        #expect(failure.kind == .badQuestion)
        #expect(failure.description.contains(message), "\(failure.description)")
    }

    @Test("A long question, too many rules and too many warnings are refused")
    func bounds() throws {
        let long = String(repeating: " ", count: PlayQuestion.mostBytes + 1)
        #expect(failure(long)?.description.contains("send at most") == true)
        let rules = (0...PlayQuestion.mostRules).map { "\"r\($0)\": \"1\"" }.joined(separator: ", ")
        let many = "{\"session\": \"s\", \"caches\": [{\"base\": \"x\", \"network\": \"lte\", \"rules\": {\(rules)}}]}"
        #expect(failure(many)?.description.contains("set at most 64") == true)
        let times = (0...PlayQuestion.mostWarnings).map { "\($0)" }.joined(separator: ", ")
        let late = """
            {"session": "s", "caches": [{"base": "x", "network": "lte"}], "warnings": [\(times)]}
            """
        #expect(failure(late)?.description.contains("has 21 times") == true)
    }

    @Test("A question is written as it is read")
    func roundTrip() throws {
        var question = PlaySupport.question(b: PlaySupport.cache("nuke-13", ["memory": "48MB", "order": "lifo"]))
        question.warnings = [1_500_000]
        question.decodes = false
        question.app = .own
        let read = try PlayQuestion(PlaySupport.body(question), seed: 5)
        #expect(read == question)
    }

    @Test("No bytes crash the playground, and each is a failure of the question or an answer")
    func hostile() throws {
        let playground = try PlaySupport.playground(PlaySupport.list(images: 4, passes: 1))
        let good = PlaySupport.body(PlaySupport.question(b: PlaySupport.cache("nuke-13", ["memory": "48MB"])))
        var random = SplitMix64(seed: 35)
        for _ in 0..<400 {
            var bytes = good
            for _ in 0...random.next(below: 3) {
                let place = random.next(below: bytes.count)
                switch random.next(below: 3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next(below: 96) + 32), at: place)
                }
            }
            let request = PlayRequest.allCases[random.next(below: PlayRequest.allCases.count)]
            do { _ = try playground.answer(request, bytes, isOvertaken: { false }) } catch {
                let failure = try #require(error as? PlayFailure, "\(error)")
                #expect(!failure.description.isEmpty && failure.kind != .overtaken)
            }
        }
    }
}
