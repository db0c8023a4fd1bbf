import Foundation
import Testing

@testable import CacheTraces

@Suite("The list of formats")
struct FormatCatalogueTests {
    private static let root = URL(fileURLWithPath: "\(#filePath)/../../..").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("Every format has a row in FileFormats.md and a seed for the fuzzer", arguments: TraceFormat.all.map(\.name))
    func documented(name: String) throws {
        let rows = try Self.text("Sources/CacheTraces/CacheTraces.docc/FileFormats.md").split(separator: "\n")
        let row = try #require(
            rows.first { $0.hasPrefix("| `") && ($0.split(separator: "|").first ?? "").contains("`\(name)`") },
            "\(name) has no row in FileFormats.md")
        let format = try TraceFormat.named(name)
        #expect(row.contains("| read, write |") == format.canWrite)
        for ending in format.fileEndings {
            #expect(row.lowercased().contains(" `\(ending)` "), "the row of \(name) lacks \(ending)")
        }
        if let link = row.firstMatch(of: /<doc:(\w+)>/) {
            let page = try Self.text("Sources/CacheTraces/CacheTraces.docc/\(link.1).md")
            let words = page.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }
            #expect(words.contains { $0 == name.lowercased() }, "\(link.1).md does not specify \(name)")
        }
        // The damage tests of compiled traces flip each of their bytes.
        guard name != TraceFormat.compiled.name else { return }
        let seeds = try ["Seeds.swift", "Seeds+Binary.swift"].map { try Self.text("Tests/Fuzzing/Sources/Fuzz/\($0)") }
        #expect(seeds.contains { $0.contains("\"\(name)\": ") }, "\(name) has no seed in Seeds.swift")
    }

    @Test("Every format has a test that reads a file", arguments: TraceFormat.all.map(\.name))
    func tested(name: String) throws {
        let folder = Self.root.appendingPathComponent("Tests/CacheTracesTests")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let isTested = try files.contains { file in
            try file.pathExtension == "swift" && String(contentsOf: file, encoding: .utf8).contains("\"\(name)\"")
        }
        #expect(isTested, "no test in Tests/CacheTracesTests names \"\(name)\"")
    }

    @Test("Every format of the sources is in the list")
    func listed() throws {
        let folder = Self.root.appendingPathComponent("Sources/CacheTraces/Formats")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: [String] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            names += text.matches(of: /static let (\w+)(?:: TraceFormat)? = (?:TraceFormat\(|csv\()/).map {
                String($0.1)
            }
        }
        let list = try Self.text("Sources/CacheTraces/Reading/TraceFormat.swift")
        #expect(names.count >= 15)
        for name in names { #expect(list.contains(".\(name),"), "\(name) is not in TraceFormat.all") }
    }
}
