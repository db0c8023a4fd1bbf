import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The least blank time in an explanation")
struct LeastBlankTests {
    private typealias LeastBlank = RunExplanation.LeastBlank

    /// 25 ms of 1 s, of which 12 ms are first bytes.
    private let least = LeastBlank(
        milliseconds: 25, share: 0.025, ownShare: 0.046, firstBytes: 12, transfers: 5.75, processing: 0, memory: 5,
        link: 2.25, connections: 0, memoryBytes: 64_000_000, holds: .decoded, hasDisk: false, network: "lte",
        exemptions: [])

    @Test("It is a bound of all caches, with its parts")
    func sentences() {
        #expect(
            least.sentences == """
                Over lte, with 64 MB of bitmaps in memory and no disk, no cache without prefetching leaves less than \
                2.5% of the visible time blank; this one leaves 4.6%. Of the 2.5%, first bytes are 48%, transfers 23%, \
                the limit of memory 20%, transfers that share the link 9%.
                """)
    }

    @Test("A cache for which it does not hold is named with the reasons")
    func exempt() {
        var other = least
        (other.share, other.ownShare, other.firstBytes) = (0.1012, 0.1014, 25)
        (other.transfers, other.memory, other.link) = (0, 0, 0)
        (other.memoryBytes, other.hasDisk, other.network) = (nil, true, "recorded")
        other.exemptions = ["prefetches", "exceeds_limit"]
        #expect(
            other.sentences == """
                Over the recorded network, with any memory, no cache without prefetching leaves less than 10.12% of \
                the visible time blank; this one leaves 10.14%. Of the 10.12%, first bytes are 100%. This does not \
                hold for this cache: it prefetches, which with foresight could remove almost all blank time, and held \
                more than its limit.
                """)
        for exemption in LeastBlankTime.Exemption.allCases {
            other.exemptions = [exemption.rawValue]
            #expect(other.sentences?.contains(" This does not hold for this cache: it ") == true, "\(exemption)")
        }
    }

    @Test("Next to nothing is not worth a sentence")
    func nothing() {
        var none = least
        none.share = 0.0004
        #expect(none.sentences == nil)
    }

    @Test("It is a finding, with the blank ratio of the run as evidence, and a member of the JSON")
    func explanation() throws {
        var run = RunExplanation(Samples.ten(), [])
        #expect(!run.findings.contains { $0.text.contains("no cache without prefetching") })
        run.leastBlank = least
        let finding = try #require(run.findings.first { $0.text.contains("no cache without prefetching") })
        #expect(finding.evidence.map(\.metric) == ["blank_ratio"] && finding.evidence.map(\.value) == [0.046])
        let data = try JSONEncoder().encode(run)
        let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let bound = try #require(members["least_blank"] as? [String: Any])
        #expect(bound["ms"] as? Double == 25 && bound["first_bytes_ms"] as? Double == 12)
        #expect(bound["memory_bytes"] as? Int == 64_000_000 && bound["has_disk"] as? Bool == false)
        #expect(bound["has_prefetches"] as? Bool == false)
    }
}
