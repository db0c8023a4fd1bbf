import Basics
import CCurl
import CacheTiers
import Synchronization

/// Ends a ``CurlOrigin/wait(for:)`` from any thread. Has no effect after the origin is deallocated.
public typealias OriginWaker = CurlWaker

/// Fetches over HTTP through libcurl's multi handle: several transfers at once, on reused connections.
///
/// An instance belongs to one thread. Transfers progress only within ``wait(for:)``.
/// ```swift
/// let origin = try CurlOrigin()
/// origin.start("http://127.0.0.1:8080/run/0")
/// while origin.pending > 0 { for response in origin.wait(for: .seconds(1)) { … } }
/// ```
/// Only http and https are supported. Bodies are delivered as sent, never decompressed. libcurl does not touch signals
/// (`CURLOPT_NOSIGNAL`): a program that fetches over https ignores SIGPIPE itself.
public final class CurlOrigin {
    public let options: OriginOptions
    /// Ends a ``wait(for:)`` from any thread.
    public var waker: OriginWaker { transfers.waker }
    private let transfers: CurlTransfers
    private var active: [CurlTransfer] = []
    private var idle: [CurlTransfer] = []
    private var queue: [(id: Int, url: String, request: OriginRequest?)] = []
    /// The index of the first request in the queue that has not been started.
    private var queueStart = 0
    private var finished: [OriginResponse] = []
    private var nextID = 0

    public init(_ options: OriginOptions = OriginOptions()) throws {
        guard let transfers = CurlTransfers(connections: options.connections) else {
            throw OriginFailure(.other, "libcurl cannot be started: out of memory.")
        }
        self.options = options
        self.transfers = transfers
    }

    deinit {
        waker.close()
        for transfer in active { transfers.remove(transfer.handle) }
        // libcurl requires that handles are deallocated before the connections are closed.
        active = []
        idle = []
        transfers.close()
    }

    /// The number of transfers that were started and whose response has not been returned.
    public var pending: Int { active.count + queue.count - queueStart + finished.count }

    /// Starts to fetch a URL; ``wait(for:)`` returns the response. Returns the number of the transfer.
    @discardableResult
    public func start(_ url: String) -> Int { enqueue(url, nil) }

    /// Starts to fetch a URL with header fields beside libcurl's own. Without fields, it is `start(_:)`.
    @discardableResult
    public func start(_ url: String, fields: [(name: String, value: String)]) -> Int {
        guard !fields.isEmpty else { return start(url) }
        var request = OriginRequest(url)
        request.fields = fields
        return start(request)
    }

    /// Starts a request; ``wait(for:)`` returns the response with its heads. Returns the number of the transfer.
    @discardableResult
    public func start(_ request: OriginRequest) -> Int { enqueue(request.url, request) }

    private func enqueue(_ url: String, _ request: OriginRequest?) -> Int {
        defer { nextID += 1 }
        queue.append((nextID, url, request))
        startQueued()
        return nextID
    }

    /// Cancels a transfer. There will be no response; its connection is closed. Returns the bytes of its body that have
    /// arrived.
    @discardableResult
    public func cancel(_ id: Int) -> Int {
        defer { startQueued() }
        if let index = active.firstIndex(where: { $0.id == id }) { return retire(index).received }
        if let index = finished.firstIndex(where: { $0.id == id }) { return finished.remove(at: index).receivedBytes }
        if let index = queue[queueStart...].firstIndex(where: { $0.id == id }) { queue.remove(at: index) }
        return 0
    }

    /// Runs transfers until at least one has ended, the timeout has passed, or `OriginWaker.wake()` is called.
    /// Returns the responses of the transfers that have ended.
    public func wait(for timeout: Duration) -> [OriginResponse] {
        let end = ContinuousClock.now + timeout
        while true {
            perform()
            guard finished.isEmpty else { return takeFinished() }
            let now = ContinuousClock.now
            guard now < end else { return [] }
            if endStalled(now) { continue }
            let left = min(end, nextStall ?? end) - now
            transfers.wait(milliseconds: Int32(clamping: left.milliseconds))
            if waker.takeWake() {
                perform()
                return takeFinished()
            }
        }
    }

    /// Fetches one URL and waits for it. Other transfers run meanwhile; ``wait(for:)`` returns their responses.
    public func fetch(_ url: String) -> OriginResponse { finish(start(url)) }

    /// Fetches one URL with header fields beside libcurl's own.
    public func fetch(_ url: String, fields: [(name: String, value: String)]) -> OriginResponse {
        finish(start(url, fields: fields))
    }

    /// Sends one request and waits for its response, as ``fetch(_:)`` does.
    public func fetch(_ request: OriginRequest) -> OriginResponse { finish(start(request)) }

    private func finish(_ id: Int) -> OriginResponse {
        var others: [OriginResponse] = []
        defer { finished = others + finished }
        while true {
            var own: OriginResponse?
            for response in wait(for: .seconds(1)) {
                if response.id == id { own = response } else { others.append(response) }
            }
            if let own { return own }
        }
    }

    private func perform() {
        transfers.perform()
        while let (handle, result) = transfers.nextEnded() {
            guard let index = active.firstIndex(where: { $0.handle === handle }) else { continue }
            finished.append(active[index].finish(result))
            retire(index)
        }
        if startQueued() { transfers.perform() }
    }

    // libcurl's own limit (LOW_SPEED_TIME) is too coarse: whole seconds, from a mean of the last five.
    private var nextStall: ContinuousClock.Instant? {
        active.lazy.map(\.lastProgress).min().map { $0 + options.stallTimeout }
    }

    private func endStalled(_ now: ContinuousClock.Instant) -> Bool {
        guard let nextStall, nextStall <= now else { return false }
        for index in active.indices.reversed() where active[index].lastProgress + options.stallTimeout <= now {
            finished.append(active[index].finishStalled(options.stallTimeout))
            retire(index)
        }
        return startQueued() || !finished.isEmpty
    }

    private func takeFinished() -> [OriginResponse] {
        defer { finished = [] }
        return finished
    }

    @discardableResult
    private func retire(_ index: Int) -> CurlTransfer {
        let transfer = active.remove(at: index)
        transfers.remove(transfer.handle)
        idle.append(transfer)
        return transfer
    }

    /// Returns whether any transfer was started.
    @discardableResult
    private func startQueued() -> Bool {
        var started = false
        while queueStart < queue.count, active.count < max(1, options.connections) {
            let (id, url, request) = queue[queueStart]
            queueStart += 1
            begin(url, request, id)
            started = true
        }
        if queueStart == queue.count {
            queue.removeAll(keepingCapacity: true)
            queueStart = 0
        }
        return started
    }

    private func begin(_ url: String, _ request: OriginRequest?, _ id: Int) {
        if let flaw = request?.flaw { return fail(id, .badRequest, flaw) }
        guard !url.utf8.contains(0) else { return fail(id, .badURL, "A URL cannot contain a zero byte.") }
        guard let transfer = idle.popLast() ?? CurlTransfer(options) else {
            return fail(id, .other, "libcurl is out of memory.")
        }
        guard transfer.prepare(url, request, id: id), transfers.add(transfer.handle) else {
            idle.append(transfer)
            return fail(id, .other, "libcurl cannot start the transfer of \(url).")
        }
        active.append(transfer)
    }

    private func fail(_ id: Int, _ kind: OriginFailure.Kind, _ message: String) {
        finished.append(
            OriginResponse(
                id: id, status: 0, payload: nil, failure: OriginFailure(kind, message), timeToFirstByte: 0,
                totalTime: 0, receivedBytes: 0, newConnections: 0))
    }
}
