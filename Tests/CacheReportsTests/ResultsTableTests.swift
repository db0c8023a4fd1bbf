import Basics
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The table on the terminal")
struct ResultsTableTests {
    @Test("ordinary results fit 120 columns")
    func width() throws {
        let text = ResultsTable.document(ResultSet(Samples.review(caches: 12), source: "x"), onlyTables: true).plain()
        let table = text.split(separator: "\n").prefix { !$0.hasPrefix("[1]") }
        #expect(table.count == 15)
        #expect(table.allSatisfy { TextGrid.width(String($0)) <= 120 })
    }

    @Test("long names lose the words with which all begin, and their middle, and a line spells each out")
    func shortNames() {
        let names = ["kingfisher-8; memory: 16MB; order: newest", "kingfisher-8; memory: 32MB; order: newest", "fifo"]
        let short = ShortNames(names + names, limit: 24)
        // The number leaves 20 of 24 columns, which are enough for what follows the common words.
        #expect(names.map { short[$0] } == ["…16MB; order: newest [1]", "…32MB; order: newest [2]", "fifo"])
        let narrow = ShortNames(names, limit: 16)
        #expect(names.map { narrow[$0] } == ["…16MB;…ewest [1]", "…32MB;…ewest [2]", "fifo"])
        #expect(short.explanations == ["[1] \(names[0])", "[2] \(names[1])"])
    }

    @Test("units fit the figure")
    func units() {
        #expect(HumanText.bytes(0) == "0 B")
        #expect(HumanText.bytes(999.6) == "1 kB")
        #expect(HumanText.bytes(12_345_678) == "12.3 MB")
        #expect(HumanText.microseconds(0.25) == "0.25 µs")
        #expect(HumanText.microseconds(1_234) == "1.23 ms")
        #expect(HumanText.count(1_234_567) == "1,234,567")
        #expect(HumanText.count(-1_234) == "-1,234")
        #expect(HumanText.share(0.00001) == "<0.1%")
        #expect(HumanText.share(0.99999) == ">99.9%")
        #expect(HumanText.share(1) == "100.0%")
    }
}
