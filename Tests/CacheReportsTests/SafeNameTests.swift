import Testing

@testable import CacheReports
@testable import Runs

@Suite("Names of files")
struct SafeNameTests {
    @Test("plain names stay as they are", arguments: ["lru", "kingfisher-8", "two.tier_2"])
    func plain(name: String) {
        #expect(SafeName(name).text == name)
    }

    @Test("any other name becomes letters, digits and a hash, short enough for every file system")
    func safe() {
        let name = SafeName(Samples.longName).text
        #expect(name == "memory-split-thumbnail-lru-100-objects-full-lru~502b46a22b08f8ac")
        #expect(name.utf8.count < 80)
        #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.~".contains($0)) })
    }

    @Test("different names never share a file, not even where case is ignored")
    func different() {
        let names = [
            "lru", "LRU", "Lru", "lru(1MB)", "lru(1 MB)", "lru:1MB", "", ".", "..", "/", "a/b", "a--b", "a-b", "a b",
            "~", "写真",
            "写眞", "-dash", "e\u{301}", String(repeating: "x", count: 300), String(repeating: "x", count: 301),
        ]
        #expect(Set(names.map { SafeName($0).text.lowercased() }).count == names.count)
        #expect(
            names.map { SafeName($0).text }.allSatisfy {
                !$0.hasPrefix(".") && !$0.hasPrefix("-") && !$0.contains("/") && !$0.contains("--")
            })
    }
}
