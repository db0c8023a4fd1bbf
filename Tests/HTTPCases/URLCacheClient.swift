import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The platform's URLCache.
///
/// Unchecked Sendable: the delegate has no state.
final class URLCacheClient: NSObject, CaseClient, URLSessionTaskDelegate, @unchecked Sendable {
    enum Use: String, CaseIterable {
        /// A session with the cache. The session alone decides what it stores and uses.
        case session
        /// The app stores each response to a GET. The session alone decides what it uses.
        case store
        /// The app asks the cache before each GET, and stores each response to one. The session does the rest.
        case app
    }

    private let use: Use
    private let cache: URLCache
    private let settings: URLSessionConfiguration
    private static let timeout: TimeInterval = 10

    init(_ use: Use, folder: URL) {
        self.use = use
        cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 20 << 20, diskPath: folder.path)
        settings = URLSessionConfiguration.default
        settings.urlCache = cache
        settings.timeoutIntervalForRequest = Self.timeout
    }

    func response(to request: RequestHead, body: String?) throws -> CaseResponse {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = body.map { Data($0.utf8) }
        if request.isReload { message.cachePolicy = .reloadRevalidatingCacheData }
        for field in request.fields { message.addValue(field.value, forHTTPHeaderField: field.name) }
        if use == .app, request.method == "GET", let stored = cache.cachedResponse(for: message) {
            return try Self.response(stored.response, stored.data)
        }
        let (data, response) = try fetch(message)
        if use != .session, request.method == "GET" {
            cache.storeCachedResponse(CachedURLResponse(response: response, data: data), for: message)
        }
        return try Self.response(response, data)
    }

    func settle() {}

    /// Without the details of Foundation's error, whose order and port differ from run to run.
    private struct NoResponse: Error, CustomStringConvertible {
        var code: Int?
        var description: String { "no response, URLError \(code.map(String.init) ?? "unknown")" }
    }

    private func fetch(_ request: URLRequest) throws -> (Data, URLResponse) {
        let session = URLSession(configuration: settings, delegate: self, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let outcome = Mutex<Result<(Data, URLResponse), any Error>>(.failure(URLError(.timedOut)))
        let isDone = DispatchSemaphore(value: 0)
        let task = session.dataTask(with: request) { data, response, error in
            outcome.withLock { outcome in
                if let response, error == nil {
                    outcome = .success((data ?? Data(), response))
                } else {
                    outcome = .failure(NoResponse(code: (error as? URLError)?.code.rawValue))
                }
            }
            isDone.signal()
        }
        task.resume()
        _ = isDone.wait(timeout: .now() + 2 * Self.timeout)
        return try outcome.withLock { try $0.get() }
    }

    private static func response(_ response: URLResponse, _ data: Data) throws -> CaseResponse {
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let fields = response.allHeaderFields.compactMap { name, value in (name as? String).map { ($0, "\(value)") } }
        return CaseResponse(
            ResponseHead(response.statusCode, HeaderFields(fields)), body: String(decoding: data, as: UTF8.self))
    }

    /// A redirect is an answer of its own, as with the suite's `redirect: manual`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
