// Records what an app loads with SDWebImage 5. An app copies this file:
//
//     let images = SDWebImageRecorder(recorder)
//     images.start()  // At launch: downloads that run are not recorded.
//
// The page "Kingfisher, SDWebImage and Coil" of SessionRecorder has the calls of a list.

import Foundation
import SessionRecorder

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(SDWebImage)
import SDWebImage
import UIKit
#endif

/// Records the loads of SDWebImage: fetches by the class of its download operations, and the rest as the app reports
/// it.
///
/// The key of an image is the key that the shared manager computes from its URL. A fetch does
/// not know the options of a context, so that transformed images and thumbnails have the keys of their originals.
final class SDWebImageRecorder: Sendable {
    private let recorder: TraceRecorder

    init(_ recorder: TraceRecorder) { self.recorder = recorder }

    /// Records the downloads that the shared downloader starts from now on.
    func start() {
        RecordedDownload.recorder = self
        SDWebImageDownloader.shared.config.operationClass = RecordedDownload.self
    }

    /// Records that a cell with the image became visible. Call it before SDWebImage loads the image: an image from
    /// memory arrives during the call that loads it.
    func appeared(
        _ url: URL, variant: TraceRecorder.Variant = .full, viewSize: TraceRecorder.ViewSize? = nil
    ) {
        recorder.cellAppeared(key(of: url), variant: variant, viewSize: viewSize)
    }

    /// Records that the cell disappeared.
    func disappeared(_ url: URL, variant: TraceRecorder.Variant = .full) {
        recorder.cellDisappeared(key(of: url), variant: variant)
    }

    /// Records that the app prefetches the image.
    func prefetched(_ url: URL, variant: TraceRecorder.Variant = .full) {
        recorder.prefetched(key(of: url), variant: variant)
    }

    /// Records where a shown image came from, and its cost when it enters memory. Call it in the completion block of
    /// the load. Without an image, it records nothing.
    func loaded(
        _ url: URL, _ image: UIImage?, from cacheType: SDImageCacheType, variant: TraceRecorder.Variant = .full
    ) {
        guard let image else { return }
        let source: TraceRecorder.Source =
            switch cacheType {
            case .memory: .memory
            case .disk: .disk
            default: .network
            }
        recorder.served(key(of: url), variant: variant, from: source)
        if source != .memory {
            recorder.charged(key(of: url), variant: variant, bytes: Int(clamping: image.sd_memoryCost))
        }
    }

    /// Records the end of a download.
    fileprivate func fetched(_ task: URLSessionTask, _ metrics: URLSessionTaskMetrics) {
        guard let url = task.originalRequest?.url else { return }
        recorder.fetched(metrics: metrics, key: key(of: url), error: failure(of: task))
    }

    /// SDWebImage cancels a task whose status it does not accept. The status is then the result, not the error.
    private func failure(of task: URLSessionTask) -> (any Error)? {
        if let response = task.response as? HTTPURLResponse, !(200..<400).contains(response.statusCode) { return nil }
        return task.error
    }

    private func key(of url: URL) -> String { SDWebImageManager.shared.cacheKey(for: url) ?? url.absoluteString }
}

/// A download that is recorded. SDWebImage creates one for each URL, for all views that wait for it.
final class RecordedDownload: SDWebImageDownloaderOperation, @unchecked Sendable {
    /// Set once, before the first download.
    nonisolated(unsafe) static var recorder: SDWebImageRecorder?

    override func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        Self.recorder?.fetched(task, metrics)
        super.urlSession(session, task: task, didFinishCollecting: metrics)
    }
}
