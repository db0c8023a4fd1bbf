import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the head of a response tells.
struct FetchHead {
    var status: Int
    var contentType: String?
    var headers: [String: String] = [:]

    /// A response that is not of HTTP, as of a `file:` URL, is a success.
    init(_ response: URLResponse) {
        contentType = response.mimeType
        guard let response = response as? HTTPURLResponse else {
            status = 200
            return
        }
        status = response.statusCode
        for name in ObjectFacts.headerNames {
            if let value = response.value(forHTTPHeaderField: name) { headers[name] = value }
        }
    }
}
