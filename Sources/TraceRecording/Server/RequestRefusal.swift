import NIOHTTP1

/// The error response to a request that a server itself refuses.
struct RequestRefusal: Error {
    var status: HTTPResponseStatus
    /// The body: what is wrong, and the remedy.
    var sentence: String

    init(_ status: HTTPResponseStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// A refusal that the name of the status explains.
    init(_ status: HTTPResponseStatus) { self.init(status, "\(status.code) \(status.reasonPhrase)") }
}
