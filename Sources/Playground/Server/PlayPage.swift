import CacheReports

/// A file of the page. The files are embedded in the program.
struct PlayPage: Sendable {
    let contentType: String
    let bytes: [UInt8]

    /// By path below the address of the server. The page loads its scripts in the order of its own elements.
    static let files: [String: PlayPage] = [
        "": PlayPage(contentType: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        "play.css": style(PackageResources.play_css),
        "state.js": script(PackageResources.state_js),
        "asking.js": script(PackageResources.asking_js),
        "controls.js": script(PackageResources.controls_js),
        "answers.js": script(PackageResources.answers_js),
        "curve.js": script(PackageResources.curve_js),
        "people.js": script(PackageResources.people_js),
        "output.js": script(PackageResources.output_js),
        "play.js": script(PackageResources.play_js),
        "base.js": script(Array(PageFiles.base.utf8)),
        "plots.js": script(Array(PageFiles.plots.utf8)),
        "film.js": script(Array(PageFiles.film.utf8)),
        "style.css": style(Array(PageFiles.style.utf8)),
    ]

    private static func script(_ bytes: [UInt8]) -> PlayPage {
        PlayPage(contentType: "text/javascript; charset=utf-8", bytes: bytes)
    }

    private static func style(_ bytes: [UInt8]) -> PlayPage {
        PlayPage(contentType: "text/css; charset=utf-8", bytes: bytes)
    }
}
