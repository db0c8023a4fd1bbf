// Records what an app loads with Kingfisher 8. An app copies this file:
//
//     let images = KingfisherRecorder(recorder)
//     KingfisherManager.shared.downloader.sessionDelegate = images  // At launch: it ends the downloads that run.
//
// The page "Kingfisher, SDWebImage and Coil" of SessionRecorder has the calls of a list.

import Foundation
import SessionRecorder

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Kingfisher)
import Kingfisher
#endif

/// Records the loads of Kingfisher: fetches as the delegate of its session, and the rest as the app reports it.
///
/// The key of an image is Kingfisher's cache key without the identifier of a processor.
final class KingfisherRecorder: SessionDelegate, @unchecked Sendable {  // `keys` is only touched with the lock held.
    private let recorder: TraceRecorder
    private let lock = NSLock()
    /// The keys of the images whose keys are not their URLs: a fetch only knows its URL.
    private var keys: [URL: String] = [:]

    init(_ recorder: TraceRecorder) {
        self.recorder = recorder
        super.init()
    }

    /// Records that a cell with the image became visible. Call it before Kingfisher loads the image: an image from
    /// memory arrives during the call that loads it.
    func appeared(
        _ source: Source, variant: TraceRecorder.Variant = .full, viewSize: TraceRecorder.ViewSize? = nil
    ) {
        recorder.cellAppeared(key(of: source), variant: variant, viewSize: viewSize)
    }

    /// Records that the cell disappeared.
    func disappeared(_ source: Source, variant: TraceRecorder.Variant = .full) {
        recorder.cellDisappeared(source.cacheKey, variant: variant)
    }

    /// Records that the app prefetches the image.
    func prefetched(_ source: Source, variant: TraceRecorder.Variant = .full) {
        recorder.prefetched(key(of: source), variant: variant)
    }

    /// Records where a shown image came from, and its cost when it enters memory. Call it in the completion handler of
    /// the load. A load that failed, or whose view asked for another image meanwhile, records nothing.
    func loaded(_ result: Result<RetrieveImageResult, KingfisherError>, variant: TraceRecorder.Variant = .full) {
        guard case .success(let image) = result else { return }
        // The cell asked for the original source. An alternative source may have had the image.
        let key = image.originalSource.cacheKey
        switch image.cacheType {
        case .memory: recorder.served(key, variant: variant, from: .memory)
        case .disk: recorder.served(key, variant: variant, from: .disk)
        default:
            // An image of a provider, such as a file of the app, is from neither a cache nor the network.
            if image.source.url != nil { recorder.served(key, variant: variant, from: .network) }
        }
        if image.cacheType != .memory { recorder.charged(key, variant: variant, bytes: image.image.cacheCost) }
    }

    /// Records each task of the session once: also those that failed, were retried, or served several views.
    override func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        if let url = task.originalRequest?.url {
            recorder.fetched(metrics: metrics, key: key(of: url), error: failure(of: task))
        }
        // Kingfisher makes the metrics of its results here.
        super.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    /// Kingfisher cancels a task whose status it does not accept. The status is then the result, not the error.
    private func failure(of task: URLSessionTask) -> (any Error)? {
        if let response = task.response as? HTTPURLResponse, !(200..<400).contains(response.statusCode) { return nil }
        return task.error
    }

    private func key(of source: Source) -> String {
        if let url = source.url, url.absoluteString != source.cacheKey {
            lock.withLock { keys[url] = source.cacheKey }
        }
        return source.cacheKey
    }

    private func key(of url: URL) -> String { lock.withLock { keys[url] } ?? url.absoluteString }
}
