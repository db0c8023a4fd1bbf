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
        "Markdown": ["CacheReports"],
        "caches": ["CachePolicies", "CacheTiers", "HTTPCaching", "ReplayEngine"],
        "clocks": ["ContinuousClock", "DispatchTime", "MonotonicClock", "SuspendingClock", "clock_gettime"],
        "commands": ["ArgumentParser", "CacheReplayCommand"],
        "devices": ["ImageLibraries"],
        "files": ["AtomicFile", "FileHandle", "FileManager", "FolderLock", "ScratchFolder", "fopen"],
        "how results were produced": [
            "CacheReplayCommand", "MeasuredTiers", "ReplayLanes", "ReplayPipeline", "ReplayTiers",
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
        let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0 != "C" }
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
}
