import Basics
import ReplayEngine
import Runs
import Testing

@testable import CacheReports

/// Sentences on random results, which a second reader checks.
@Suite("Conclusions on random results")
struct ConclusionPropertyTests {
    /// Results of one to three sessions through one to five caches, or through two caches with several limits. Figures
    /// are from a coarse grid, so that many tie.
    private static func runs(_ random: inout SplitMix64) -> [RunResult] {
        let isSweep = random.next(below: 3) == 0
        let sessions = 1 + random.next(below: 3)
        let caches = ["a", "b", "c", "d", "e"].prefix(isSweep ? 1 + random.next(below: 2) : 1 + random.next(below: 5))
        let values = isSweep ? ["+memory=8MB", "+memory=16MB", "+memory=32MB"] : [""]
        let step = [0.4, 3, 30][random.next(below: 3)]
        let parts = (0..<sessions).map { session -> String in
            let entries = caches.flatMap { cache in
                values.map { value -> String in
                    let blank = 20 + step * Double(random.next(below: 8))
                    return " \(cache)\(value) \(blank) \([0, 1, 1.005, 40][random.next(below: 4)])"
                }
            }
            return "s\(session):\(entries.joined(separator: ","))"
        }
        return Situation.runs(parts.joined(separator: ";"))
    }

    /// The value of the evidence, from the results themselves.
    private static func value(_ evidence: Finding.Evidence, in runs: [RunResult]) -> Double? {
        let run = runs.first { $0.identity.trace == evidence.trace && $0.identity.cache == evidence.cache }
        return run.map {
            evidence.metric == "blank_ratio"
                ? $0.blank.blankTime / $0.blank.visibleTime : Double($0.tiers.memoryPeakBytes)
        }
    }

    @Test("each amount of a sentence is that of a figure behind it, and each figure is one of the results")
    func amounts() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<400 {
            let runs = Self.runs(&random)
            for finding in ResultSet(runs, source: "x").conclusions where ![.limits, .basis].contains(finding.subject) {
                #expect(ReadAmounts(finding.text).strangers(to: finding.evidence) == [], "\(finding.text)")
                for evidence in finding.evidence {
                    #expect(Self.value(evidence, in: runs) == evidence.value, "\(evidence)")
                }
                #expect(Set(finding.caches).isSubset(of: Set(runs.map(\.identity.cache))))
            }
        }
    }

    @Test("no winner within the tolerance, and no tie beyond it")
    func ties() {
        var random = SplitMix64(seed: 12)
        var kinds: Set<String> = []
        for _ in 0..<400 {
            let runs = Self.runs(&random)
            guard Set(runs.map(\.identity.trace)).count == 1, runs.allSatisfy({ $0.identity.swept == nil }),
                runs.count > 1
            else { continue }
            let sorted = runs.map { $0.blank.blankTime / $0.blank.visibleTime }.sorted()
            let text = ResultSet(runs, source: "x").conclusions[0].text
            let close = sorted.count { $0 - sorted[0] <= 0.001 + 1e-9 }
            let kind = close == 1 ? "leaves the least" : close == sorted.count ? " caches tie" : " tie on "
            #expect(text.contains(kind), "\(sorted): \(text)")
            kinds.insert(kind)
        }
        #expect(kinds.count == 3)
    }

    @Test("a limit that is called enough is the smallest one that no other beats by more than the tolerance")
    func enough() {
        var random = SplitMix64(seed: 13)
        var count = 0
        for _ in 0..<600 {
            let runs = Self.runs(&random)
            guard runs[0].identity.swept != nil, Set(runs.map(\.identity.trace)).count == 1,
                let finding = ResultSet(runs, source: "x").conclusions.first(where: { $0.subject == .memory })
            else { continue }
            for cache in Set(runs.compactMap(\.identity.base)) {
                let own = runs.filter { $0.identity.base == cache }
                let blanks = own.map { $0.blank.blankTime / $0.blank.visibleTime }
                let least = blanks.min() ?? 0
                let place = blanks.firstIndex { $0 - least <= 0.001 + 1e-9 } ?? 0
                let value = own[place].identity.swept?[0].text ?? ""
                let verb = place == own.count - 1 ? "Nothing below \(value) (" : "\(value) ("
                #expect(finding.text.contains(verb) && finding.text.contains(" is enough for \(cache)"))
                count += 1
            }
        }
        #expect(count > 50)
    }

    @Test("the reader of amounts finds each kind, and refuses wrong ones")
    func reader() {
        func evidence(_ metric: String, _ value: Double) -> Finding.Evidence {
            .init(trace: "feed", cache: "a", metric: metric, value: value)
        }
        let figures = [
            evidence("blank_ratio", 0.0204), evidence("blank_ratio", 0.0311), evidence("memory_peak_bytes", 12_340_000),
        ]
        let right = "2.0% and 3.1%, 1.1 points, 12.3 MB, and memory=8MB"
        #expect(ReadAmounts(right).amounts.count == 4)
        #expect(ReadAmounts(right).strangers(to: figures) == [])
        for wrong in ["2.1%", "<0.1%", "1.2 points", "0.11 points", "12.4 MB", "12.3 kB"] {
            #expect(ReadAmounts(wrong).strangers(to: figures).count == 1, "\(wrong)")
        }
    }
}
