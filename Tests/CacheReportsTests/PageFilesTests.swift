import Testing

@testable import CacheReports

@Suite("The scripts of pages")
struct PageFilesTests {
    @Test("A report has the scripts that other pages load, in one function, so that there is one implementation")
    func report() {
        for part in [PageFiles.base, PageFiles.plots, PageFiles.film] {
            #expect(part.hasPrefix("'use strict';\n"))
            #expect(PageFiles.report.contains(part))
        }
        #expect(PageFiles.report.hasPrefix("'use strict';\n(() => {\n"))
        #expect(PageFiles.report.hasSuffix("})();\n"))
        // The end of the element that has the script.
        #expect(!PageFiles.report.contains("</script"))
    }

    @Test("The style has the colours of charts, and the rules of pages")
    func style() {
        #expect(PageFiles.style.hasPrefix(PageColours.style))
        #expect(PageFiles.style.contains(".phone"))
    }
}
