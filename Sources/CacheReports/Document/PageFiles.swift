/// The scripts and the style sheet that `report.html` and the page of `cachereplay play` share.
///
/// The scripts are plain ones, without a build step: a page loads ``base``, ``plots`` and ``film`` in this order, and
/// then its own script, which uses their functions. `report.html` has all of them in one function.
package enum PageFiles {
    /// Elements, figures as text, ticks of axes, colours and the selection of caches.
    package static var base: String { text(PackageResources.base_js) }

    /// Charts of figures: one against another, and over time.
    package static var plots: String { text(PackageResources.plots_js) }

    /// What the user saw: the phones and the bar of time.
    package static var film: String { text(PackageResources.film_js) }

    /// The colours of charts as properties, in light and dark, and the rules of all pages.
    package static let style: String = PageColours.style + text(PackageResources.page_css)

    /// The script of `report.html`.
    static let report: String = {
        let parts = [base, plots, film, text(PackageResources.report_js)]
        return "'use strict';\n(() => {\n" + parts.joined() + "})();\n"
    }()

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
