import ResultColumns
import Testing

@testable import Playground

@Suite("The headline compares the pinned cache with the current one")
struct PlayHeadlineTests {
    private func figures(_ blank: Double?, memory: Double = 64e6, fetched: Double = 10e6) -> PlayHeadline.Figures {
        PlayHeadline.Figures(blank: blank, hits: 0.5, memory: memory, fetched: fetched)
    }

    @Test("It states amounts")
    func amounts() {
        let headline = PlayHeadline(from: figures(0.14), to: figures(0.07, memory: 48e6), change: nil)
        #expect(headline.text == "Blank time falls from 14.0% to 7.0%, with 16 MB less memory.")
        #expect(!headline.isTie)
    }

    @Test("It names the only change")
    func change() {
        let headline = PlayHeadline(
            from: figures(0.07), to: figures(0.14, fetched: 12e6), change: "With two rows prefetched")
        let text = "With two rows prefetched, blank time rises from 7.0% to 14.0%, with 2 MB more fetched."
        #expect(headline.text == text)
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

    @Test("Where no cell was visible, hits take the place of blank time")
    func hits() {
        var better = figures(nil)
        better.hits = 0.75
        let headline = PlayHeadline(from: figures(nil), to: better, change: nil)
        #expect(headline.text == "Hits rise from 50.0% to 75.0% of the requests.")
    }

    @Test("A single cache has its own figure")
    func single() {
        #expect(PlayHeadline(of: "nuke-13", figures(0.07)).text == "nuke-13 leaves 7.0% of the visible time blank.")
    }

    @Test("A population has means and numbers of people")
    func people() {
        let text = Playground.headline(0.14, 0.07, better: 45, worse: 1, of: 60)
        #expect(text == "Mean blank time falls from 14.0% to 7.0%: better for 45 of 60 people, worse for 1.")
    }

    @Test("A difference has a sign and an amount")
    func differences() {
        #expect(PlayRow.difference(-0.071, .ratio) == "−7.1 points")
        #expect(PlayRow.difference(0.0003, .ratio) == "+0.03 points")
        #expect(PlayRow.difference(-16e6, .bytes) == "−16 MB")
        #expect(PlayRow.difference(0, .bytes) == "±0")
    }
}
