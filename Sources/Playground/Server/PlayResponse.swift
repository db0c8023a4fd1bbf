import Basics
import NIOHTTP1

/// The answer of the server to a question of the page.
struct PlayResponse: Sendable {
    var status: HTTPResponseStatus
    var contentType = "application/json"
    var body: [UInt8]
    /// The name under which a browser saves the body; nil if the page reads it.
    var fileName: String?

    static func json(_ text: String) -> PlayResponse { PlayResponse(status: .ok, body: Array(text.utf8)) }

    /// A report page that the browser saves.
    static func report(_ bytes: [UInt8]) -> PlayResponse {
        PlayResponse(status: .ok, contentType: "text/html; charset=utf-8", body: bytes, fileName: "report.html")
    }

    /// What is wrong, and the remedy, as JSON.
    ///
    /// - Parameters:
    ///   - cache: The place of the cache whose text is wrong, from 0.
    ///   - column: The column of the mistake in that text, from 1.
    static func error(
        _ status: HTTPResponseStatus, _ sentence: String, cache: Int? = nil, column: Int? = nil
    ) -> PlayResponse {
        let writer = JSONWriter.object { writer in
            writer.member("error", sentence)
            if let cache { writer.member("cache", cache) }
            if let column { writer.member("column", column) }
        }
        return PlayResponse(status: status, body: writer.bytes)
    }

    /// The response to a question that has no answer.
    init(failure error: any Error) {
        guard let failure = error as? PlayFailure else {
            self = .error(.internalServerError, "\(error)")
            return
        }
        let status: HTTPResponseStatus =
            switch failure.kind {
            case .badQuestion: .unprocessableEntity
            case .overtaken: .conflict
            case .failed: .internalServerError
            }
        self = .error(status, failure.description, cache: failure.cache, column: failure.column)
    }

    init(
        status: HTTPResponseStatus, contentType: String = "application/json", body: [UInt8], fileName: String? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.fileName = fileName
    }

    /// A newer question of the same window has ended this one.
    static let overtaken = error(.conflict, "A newer question has overtaken this one.")
    static let tooManyWindows = error(
        .serviceUnavailable, "Too many windows ask at the same time. Close some of them, then reload this one.")
    static let busy = error(.serviceUnavailable, "The server has too many questions. Reload the page in a moment.")
    static let closing = error(
        .serviceUnavailable,
        "cachereplay play is about to end. Start it again, and open the new address that it prints.")
    static let late = error(
        .internalServerError,
        "The question took too long, and was ended. Choose a shorter session, fewer people or fewer caches.")
}
