import CacheReports

/// The files of the page, which need no build step.
package enum PlayPage {
    package struct File: Sendable {
        package var contentType: String
        package var text: String
    }

    /// The files by path, relative to the address of the page, which has the empty path.
    ///
    /// The page sends requests to its own address alone, and needs no style or script in an attribute: the policy
    /// ``policy`` permits all that it does.
    package static let files: [String: File] = [
        "": File(contentType: "text/html; charset=utf-8", text: text(PackageResources.index_html)),
        "style.css": style(PageFiles.style),
        "play.css": style(text(PackageResources.play_css)),
        "base.js": script(PageFiles.base),
        "plots.js": script(PageFiles.plots),
        "film.js": script(PageFiles.film),
        "state.js": script(text(PackageResources.state_js)),
        "asking.js": script(text(PackageResources.asking_js)),
        "controls.js": script(text(PackageResources.controls_js)),
        "answers.js": script(text(PackageResources.answers_js)),
        "curve.js": script(text(PackageResources.curve_js)),
        "people.js": script(text(PackageResources.people_js)),
        "output.js": script(text(PackageResources.output_js)),
        "play.js": script(text(PackageResources.play_js)),
    ]

    /// The content security policy of the page. Pictures that it makes itself are addresses of data.
    package static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    private static func script(_ text: String) -> File {
        File(contentType: "text/javascript; charset=utf-8", text: text)
    }

    private static func style(_ text: String) -> File { File(contentType: "text/css; charset=utf-8", text: text) }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
