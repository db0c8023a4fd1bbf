import Basics
import Foundation
import ReplayEngine
import Testing

@testable import Playground

@Suite("Answers of the playground")
struct PlayAnswersTests {
    private let playground: Playground

    init() throws {
        playground = try PlaySupport.playground { options in
            options.sessions.append(PlaySupport.session("short", PlaySupport.list(images: 5, passes: 2)))
            options.sessions.append(
                PlayOptions.Session(path: "broken.jsonl", name: "broken") { throw ReplayError("line 1 is no event") })
            options.populations = [PlayOptions.Population(name: "people", path: "People", sessions: [0, 1, 2])]
        }
    }

    private func ask(_ request: PlayRequest, _ question: PlayQuestion) throws -> PlayJSON {
        try PlaySupport.ask(playground, request, question)
    }

    /// 20 of 40 images fit in the first cache, and all in the second one.
    private let question = PlaySupport.question(b: PlaySupport.cache("lru(100MB)", ["prefetch": "none"]))

    @Test("Figures have rows, causes, a headline and the command")
    func figures() throws {
        let answer = try ask(.figures, question)
        #expect(answer["headline"].text?.hasPrefix("Blank time falls from ") == true, "\(answer["headline"])")
        #expect(answer["context"].text?.contains("list: 80 requests in 33 s, over LTE") == true, "\(answer["context"])")
        #expect(answer["rows"][0]["key"].text == "blank_ratio")
        #expect(answer["rows"][0]["good"] == .bool(true))
        #expect(answer["causes"]["head"].list.count == 3)
        #expect(answer["waits"]["rows"].list.isEmpty == false)
        #expect(answer["caches"][0]["values"]["memory"].text == "20MB")
        let command = answer["command"].text
        #expect(
            command == """
                cachereplay replay Traces/list.jsonl --timing modelled --network lte --cache 'lru(20MB)' --cache \
                'lru(100MB); prefetch: none'
                """)
    }

    @Test("Text of the command line is quoted for a shell")
    func quoting() throws {
        #expect(ShellText.line(["cachereplay", "it's; rm", "", "a.b"]) == #"cachereplay 'it'\''s; rm' '' a.b"#)
        let hostile = try PlaySupport.playground { options in options.sessions[0].path = "-x $(reboot) 'a'.jsonl" }
        let arguments = try hostile.replayArguments(PlaySupport.body(question))
        #expect(arguments[1] == "./-x $(reboot) 'a'.jsonl")
        let answer = try PlaySupport.ask(hostile, .figures, question)
        #expect(answer["command"].text?.contains(#"'./-x $(reboot) '\''a'\''.jsonl'"#) == true)
    }

    @Test("The command has every setting, and each network once")
    func arguments() throws {
        var changed = question
        changed.caches[0].network = "auto"
        changed.caches[1].network = "recorded"
        changed.decodes = false
        changed.seed = 4
        changed.warnings = [1_500_000]
        let arguments = try playground.replayArguments(PlaySupport.body(changed))
        // auto may not stand beside recorded, and is the recorded network or a shared link here.
        let networks = arguments.indices.filter { arguments[$0] == "--network" }.map { arguments[$0 + 1] }
        #expect(networks == ["recorded"] || networks == ["shared", "recorded"])
        #expect(arguments.contains("--no-decode"))
        let line = arguments.joined(separator: " ")
        #expect(line.contains("--seed 4 --memory-warning-at 1500ms --cache"))
    }

    @Test("What is held equal is said, is in the gate of one cache, and ends with each library's own rules")
    func rulesOfTheApp() throws {
        var asked = PlaySupport.question(a: PlaySupport.cache("kingfisher-8"), b: PlaySupport.cache("yycache"))
        let equal = try ask(.figures, asked)
        #expect(equal["held"].text?.hasPrefix("cancelOnDisappear: true for all libraries") == true)
        #expect(equal["caches"][0]["held"] == .null && equal["caches"][1]["held"].text == "cancelOnDisappear")
        #expect(equal["caches"][1]["values"]["cancelOnDisappear"].text == "true")
        #expect(equal["command"].text?.contains("--app") == false)
        let gate = try ask(.export, asked)["gate"].text
        #expect(gate?.contains(#"app: "yycache; cancelOnDisappear: true""#) == true, "\(gate ?? "")")
        let steps = try ask(.moves, asked)["steps"].list
        #expect(steps.last?["value"].number != nil)
        asked.app = .own
        let own = try ask(.figures, asked)
        #expect(own["held"] == .null && own["caches"][1]["held"] == .null)
        #expect(own["caches"][1]["values"]["cancelOnDisappear"].text == "false")
        #expect(own["command"].text?.contains("--app own --cache kingfisher-8") == true)
        let exported = try ask(.export, asked)
        #expect(exported["yaml"].text?.hasPrefix("# Run with --app own") == true)
        #expect(exported["gate"].text?.contains(#"app: "yycache""#) == true)
    }

    @Test(
        "A value that is written stays where libraries are held equal, also if it is that of the preset",
        arguments: [
            PlaySupport.cache("yycache; cancelOnDisappear: false"),
            PlaySupport.cache("yycache", ["cancelOnDisappear": "false"]),
        ])
    func statedRule(cache: PlayQuestion.Cache) throws {
        let answer = try ask(.figures, PlaySupport.question(a: PlaySupport.cache("kingfisher-8"), b: cache))
        #expect(answer["held"] == .null && answer["caches"][1]["held"] == .null)
        #expect(answer["caches"][1]["values"]["cancelOnDisappear"].text == "false")
        #expect(answer["command"].text?.contains("yycache; cancelOnDisappear: false") == true)
    }

    @Test("The page begins with the rules of the app of the command", arguments: PlayOptions.AppChoice.allCases)
    func firstRules(choice: PlayOptions.AppChoice) throws {
        let playground = try PlaySupport.playground { options in
            options.caches = ["kingfisher-8", "yycache"]
            options.app = choice
        }
        let start = try PlaySupport.value(playground.start { false })
        #expect(start["question"]["app"].text == choice.rawValue)
        // The preset of YYCache does not cancel.
        let cancels = start["figures"]["caches"][1]["values"]["cancelOnDisappear"].text
        #expect(cancels == (choice == .equal ? "true" : "false"))
        #expect(start["figures"]["command"].text?.contains("--app own") == (choice == .own))
    }

    @Test("Changes of the moves sum to the difference")
    func moves() throws {
        let b = PlaySupport.cache("lru(100MB)", ["prefetch": "rows(1)", "order": "lifo"], network: "3g")
        let answer = try ask(.moves, PlaySupport.question(b: b))
        let steps = answer["steps"].list
        // A, four changes, B.
        let labels = steps.map { String(($0["label"].text ?? "").prefix(8)) }
        #expect(labels == ["A", "lru(20MB", "prefetch", "order: f", "network:", "B"])
        let values = steps.compactMap { $0["value"].number }
        #expect(values.count == 6)
        let sum = zip(values.dropFirst(), values).reduce(0.0) { $0 + ($1.0 - $1.1) }
        #expect(abs(sum - (values[5] - values[0])) < 1e-12)
        let figures = try ask(.figures, PlaySupport.question(b: b))
        for (place, value) in [(0, values[0]), (1, values[5])] {
            let own = try #require(figures["caches"][place]["figures"]["blank_ratio"].number)
            #expect(abs(own - value) < 1e-6)
        }
        #expect(answer["alone"].list.count == 4)
    }

    @Test("The curve has 64 limits, and its ends are those of the cache")
    func curve() throws {
        let answer = try ask(.curve, question)
        let limits = answer["limits"].list.compactMap(\.number)
        #expect(limits.count == 64 && limits == limits.sorted())
        #expect(limits[0] == 1_000_000 && abs(limits[63] - 40e6) < 1e5)
        #expect(answer["curves"].list.count == 2)
        for (place, curve) in answer["curves"].list.enumerated() {
            #expect(curve["cache"].number == Double(place))
            let values = curve["values"].list.compactMap(\.number)
            #expect(values.count == 64)
            // An LRU never gains from less memory.
            #expect(values == values.sorted(by: >))
        }
        let enough = try #require(answer["enough"][0].number)
        #expect(limits.contains(enough))
    }

    @Test("Limits are round, and enough is the smallest that ties with the largest")
    func limits() {
        let limits = Playground.limits(largestImage: 0, workingSet: 500_000_000)
        #expect(limits.first == 1_000_000 && limits.last == 500_000_000 && limits.count == 64)
        #expect(limits.allSatisfy { $0 % 10_000 == 0 })
        #expect(Playground.limits(largestImage: 7, workingSet: 0).last == 2_000_000)
        #expect(Playground.enough([0.3, 0.2, 0.1005, 0.2, 0.1009, 0.1]) == 4)
        #expect(Playground.enough([0.1]) == 0)
        #expect(Playground.enough([nil]) == nil && Playground.enough([]) == nil)
    }

    @Test("The film is that of a report, with a run for each cache")
    func film() throws {
        let answer = try ask(.film, question)
        #expect(answer["names"].list.compactMap(\.text) == ["A lru(20MB)", "B lru(100MB); prefetch: none"])
        #expect(answer["trace"]["runs"].list.count == 2)
        #expect(answer["trace"]["runs"][0]["film"].list.isEmpty == false)
        #expect(answer["trace"]["end"].number.map { $0 > 30 } == true)
    }

    @Test("The bound is not above the blank time")
    func bound() throws {
        let answer = try ask(.bound, question)
        let blank = try #require(answer["blank"].number)
        let least = try #require(answer["least"].number)
        #expect(least <= blank && least > 0)
        #expect(answer["text"].text?.contains("no cache") == true)
    }

    @Test("People are replayed one part after the other; a broken session is one without figures")
    func people() throws {
        var part = question
        part.session = "people"
        part.count = 1
        func body(_ first: Int) -> [UInt8] {
            let text = String(decoding: PlaySupport.body(part), as: UTF8.self)
            return Array("\(text.dropLast()),\"first\":\(first),\"count\":1}".utf8)
        }
        let first = try PlaySupport.value(playground.answer(.people, body(0), isOvertaken: { false }))
        #expect(first["of"].number == 3 && first["people"].list.count == 1 && first["summary"] == .null)
        #expect(first["people"][0]["values"].list.count == 2)
        let last = try PlaySupport.value(playground.answer(.people, body(2), isOvertaken: { false }))
        #expect(last["people"][0]["problem"].text?.contains("line 1 is no event") == true)
        #expect(last["summary"]["missing"].number == 1)
        let counts = ["better", "worse", "same"].compactMap { last["summary"][$0].number }
        #expect(counts.reduce(0, +) == 2)
        #expect(last["summary"]["quantiles"].list.count == 5)
    }

    @Test("Exports have files, code and tables; what a library cannot set is said")
    func export() throws {
        let code = try ask(.export, PlaySupport.question(b: PlaySupport.cache("nuke-13", ["memory": "48MB"])))
        #expect(code["swift"]["text"].text?.contains("48000000") == true, "\(code["swift"])")
        #expect(code["swift"]["source"].text?.isEmpty == false && code["kotlin"] == .null)
        let none = try ask(.export, question)
        #expect(none["swift"] == .null && none["kotlin"] == .null)
        #expect(none["setting"][0].text?.contains("no library has a setting") == true)
        let yaml = """
            traces:
              - "Traces/list.jsonl"
            caches:
              "lru(20MB)": "lru(20MB)"
              "lru(100MB); prefetch: none": "lru(100MB); prefetch: none"

            """
        #expect(none["yaml"].text == yaml)
        #expect(none["gate"].text?.contains("  - \"blank_ratio<=") == true)
        #expect(none["markdown"].text?.hasPrefix("| list | A lru(20MB) | B lru(100MB); prefetch: none |\n") == true)
    }

    @Test("An overtaken question ends, and leaves nothing behind")
    func overtaken() throws {
        let calls = Locked(0)
        for request in PlayRequest.allCases where request != .export {
            let error = #expect(throws: PlayFailure.self) {
                _ = try playground.answer(request, PlaySupport.body(question)) {
                    calls.withLock { $0 += 1 }
                    return true
                }
            }
            #expect(error?.kind == .overtaken, "\(request)")
        }
        let asked = calls.withLock { $0 }
        #expect(asked > 0)
        let answer = try ask(.figures, question)
        #expect(answer["rows"].list.isEmpty == false)
    }

    @Test("A late memory warning, equal names and an unknown session are refused")
    func refused() throws {
        var late = question
        late.warnings = [500_000_000]
        var named = PlaySupport.question(a: PlaySupport.cache("x=lru(1MB)"), b: PlaySupport.cache("x=lru(2MB)"))
        named.b = 1
        var unknown = question
        unknown.session = "lits"
        for (asked, message) in [(late, "the trace ends after"), (named, "are both called 'x'"), (unknown, "'list'")] {
            let error = #expect(throws: PlayFailure.self) { _ = try ask(.figures, asked) }
            #expect(error?.kind == .badQuestion && error?.description.contains(message) == true, "\(message)")
        }
    }
}
