import Foundation
import SessionRecorder

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads images with a `URLSession`, whose delegate reports each fetch to the recorder.
///
/// Apple's systems deliver metrics for each task, so that a single call is enough. Foundation on Linux does not; there
/// a ``RecordedFetch`` measures each task.
final class ImageLoader: NSObject, URLSessionDataDelegate, Sendable {
    private let recorder: TraceRecorder
    private let pending = Tasks()

    init(recorder: TraceRecorder) { self.recorder = recorder }

    /// Downloads all URLs at once, and returns when all downloads have ended.
    func load(_ urls: [URL]) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let group = DispatchGroup()
        for url in urls {
            let task = session.dataTask(with: url)
            group.enter()
            pending.add(task, group, recorder)
            task.resume()
        }
        group.wait()
        session.finishTasksAndInvalidate()
    }

    #if canImport(Darwin)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        recorder.fetched(metrics: metrics, error: task.error, servedAs: .full)
    }
    #else
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        pending[dataTask]?.fetch.responded(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        pending[dataTask]?.fetch.received(bytes: data.count)
    }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        guard var task = pending.remove(task) else { return }
        if !(200..<300).contains(status) { task.servedKey = nil }
        #if !canImport(Darwin)
        task.fetch.ended(complete: error == nil)
        // Without a URLCache, what succeeds comes from the network.
        if error == nil, let key = task.servedKey { recorder.served(key, from: .network) }
        #endif
        task.group.leave()
    }
}

/// The running tasks.
private final class Tasks: @unchecked Sendable {  // `tasks` is only touched with the lock held.
    struct Pending {
        var fetch: RecordedFetch
        /// The key of the image that a cell shows then.
        var servedKey: String?
        var group: DispatchGroup
    }

    private let lock = NSLock()
    private var tasks: [ObjectIdentifier: Pending] = [:]

    func add(_ task: URLSessionTask, _ group: DispatchGroup, _ recorder: TraceRecorder) {
        let key = task.originalRequest?.url?.absoluteString ?? ""
        let fetch = recorder.fetchStarted(key)
        lock.withLock { tasks[ObjectIdentifier(task)] = Pending(fetch: fetch, servedKey: key, group: group) }
    }

    subscript(task: URLSessionTask) -> Pending? { lock.withLock { tasks[ObjectIdentifier(task)] } }

    func remove(_ task: URLSessionTask) -> Pending? {
        lock.withLock { tasks.removeValue(forKey: ObjectIdentifier(task)) }
    }
}
