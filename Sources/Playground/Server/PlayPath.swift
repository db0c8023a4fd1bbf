import CacheReports

/// The target of a path of the server. Every path begins with the secret.
enum PlayPath: Sendable {
    case file(PlayPage)
    case start
    case sessions
    case ask(PlayRequest)
    case report

    /// Returns nil if the path names nothing, or lacks the secret.
    init?(_ uri: String, secret: String) {
        let path = uri.utf8.prefix { $0 != UInt8(ascii: "?") }
        let start = Array("/\(secret)/".utf8)
        guard Self.isEqual(path.prefix(start.count), start) else { return nil }
        let name = String(decoding: path.dropFirst(start.count), as: UTF8.self)
        switch name {
        case "start": self = .start
        case "sessions": self = .sessions
        case "report": self = .report
        default:
            if let page = PlayPage.files[name] {
                self = .file(page)
            } else if let request = PlayRequest(rawValue: name) {
                self = .ask(request)
            } else {
                return nil
            }
        }
    }

    /// Whether two texts are equal. The time of the comparison does not depend on where they differ.
    private static func isEqual(_ guess: some Collection<UInt8>, _ secret: [UInt8]) -> Bool {
        guard guess.count == secret.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(guess, secret) { difference |= one ^ other }
        return difference == 0
    }
}

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
