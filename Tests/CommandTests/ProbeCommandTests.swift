import Foundation
import TestSupport
import Testing

/// `cachereplay probe nscache`, and `--nscache`.
@Suite("cachereplay probe", .namesCommands)
struct ProbeCommandTests {
    private struct Record: Decodable {
        struct Model: Decodable {
            struct Shortest: Decodable { var operations: [String] }
            var name: String
            var contradicted: Int
            var shortest: Shortest?
        }
        var verdict: String
        var best: String?
        var sequences: Int
        var models: [Model]
    }

    /// A class that was doctored: the first argument names its order. The lines are those of OwnCaches.md.
    private static let doctored = """
        import random, sys
        order = sys.argv[1]
        limits, held = (0, 0), {}  # Key to image, cost and uses, the first victim first.

        def over(cost, objects):
            return 0 < limits[0] < cost or 0 < limits[1] < objects

        def total():
            return sum(entry[1] for entry in held.values())

        def evict():
            keys = list(held)
            victim = keys[0]
            if order == "random": victim = random.choice(keys)
            if order == "lfu": victim = min(keys, key=lambda key: held[key][2])
            if order == "frequency":
                candidates = keys[:max(1, min(8, len(keys) // 4))]
                victim = min(candidates, key=lambda key: held[key][2])
                for key in candidates[:candidates.index(victim)]: held[key][2] -= 1
            del held[victim]

        for line in sys.stdin:
            call, *fields = line.rstrip("\\n").split("\\t")
            answer = "ok"
            if call == "limits":
                limits, held = (int(fields[0]), int(fields[1])), {}
                answer = line.rstrip("\\n")
            elif call == "get":
                entry = held.get(fields[0])
                if entry and order in ("lru", "lfu", "frequency"):
                    held[fields[0]] = held.pop(fields[0])
                    entry[2] += 1
                answer = f"hit\\t{entry[0]}" if entry else "miss"
            elif call == "put":
                cost = int(fields[2])
                held.pop(fields[0], None)
                if order == "lfu":
                    if not over(cost, 1):
                        while over(total() + cost, len(held) + 1): evict()
                        held[fields[0]] = [fields[1], cost, 0]
                else:
                    held[fields[0]] = [fields[1], cost, 0]
                    while over(total(), len(held)): evict()
            elif call == "remove":
                held.pop(fields[0], None)
            print(answer)
            sys.stdout.flush()
        """

    private static let python = OwnCacheCommandTests.python

    private func probe(_ program: String, _ arguments: [String] = []) throws -> Binary.Outcome {
        try Binary.run(["probe", "nscache", "--class", program] + arguments)
    }

    private func record(_ text: String) throws -> Record {
        try JSONDecoder().decode(Record.self, from: Data(text.utf8))
    }

    @Test(
        "Doctored classes are identified", .enabled(if: python != nil, "needs Python"),
        arguments: [
            ("lru", "identified", "lru"), ("fifo", "identified", "fifo"), ("frequency", "identified", "frequency"),
            ("lfu", "identified", "lfu"), ("random", "random", nil),
        ])
    func doctored(order: String, verdict: String, best: String?) throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(Self.doctored, to: "class.py")
            let made = try probe("\(try #require(Self.python)) \(file) \(order)", ["--json"])
            try #require(made.status == 0, "\(made.errors)")
            let found = try record(made.output)
            #expect(found.verdict == verdict && found.best == best && found.sequences > 9_000)
            #expect(found.models.allSatisfy { ($0.contradicted == 0) == ($0.name == best) })
            #expect(found.models.allSatisfy { ($0.shortest != nil) == (best != nil && $0.name != best) })
        }
    }

    /// `body` sees `call`, `count` and `answer`.
    private func defective(_ body: String, _ check: (Binary.Outcome) -> Void) throws {
        try withTemporaryFolder { folder in
            let source = """
                import os, sys, time
                count = 0
                for line in sys.stdin:
                    count += 1
                    line = line.rstrip("\\n")
                    call = line.split("\\t")[0]
                    answer = "miss" if call == "get" else line if call == "limits" else "ok"
                    \(body)
                    print(answer, flush=True)
                """
            let file = try folder.write(source, to: "class.py")
            check(try probe("\(try #require(Self.python)) \(file)", ["--timeout", "2"]))
        }
    }

    @Test("Programs that do not answer as a cache does: exit code 65", .enabled(if: python != nil, "needs Python"))
    func defects() throws {
        try defective("if count == 500: os._exit(3)") { made in
            #expect(made.status == 65 && made.errors.contains("ended with exit code 3"), "\(made.errors)")
            #expect(made.errors.contains("the operations were limits "), "\(made.errors)")
        }
        try defective("if count == 50: time.sleep(600)") { made in
            #expect(made.status == 65 && made.errors.contains("no answer for 2"), "\(made.errors)")
        }
        try defective("if call == 'get': answer = 'error: out of memory'") { made in
            #expect(
                made.status == 65 && made.errors.contains("is \"error: out of memory\"; expected is miss"),
                "\(made.errors)")
        }
        try defective("if call == 'limits': answer = 'ok'") { made in
            #expect(made.status == 65 && made.errors.contains("answers with the same line"), "\(made.errors)")
        }
        try defective("if call == 'get': answer = 'hit\\t1'") { made in
            #expect(made.status == 0 && made.output.contains("It is defective"), "\(made.errors)")
        }
        let echo = try probe("/bin/cat")
        #expect(echo.status == 65 && echo.errors.contains("expected is \"ok\""), "\(echo.errors)")
        let missing = try probe("./no-such-class")
        #expect(missing.status == 65 && missing.errors.contains("did not answer the first line"), "\(missing.errors)")
        #expect(try probe("/bin/cat", ["--timeout", "0"]).status == 64)
    }

    #if os(Linux)
    @Test("This machine's class: the file is written once, and --nscache reads it")
    func file() throws {
        try withTemporaryFolder { folder in
            let file = folder.path + "/nscache.json"
            let made = try Binary.run("probe", "nscache", "--output", file)
            #expect(made.status == 0 && made.output.contains("It follows the model corelibs."), "\(made.errors)")
            #expect(try record(folder.text("nscache.json")).best == "corelibs")
            let again = try Binary.run("probe", "nscache", "--output", file)
            #expect(again.status == 73 && again.errors.contains("exists already"), "\(again.errors)")
            func rows(_ model: String, _ cache: String) throws -> [[String: String]] {
                let output = folder.path + "/\(UUID())"
                let run = try Binary.run(
                    "replay", "Traces/photo-feed.jsonl", "--cache", cache, "--nscache", model, "--timing", "modelled",
                    "--no-charts", "--output", output)
                #expect(run.status == 0, "\(run.errors)")
                if model == file {
                    #expect(run.output.contains("in the model corelibs alone, as the probe of NSCache"))
                }
                return CommandTests.rows(try URL(fileURLWithPath: output).text("summary.csv"))
            }
            let cache = "k=kingfisher-8; memory: 20MB"
            // One row each: no spread over models.
            let all = [try rows(file, cache), try rows("corelibs", cache), try rows("platform", cache)]
            #expect(all.allSatisfy { $0.count == 1 })
            #expect(all.map { $0.first?["cache"] } == ["k [corelibs]", "k [corelibs]", "k [platform]"])
            for row in all.compactMap(\.first) {
                #expect(
                    row.filter { !["cache", "base_cache"].contains($0.key) }
                        == all[0][0].filter { !["cache", "base_cache"].contains($0.key) })
            }
            // The model binds: LRU has other figures.
            #expect(try rows("lru", cache).first?["memory_hits"] != all[0][0]["memory_hits"])
        }
    }
    #endif

    @Test("--nscache names what is wrong with its value")
    func values() throws {
        func replay(_ value: String, _ cache: String = "kingfisher-8") throws -> Binary.Outcome {
            try Binary.run(
                "replay", "Traces/photo-feed.jsonl", "--cache", cache, "--nscache", value, "--timing", "instant")
        }
        let misspelt = try replay("corelib")
        #expect(misspelt.status == 64 && misspelt.errors.contains("is neither a model"), "\(misspelt.errors)")
        let missing = try replay("./no-such.json")
        #expect(missing.status == 66 && missing.errors.contains("is neither a model"), "\(missing.errors)")
        let none = try replay("fifo", "lru(1MB)")
        #expect(none.status == 64 && none.errors.contains("none of the caches rests on"), "\(none.errors)")
        try withTemporaryFolder { folder in
            for (text, reason) in [
                ("{}", "is no file of a probe"), ("nonsense", "is no file of a probe"),
                (#"{"probe": 9}"#, "has the version 9"), (#"{"probe": 1}"#, "is missing"),
            ] {
                let made = try replay(try folder.write(text, to: "f.json"))
                #expect(made.status == 65 && made.errors.contains(reason), "\(text): \(made.errors)")
            }
            let random = """
                {"probe": 1, "cachereplay": "0", "class": "NSCache", "platform": {"name": "macOS", "version": "15", \
                "architecture": "arm64", "foundation": "Foundation"}, "sequences": 1, "operations": 1, "answers": 1, \
                "repeated": 1, "differing": 1, "over_limits": 0, "wrong": 0, "verdict": "random", "models": []
                """
            let found = try replay(try folder.write(random + "}", to: "f.json"))
            #expect(found.status == 65 && found.errors.contains("found no model (random)"), "\(found.errors)")
            let sieve = try replay(try folder.write(random + #", "best": "sieve"}"#, to: "f.json"))
            #expect(
                sieve.status == 65 && sieve.errors.contains("follows sieve, which is not a model"), "\(sieve.errors)")
            // A file that was sent in from a Mac: its model is used, and named.
            let file = try folder.write(random + #", "best": "frequency"}"#, to: "f.json")
            let used = try Binary.run(
                "replay", "Traces/photo-feed.jsonl", "--cache", "kingfisher-8; memory: 20MB", "--nscache", file,
                "--timing", "instant", "--no-charts", "--output", folder.path + "/r")
            #expect(used.status == 0, "\(used.errors)")
            #expect(used.output.contains("as the probe of NSCache on macOS 15 says"), "\(used.output)")
            let explained = try Binary.run(
                "explain", "Traces/photo-feed.jsonl", "--cache", "kingfisher-8; memory: 20MB", "--nscache", file)
            #expect(explained.status == 0 && explained.output.contains("[frequency]"), "\(explained.errors)")
        }
    }
}
