import Testing

@testable import CacheReports

@Suite("Names of the files of charts")
struct ChartNameTests {
    @Test("a plain trace and the kind are the name, with the unit of the capacities between them")
    func plain() {
        #expect(ChartName("photo-feed", ChartKind.outcomes).text == "photo-feed-outcomes")
        #expect(ChartName("feed", unit: .objects, SimulationChart.missRatio).text == "feed-objects-miss-ratio")
        #expect(ChartName("feed", SimulationChart.byteMissRatio).text == "feed-byte-miss-ratio")
        #expect(ChartName("advice").text == "advice")
    }

    @Test("any trace gives a plain file name, also in the scripts of its charts", arguments: HostileName.all)
    func hostile(hostile: HostileName) {
        for trace in [hostile.name, "<\(hostile.name)", "|\(hostile.name)", "/\(hostile.name)"] {
            let name = ChartName(trace, ExplanationChart.causes)
            #expect(name.text.hasSuffix("-causes"))
            #expect(name.text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "-_.~".contains($0)) })
            #expect(!name.text.hasPrefix("-") && !name.text.hasPrefix("."))
            let content = ChartContent(
                title: trace, height: 300, settings: [], plots: ["$data using 1:2 notitle"], columns: ["a"], rows: [])
            let script = content.script(name: name, formats: [.svg]).split(separator: "\n")
            #expect(script.contains("set output '\(name).svg'"))
            #expect(script.contains("plot '\(name).csv' skip 1 using 1:2 notitle"))
        }
    }

    @Test("only the beginning of a part of the plot stands for the data: a title with the same text stays quoted")
    func mark() {
        let title = GnuplotText.quoted("$data `touch ran`")
        let content = ChartContent(
            title: "t", height: 300, settings: [],
            plots: ["$data using 1:2 title \(title)", "NaN title \(title)"], columns: ["a"], rows: [])
        let lines = content.script(name: ChartName("feed", ChartKind.memory), formats: [.svg]).split(separator: "\n")
        #expect(lines.contains(#"plot 'feed-memory.csv' skip 1 using 1:2 title '$data `touch ran`', \"#))
        #expect(lines.contains("     NaN title '$data `touch ran`'"))
    }
}
