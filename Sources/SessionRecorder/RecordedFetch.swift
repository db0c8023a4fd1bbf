import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Times one fetch where no `URLSessionTaskMetrics` come: other network libraries, and Foundation on Linux, which has
/// the type but never delivers one.
///
/// Made when the request is sent; told of the response, of the bytes, and of the end, on any thread.
public final class RecordedFetch: Sendable {
    private struct State {
        var firstByte: Int64?
        var status = 0
        var object = ObjectFacts(bytes: 0)
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

    /// The head of the response came; of several, as after a redirect, the last one counts.
    public func responded(_ response: URLResponse) {
        let head = FetchHead(response)
        responded(status: head.status, contentType: head.contentType, headers: head.headers)
    }

    /// The head of the response came, read by something else than `URLSession`.
    public func responded(status: Int, contentType: String? = nil, headers: [String: String] = [:]) {
        state.withLock {
            $0.firstByte = recorder.now
            $0.status = Optional(status).within(TraceBounds.status) ?? 0
            $0.object.contentType = contentType
            $0.object.take(headers)
        }
    }

    /// So many more bytes of the body came.
    public func received(bytes: Int) {
        state.withLock {
            $0.object.bytes = $0.object.bytes.map { $0.addingReportingOverflow(max(0, bytes)).partialValue }
        }
    }

    /// The fetch ended; writes it. Only the first call counts.
    ///
    /// - Parameters:
    ///   - complete: False where it was cancelled or failed. It is then written with status 0, as no image came.
    ///   - isUndecodable: Whether what came was no image that could be decoded, whatever the status says.
    public func ended(complete: Bool = true, isUndecodable: Bool = false) {
        let end = recorder.now
        let event: (FetchFacts, ObjectFacts)? = state.withLock { state in
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
    /// Begins to time a fetch. What it returns is to be told how the fetch goes.
    public func fetchStarted(_ key: String) -> RecordedFetch { RecordedFetch(self, key) }
}
