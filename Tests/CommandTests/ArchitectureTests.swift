import Foundation
import Testing

@Suite("The sources keep what ARCHITECTURE.md says")
struct ArchitectureTests {
    /// A row of the table of modules.
    private struct Module {
        var name: String
        /// What the module does not know, in the words of the table.
        var unknown: [String]
    }

    /// The modules of the table in ARCHITECTURE.md, in its order.
    private static let modules: [Module] = {
        let page = (try? Binary.root.text("ARCHITECTURE.md")) ?? ""
        return page.matches(of: /(?m)^\| `(\w+)` \| .* \| ([^|]*) \|$/).map { row in
            Module(name: String(row.1), unknown: row.2.split(separator: ", ").map(String.init).filter { $0 != "–" })
        }
    }()

    /// What a module uses that knows these: modules, and names in code.
    private static let signs: [String: Set<Substring>] = [
        "C libraries": ["CArchive", "CCrypto", "CCurl", "CPNG", "CSQLite", "CTurboJPEG", "CWebP"],
        "JSON": ["JSONDecoder", "JSONEncoder", "JSONSerialization", "JSONValue", "JSONWriter"],
        "Markdown": ["CacheReports"], "caches": ["CachePolicies", "CacheTiers", "HTTPCaching", "ReplayEngine"],
        "clocks": ["ContinuousClock", "DispatchTime", "MonotonicClock", "SuspendingClock", "clock_gettime"],
        "commands": ["ArgumentParser", "CacheReplayCommand"], "devices": ["ImageLibraries"],
        "files": ["AtomicFile", "FileHandle", "FileManager", "FolderLock", "ScratchFolder", "fopen"],
        "how results look": ["CacheReports", "Chart", "Document", "Gnuplot", "HTML", "HumanText", "TextGrid"],
        "how results were produced": [
            "AdviceReplays", "AdviceSearch", "CacheReplayCommand", "CacheSimulation", "MeasuredTiers", "PreparedTrace",
            "ReplayJob", "ReplayLanes", "ReplayPipeline", "ReplayTiers",
        ],
        "libraries": ["ImageLibraries"],
        "payloads": ["CacheTiers", "Payload"],
        "replay": ["ReplayEngine"],
        "reports": ["CacheReports"],
        "requests": ["CacheTraces", "SessionModel", "TraceEvent"],
        "sentences": ["ResultColumns"],
        "sockets": ["FoundationNetworking", "NIOCore", "Network", "URLSession", "socket"],
        "the engine beside its configurations": [
            "PreparedTrace", "ReplayJob", "ReplayLanes", "ReplayPipeline", "ReplayTiers", "RunResult",
        ],
        "the pipeline": ["ReplayEngine"],
        "the rest of the project": Set(modules.map { Substring($0.name) }),
        "tiers": ["CacheTiers", "MeasuredTiers", "ReplayEngine"],
    ]

    @Test("The table has every module, and each word about what it does not know is checked")
    func table() throws {
        let sources = Binary.root.appendingPathComponent("Sources")
        let others: Set = ["C", "Python"]
        let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { !others.contains($0) }
        #expect(Set(folders).union(["cachereplay"]) == Set(Self.modules.map(\.name)))
        #expect(SourceFile.all.count > 300)
        for module in Self.modules {
            for word in module.unknown where Self.signs[word] == nil {
                Issue.record("\(module.name) does not know \(word): add the signs of it to this test")
            }
        }
    }

    @Test("No module knows what the table says that it does not know, or a module below it")
    func knowledge() {
        let names = Self.modules.map(\.name)
        let ranks = Dictionary(uniqueKeysWithValues: zip(names.map { Substring($0) }, names.indices))
        var unknown: [String: [Substring: String]] = [:]
        for module in Self.modules {
            for word in module.unknown {
                for sign in Self.signs[word] ?? [] { unknown[module.name, default: [:]][sign] = word }
            }
        }
        var imports = 0
        for file in SourceFile.all {
            let module = file.path.hasPrefix("CacheReplayCommand/Executable/") ? "cachereplay" : file.module
            for (index, token) in file.tokens.enumerated() {
                if let word = unknown[module]?[token.text], token.text != module {
                    Issue.record(
                        """
                        Sources/\(file.path):\(token.line): \(token.text) is \(word), which \(module) does not know \
                        (ARCHITECTURE.md); move the code to a module that does
                        """)
                }
                guard index > 0, file.tokens[index - 1].text == "import", let rank = ranks[token.text],
                    let own = ranks[Substring(module)]
                else { continue }
                imports += 1
                if rank > own {
                    Issue.record(
                        """
                        Sources/\(file.path):\(token.line): \(module) imports \(token.text), which is below it in the \
                        table of ARCHITECTURE.md
                        """)
                }
            }
        }
        #expect(imports > 300, "the search finds no imports")
    }

    /// The functions that may have more than 60 lines: up to ten.
    private static let long: Set<String> = [
        // The loop over rows, which is as fast as the file is read.
        "CacheTraces/Formats/CSV/CSVTraceReader.swift readPlainRows"
    ]

    @Test("A function has up to 6 parameters and 60 lines")
    func functions() {
        var count = 0
        for file in SourceFile.all {
            for function in file.functions {
                count += 1
                let name = "\(file.path) \(function.name)"
                let place = "Sources/\(file.path):\(function.line): \(function.name) has"
                if function.parameters > 6 {
                    Issue.record(
                        """
                        \(place) \(function.parameters) parameters, more than 6; give what belongs together a type, or \
                        set rare properties afterwards
                        """)
                }
                if function.lines > 60, !Self.long.contains(name) {
                    Issue.record("\(place) \(function.lines) lines, more than 60; divide it where it reads better")
                }
            }
        }
        #expect(count > 4_000, "the search finds no functions")
        #expect(Self.long.count <= 10)
    }

    @Test("Functions are counted by their code, not by comments and texts")
    func counting() {
        let text = #"""
            func one<A: P<B, C>>(_ a: [A: B] = [:], b: (Int, Int) -> Map<Int, Int>, c: Int = 1 << 2,) -> Int {
                // } func no(a: Int, b: Int) {
                let text = "} \(f(a, "}")) {" + ##"\("# { }"##
                /* } /* } */ */
                return .init(a, b)
            }
            protocol P {
                func two()
                init?(a: Int)
                static func < (a: Self, b: Self) -> Bool
            }
            """#
        let found = SourceFile(path: "a.swift", text: text).functions.map { "\($0.name) \($0.parameters) \($0.lines)" }
        #expect(found == ["one 3 6", "two 0 1", "init 1 1", "< 2 1"])
    }
}
