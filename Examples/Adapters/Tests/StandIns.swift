import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import SessionRecorder

// The declarations of Kingfisher and SDWebImage that the files use, with their names and signatures, and classes of
// Foundation that only a session creates. The page "Kingfisher, SDWebImage and Coil" names the sources.

// MARK: Foundation

/// A task that has ended. Foundation's class has no public initializer.
final class URLSessionTask {
    let originalRequest: URLRequest?
    let response: URLResponse?
    let error: (any Error)?

    init(_ url: String, status: Int? = nil, error: URLError.Code? = nil) {
        let url = URL(string: url)
        originalRequest = url.map { URLRequest(url: $0) }
        response =
            if let url, let status {
                HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            } else { nil }
        self.error = error.map { URLError($0) }
    }
}

/// The metrics of a task, as `SessionRecorder` reads them. Foundation's class has no public initializer.
final class URLSessionTaskMetrics {
    let transactions: [FetchTransaction]

    init(_ transactions: [FetchTransaction]) { self.transactions = transactions }
}

extension TraceRecorder {
    /// As the method that takes Foundation's class.
    func fetched(
        metrics: URLSessionTaskMetrics, key: String, error: (any Error)? = nil, servedAs variant: Variant? = nil
    ) { fetched(metrics.transactions, key: key, failed: error != nil, servedAs: variant) }
}

// MARK: Kingfisher

class SessionDelegate: NSObject, @unchecked Sendable {
    private(set) var collected = 0

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { collected += 1 }
}

enum CacheType: Sendable {
    case none, memory, disk
}

protocol Resource: Sendable {
    var cacheKey: String { get }
    var downloadURL: URL { get }
}

extension URL: Resource {
    var cacheKey: String { absoluteString }
    var downloadURL: URL { self }
}

enum KF {
    struct ImageResource: Resource {
        var downloadURL: URL
        var cacheKey: String
    }
}

protocol ImageDataProvider: Sendable {
    var cacheKey: String { get }
}

enum Source: Sendable {
    case network(any Resource)
    case provider(any ImageDataProvider)

    var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider: nil
        }
    }
}

struct KFCrossPlatformImage: Sendable {
    var cacheCost: Int
}

struct RetrieveImageResult: Sendable {
    let image: KFCrossPlatformImage
    let cacheType: CacheType
    let source: Source
    let originalSource: Source
}

enum KingfisherError: Error {
    enum ResponseErrorReason: Sendable {
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        case URLSessionError(error: any Error)
    }
    enum ImageSettingErrorReason: Sendable {
        case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
    }

    case responseError(reason: ResponseErrorReason)
    case imageSettingError(reason: ImageSettingErrorReason)
}

// MARK: SDWebImage

struct UIImage {
    var sd_memoryCost: UInt
}

enum SDImageCacheType: Int {
    case none, disk, memory, all
}

class SDWebImageDownloaderOperation: Operation, @unchecked Sendable {
    private(set) var metrics: URLSessionTaskMetrics?

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) { self.metrics = metrics }
}

final class SDWebImageDownloaderConfig {
    var operationClass: AnyClass?
}

final class SDWebImageDownloader {
    nonisolated(unsafe) static let shared = SDWebImageDownloader()
    let config = SDWebImageDownloaderConfig()
}

/// Its filter of keys removes the query of a URL, as the example in the header of the class does.
final class SDWebImageManager: Sendable {
    static let shared = SDWebImageManager()

    func cacheKey(for url: URL?) -> String? { url?.absoluteString.split(separator: "?").first.map(String.init) }
}
