/// What a path of the server names. Every path begins with the secret.
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
