import Foundation
import SessionModel
import Synchronization

/// The sessions of a gallery, one trace per browser.
final class GallerySessions: Sendable {
    private let state = Mutex<[String: GallerySession]>([:])
    private let options: GalleryOptions
    private let content: GalleryContent
    private let started: ContinuousClock.Instant

    init(_ options: GalleryOptions, _ content: GalleryContent, started: ContinuousClock.Instant) {
        self.options = options
        self.content = content
        self.started = started
    }

    /// Returns the session of a browser that has started a visit before.
    func known(_ client: String) -> GallerySession? { state.withLock { $0[client] } }

    /// All sessions, in the order of their first visits.
    var all: [GallerySession] { state.withLock { $0.values.sorted { $0.number < $1.number } } }

    /// Returns the session of a browser, and starts it if it is new. Returns nil if there are too many sessions, or if
    /// its file cannot be created.
    func session(_ client: String, clockError: Int64?) -> GallerySession? {
        state.withLock { sessions in
            if let known = sessions[client] { return known }
            guard Self.isName(client), sessions.count < options.browsers else { return nil }
            let number = sessions.count + 1
            let header = TraceHeader(
                title: options.title, recorder: options.recorder, started: Date().ISO8601Format(),
                scripted: options.isScripted, clockError: clockError)
            guard let journal = try? TraceJournal(path: Self.path(options.output, number), header: header) else {
                return nil
            }
            let session = GallerySession(number, journal, content, clockStart: started)
            sessions[client] = session
            return session
        }
    }

    /// Returns `feed.jsonl` for the first session, `feed-2.jsonl` for the second.
    static func path(_ output: String, _ number: Int) -> String {
        guard number > 1 else { return output }
        let name = output.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(output)-\(number)" }
        return "\(output.prefix(upTo: dot))-\(number)\(output.suffix(from: dot))"
    }

    /// Whether a text is a valid name of a visit or a browser: 8 to 40 letters and digits.
    static func isName(_ text: some StringProtocol) -> Bool {
        (8...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x30...0x39).contains($0) }
    }
}
