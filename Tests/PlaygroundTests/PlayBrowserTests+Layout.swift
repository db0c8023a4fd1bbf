import TestSupport
import Testing

@testable import Playground

/// Where the parts of the page stand.
extension PlayBrowserTests {
    @Test("Without phones, the figures have the room of two columns")
    func noFilm() throws {
        try withPage { page, _ in
            try page.evaluate(
                """
                (() => { const list = document.querySelector('#controls select'); list.selectedIndex = 1; \
                list.dispatchEvent(new Event('change')); })()
                """)
            try page.wait(for: "document.getElementById('phones').textContent.includes('no cells')")
            let isBelow = try Self.isBelowHeadline(page)
            #expect(isBelow)
            let beside = try page.evaluate(
                """
                document.getElementById('tables').getBoundingClientRect().left >= \
                document.getElementById('curve').getBoundingClientRect().right
                """)
            #expect(beside as? Bool == true)
        }
    }

    @Test("Figures stand in one line, labels of near curves do not overlap, and rows of the moment are letters")
    func alignment() throws {
        try withPage(width: 1_440) { page, _ in
            let lines = try page.evaluate(
                """
                new Set([...document.querySelectorAll('#cards b')].map(node => node.getBoundingClientRect().top)).size
                """)
            #expect(lines as? Int == 1)
            let labels = try page.evaluate(
                """
                (() => { const [a, b] = [...document.querySelectorAll('#curve text.label')] \
                .map(node => node.getBoundingClientRect()); return a.bottom <= b.top + 3 || b.bottom <= a.top + 3 || \
                a.right <= b.left || b.right <= a.left; })()
                """)
            #expect(labels as? Bool == true)
            let foot = try page.evaluate("document.querySelector('#curve .foot').textContent") as? String
            #expect(foot?.contains("A and B differ by at most 0.1 points, which is the tolerance.") == true)
            let rows = try page.evaluate(
                "[...document.querySelectorAll('#phones .moments tbody th')].map(node => node.textContent)")
            #expect(rows as? [String] == ["A", "B"])
        }
    }

    /// Whether the figures begin below the headline, in its column, and reach as far to the right as the page.
    static func isBelowHeadline(_ page: BrowserPage) throws -> Bool {
        let isBelow = try page.evaluate(
            """
            (() => { const [lead, answers, main] = ['#lead', '#answers', 'main'].map(name => \
            document.querySelector(name).getBoundingClientRect()); return answers.left === lead.left && \
            answers.top >= lead.bottom && Math.abs(answers.right - main.right) < 1; })()
            """)
        return isBelow as? Bool == true
    }
}
