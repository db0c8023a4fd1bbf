import ResultColumns
import Testing

@testable import Playground

@Suite("The headline compares the pinned cache with the current one")
struct PlayHeadlineTests {
    private func figures(_ blank: Double?, memory: Double = 64e6, fetched: Double = 10e6) -> PlayHeadline.Figures {
        PlayHeadline.Figures(blank: blank, hits: 0.5, memory: memory, fetched: fetched)
    }

    @Test("Within the tolerance, it is a tie, and amounts that count are still stated")
    func ties() {
        let same = PlayHeadline(from: figures(0.14), to: figures(0.14, memory: 48e6, fetched: 9e6), change: nil)
        #expect(same.text == "Blank time stays at 14.0%, with 16 MB less memory and 1 MB less fetched.")
        #expect(same.isTie)
        let near = PlayHeadline(from: figures(0.140), to: figures(0.1409), change: nil)
        #expect(near.text == "Blank time stays within 0.1 points, at 14.0% and 14.1%.")
        #expect(near.isTie)
        let far = PlayHeadline(from: figures(0.140), to: figures(0.1412), change: nil)
        #expect(!far.isTie)
    }

    @Test("A difference has a sign and an amount")
    func differences() {
        #expect(PlayRow.difference(-0.071, .ratio) == "−7.1 points")
        #expect(PlayRow.difference(0.0003, .ratio) == "+0.03 points")
        #expect(PlayRow.difference(-16e6, .bytes) == "−16 MB")
        #expect(PlayRow.difference(0, .bytes) == "±0")
    }
}
