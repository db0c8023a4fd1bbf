import Foundation
import SessionRecorder

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The code of the documentation page, so that it is compiled. The declarations below replace UIKit.

private let recorder = documentedSetup()

private func documentedSetup() -> TraceRecorder {
    let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]

    var options = RecordingOptions()
    options.title = "Photo feed"
    options.privacy = KeyPrivacy(stripsQuery: true)

    let recorder = TraceRecorder(file: documents.appendingPathComponent("feed.jsonl"), options: options)
    return recorder
}

extension FeedViewController: UICollectionViewDelegate, UICollectionViewDataSourcePrefetching {
    func collectionView(
        _ view: UICollectionView, willDisplay cell: UICollectionViewCell, forItemAt indexPath: IndexPath
    ) {
        guard let cell = cell as? PhotoCell else { return }
        cell.recordedKey = photos[indexPath.item].thumbnailURL.absoluteString
        recorder.cellAppeared(cell.recordedKey, variant: .thumbnail)
    }

    // The cell stores its key, because the photos can have changed since.
    func collectionView(
        _ view: UICollectionView, didEndDisplaying cell: UICollectionViewCell, forItemAt indexPath: IndexPath
    ) {
        guard let cell = cell as? PhotoCell else { return }
        recorder.cellDisappeared(cell.recordedKey, variant: .thumbnail)
    }

    func collectionView(_ view: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
        for path in indexPaths {
            recorder.prefetched(photos[path.item].thumbnailURL.absoluteString, variant: .thumbnail)
        }
    }

    func scrollViewWillBeginDragging(_ view: UIScrollView) {
        recorder.scrolled(phase: .dragged, offset: view.contentOffset.y)
    }

    func scrollViewDidScroll(_ view: UIScrollView) {
        guard view.isDragging || view.isDecelerating else { return }
        recorder.scrolled(phase: view.isTracking ? .dragged : .decelerating, offset: view.contentOffset.y)
    }

    // Only here UIKit reports the velocity, in points per millisecond; otherwise the recorder computes it.
    func scrollViewWillEndDragging(
        _ view: UIScrollView, withVelocity velocity: CGPoint, targetContentOffset: UnsafeMutablePointer<CGPoint>
    ) {
        recorder.scrolled(phase: .decelerating, offset: view.contentOffset.y, velocity: velocity.y * 1000)
    }

    func scrollViewDidEndDragging(_ view: UIScrollView, willDecelerate: Bool) {
        if !willDecelerate { recorder.scrolled(phase: .atRest, offset: view.contentOffset.y) }
    }

    func scrollViewDidEndDecelerating(_ view: UIScrollView) {
        recorder.scrolled(phase: .atRest, offset: view.contentOffset.y)
    }
}

private func documentedNotifications() {
    let center = NotificationCenter.default
    center.addObserver(forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil) { _ in
        recorder.memoryWarning()
    }
    center.addObserver(forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil) { _ in
        recorder.background()
        // The system can end a suspended app without notice. A tenth of a second is ample for a disk.
        recorder.flush(timeout: 0.1)
    }
    center.addObserver(forName: UIApplication.willEnterForegroundNotification, object: nil, queue: nil) { _ in
        recorder.foreground()
    }
    center.addObserver(forName: UIApplication.willTerminateNotification, object: nil, queue: nil) { _ in
        recorder.terminate()
        recorder.finish()
    }
}

private func documentedList(photos: [Photo], shown: Photo) {
    recorder.list(photos.map(\.thumbnailURL.absoluteString), variant: .thumbnail, columns: 3)
    recorder.served(shown.thumbnailURL.absoluteString, variant: .thumbnail, from: .memory)
}

private func documentedSize(cell: PhotoCell) {
    let size = TraceRecorder.ViewSize(points: cell.imageView.bounds.size, scale: cell.traitCollection.displayScale)
    recorder.cellAppeared(cell.recordedKey, variant: .thumbnail, viewSize: size)
}

private final class DocumentedDelegate: NSObject {
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        recorder.fetched(metrics: metrics, error: task.error)
    }
}

class UICollectionView {}
class UICollectionViewCell { var traitCollection = UITraitCollection() }
class UIImageView { var bounds = CGRect.zero }
class UITraitCollection { var displayScale: CGFloat = 3 }
class PhotoCell: UICollectionViewCell { var (recordedKey, imageView) = ("", UIImageView()) }
class UIScrollView { var (contentOffset, isDragging, isTracking, isDecelerating) = (CGPoint.zero, true, true, true) }
protocol UICollectionViewDelegate {}
protocol UICollectionViewDataSourcePrefetching {}
struct Photo { var thumbnailURL: URL }
class FeedViewController { var photos: [Photo] = [] }
extension IndexPath { fileprivate var item: Int { self[1] } }
enum UIApplication {
    static let didReceiveMemoryWarningNotification = Notification.Name("memory")
    static let didEnterBackgroundNotification = Notification.Name("background")
    static let willEnterForegroundNotification = Notification.Name("foreground")
    static let willTerminateNotification = Notification.Name("terminate")
}
#if !canImport(Darwin)
extension NotificationCenter {
    // Unlike Apple's Foundation, Linux's warns if the observer is not stored.
    @discardableResult fileprivate func addObserver(
        forName name: Notification.Name, object: Any?, queue: OperationQueue?,
        _ block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { addObserver(forName: name, object: object, queue: queue, using: block) }
}
#endif
