import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Measures one fetch without `URLSessionTaskMetrics`: for other network libraries, and for Foundation on Linux, which
/// never delivers metrics.
///
/// ``TraceRecorder/fetchStarted(_:)`` creates an instance when the request is sent. Call the methods when the response,
/// its bytes and its end arrive, on any thread.
public final class RecordedFetch: Sendable {
    private struct State {
        var firstByte: Int64?
        var status = 0
        var object = RecordedObject(bytes: 0)
        var hasEnded = false
    }

    private let recorder: TraceRecorder
    private let key: String
    private let start: Int64
    private let state = Locked(State())

    fileprivate init(_ recorder: TraceRecorder, _ key: String) {
        self.recorder = recorder
        self.key = key
        start = recorder.now
    }

    /// Records the head of the response. Of several, as after a redirect, the last one counts.
    public func responded(_ response: URLResponse) {
        let head = FetchHead(response)
        responded(status: head.status, contentType: head.contentType, headers: head.headers)
    }

    /// Records the head of a response that does not come from `URLSession`.
    public func responded(status: Int, contentType: String? = nil, headers: [String: String] = [:]) {
        state.withLock {
            $0.firstByte = recorder.now
            $0.status = Optional(status).within(TraceBounds.status) ?? 0
            $0.object.contentType = contentType
            $0.object.take(headers)
        }
    }

    /// Adds bytes to the body.
    public func received(bytes: Int) {
        state.withLock {
            $0.object.bytes = $0.object.bytes.map { $0.addingReportingOverflow(max(0, bytes)).partialValue }
        }
    }

    /// Records the end of the fetch, and queues the event. Later calls have no effect.
    ///
    /// - Parameters:
    ///   - complete: False if the fetch was cancelled or failed. It is then recorded with status 0.
    ///   - isUndecodable: Whether the body could not be decoded as an image, whatever the status is.
    public func ended(complete: Bool = true, isUndecodable: Bool = false) {
        let end = recorder.now
        let event: (FetchFacts, RecordedObject)? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            let fetch = FetchFacts(
                status: complete ? state.status : 0, timeToFirstByte: state.firstByte.map { $0 - start },
                transferTime: state.firstByte.map { end - $0 }, isUndecodable: isUndecodable)
            var object = state.object
            object.bytes = object.bytes.within(TraceBounds.bytes)
            return (fetch, object)
        }
        guard let event else { return }
        recorder.record(.fetch(key: key, event.0, event.1), .at(start))
    }
}

extension TraceRecorder {
    /// Starts to measure a fetch. Report its progress to the instance that is returned.
    public func fetchStarted(_ key: String) -> RecordedFetch { RecordedFetch(self, key) }
}

/// The facts in the head of a response.
struct FetchHead {
    var status: Int
    var contentType: String?
    var headers: [String: String] = [:]

    /// Creates the facts. A response without HTTP, such as a `file:` URL has, counts as a success.
    init(_ response: URLResponse) {
        contentType = response.mimeType
        guard let response = response as? HTTPURLResponse else {
            status = 200
            return
        }
        status = response.statusCode
        for name in RecordedObject.headerNames {
            if let value = response.value(forHTTPHeaderField: name) { headers[name] = value }
        }
    }
}
