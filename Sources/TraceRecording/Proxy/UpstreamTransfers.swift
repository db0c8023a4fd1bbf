import Basics
import CCurl
import MeasuredTiers
import NIOCore
import NIOHTTP1
import SessionModel

/// The current transfers of the proxy. Belongs to the thread of its ``UpstreamClient``.
final class UpstreamTransfers {
    private let transfers: CurlTransfers
    private let options: ProxyOptions
    private let recorder: ProxyRecorder
    private var active: [ObjectIdentifier: UpstreamTransfer] = [:]
    private var idle: [UpstreamTransfer] = []
    private var deliveries: [(ProxyExchange, ProxyExchange.Delivery)] = []

    /// The number of idle handles kept for later transfers.
    private static let idleLimit = 64

    init(_ transfers: CurlTransfers, _ options: ProxyOptions, _ recorder: ProxyRecorder) {
        self.transfers = transfers
        self.options = options
        self.recorder = recorder
    }

    func start(_ exchange: ProxyExchange) {
        guard !exchange.isCancelled else { return abandon(exchange) }
        guard let transfer = idle.popLast() ?? UpstreamTransfer(options) else {
            return fail(exchange, UpstreamFailure(status: .badGateway, sentence: "The proxy is out of memory."))
        }
        transfer.deliver = { [unowned self] delivery in deliveries.append((exchange, delivery)) }
        guard transfer.begin(exchange, recorder), transfers.add(transfer.handle) else {
            return fail(
                exchange, UpstreamFailure(status: .badGateway, sentence: "The request cannot be sent to the upstream."))
        }
        active[ObjectIdentifier(exchange)] = transfer
    }

    func resume(_ exchange: ProxyExchange) {
        active[ObjectIdentifier(exchange)]?.resume()
    }

    func cancel(_ exchange: ProxyExchange) {
        guard let transfer = active[ObjectIdentifier(exchange)] else { return }
        transfer.finish(.cancelled)
        retire(transfer, exchange)
    }

    func cancelAll() {
        for (_, transfer) in active {
            transfer.finish(.cancelled)
            transfers.remove(transfer.handle)
        }
        active = [:]
        idle = []
    }

    func perform() {
        transfers.perform()
        while let (handle, result) = transfers.nextEnded() {
            guard let transfer = handle.receiver as? UpstreamTransfer, let exchange = transfer.exchange else {
                continue
            }
            end(transfer, exchange, transfer.failure(result))
        }
        endStalled()
    }

    /// Waits for data, for a command, or for the next timeout of a transfer.
    func wait() {
        let now = ContinuousClock.now
        let next = active.values.lazy.filter { !$0.waitsForClient }.map(\.lastProgress).min()
        let left = next.map { $0 + self.options.limits.upstreamTimeout - now } ?? .seconds(60)
        // One millisecond more, so that the timeout has passed after the wait.
        transfers.wait(milliseconds: Int32(max(.zero, min(left, .seconds(60))).milliseconds + 1))
    }

    func takeDeliveries() -> [(ProxyExchange, ProxyExchange.Delivery)] {
        defer { deliveries = [] }
        return deliveries
    }

    private func endStalled() {
        let now = ContinuousClock.now
        let limit = options.limits.upstreamTimeout
        for transfer in active.values where transfer.lastProgress + limit <= now && !transfer.waitsForClient {
            guard let exchange = transfer.exchange else { continue }
            end(transfer, exchange, .stalled(limit))
        }
    }

    private func end(_ transfer: UpstreamTransfer, _ exchange: ProxyExchange, _ failure: UpstreamFailure?) {
        transfer.finish(failure.map { .failed($0) } ?? .complete)
        deliveries.append((exchange, .end(failure)))
        retire(transfer, exchange)
    }

    private func retire(_ transfer: UpstreamTransfer, _ exchange: ProxyExchange) {
        transfers.remove(transfer.handle)
        active[ObjectIdentifier(exchange)] = nil
        transfer.forget()
        if idle.count < Self.idleLimit { idle.append(transfer) }
    }

    private func fail(_ exchange: ProxyExchange, _ failure: UpstreamFailure) {
        if let recording = exchange.recording { recorder.end(recording, ResponseFacts(), .failed(failure)) }
        deliveries.append((exchange, .end(failure)))
    }

    private func abandon(_ exchange: ProxyExchange) {
        if let recording = exchange.recording { recorder.end(recording, ResponseFacts(), .cancelled) }
    }
}

/// A handle of libcurl, and the state of its current transfer. Belongs to the thread of its ``UpstreamClient``.
final class UpstreamTransfer: CurlReceiver {
    let handle: CurlHandle
    private(set) var exchange: ProxyExchange?
    var deliver: (ProxyExchange.Delivery) -> Void = { _ in }
    /// The time of the last progress, or of the last wait for the client.
    private(set) var lastProgress = ContinuousClock.now
    private let upstream: UpstreamAddress
    private var recorder: ProxyRecorder?
    private var head = ResponseHeadParser()
    private var facts = ResponseFacts()
    private var body: KeptBody?
    private var hasHead = false

    enum End {
        case complete
        case failed(UpstreamFailure)
        /// The client has disconnected.
        case cancelled
    }

    /// Returns nil if memory is exhausted.
    init?(_ options: ProxyOptions) {
        guard let handle = CurlHandle() else { return nil }
        self.handle = handle
        upstream = options.upstream
        handle.receiver = self
        handle.receivesLines = true
        set(options, handle.easy)
    }

    /// Sets the options that all transfers share.
    private func set(_ options: ProxyOptions, _ handle: UnsafeMutableRawPointer) {
        ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, options.upstream.scheme)
        // The client follows redirects, and its paths are not normalized.
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        ccurl_set_long(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        ccurl_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        // Prefers another stream of a new connection to another connection.
        ccurl_set_long(handle, CURLOPT_PIPEWAIT, options.upstream.scheme == "https" ? 1 : 0)
        ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(options.limits.connectTimeout / .milliseconds(1))))
        // The size of a piece of the response; a window holds several.
        ccurl_set_long(handle, CURLOPT_BUFFERSIZE, min(64 << 10, max(1 << 10, options.limits.window)))
        if options.isInsecure {
            ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
            ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let file = options.certificates { ccurl_set_string(handle, CURLOPT_CAINFO, file) }
    }

    /// Prepares a transfer. Returns false if memory is exhausted.
    func begin(_ exchange: ProxyExchange, _ recorder: ProxyRecorder) -> Bool {
        self.exchange = exchange
        self.recorder = recorder
        head = ResponseHeadParser()
        facts = ResponseFacts()
        hasHead = false
        lastProgress = .now
        let request = exchange.request
        guard handle.begin(request.url) else { return false }
        setMethod(request, handle.easy)
        return setHeaders(request.headers)
    }

    private func setMethod(_ request: UpstreamRequest, _ handle: UnsafeMutableRawPointer) {
        // Resets the upload or HEAD of the previous transfer.
        ccurl_set_long(handle, CURLOPT_HTTPGET, 1)
        ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, nil)
        ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, -1)
        switch request.body {
        case .none:
            if request.method == .HEAD { ccurl_set_long(handle, CURLOPT_NOBODY, 1) }
        case .announced(let count):
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
            ccurl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(count))
        case .streamed:
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
        }
        let named = request.body == .none ? request.method != .GET && request.method != .HEAD : request.method != .PUT
        if named { ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
    }

    private func setHeaders(_ headers: HTTPHeaders) -> Bool {
        var lines = headers.map { CurlHandle.field($0.name, $0.value) } + ["Expect:"]
        if !headers.contains(name: "accept") { lines.append("Accept:") }
        return handle.setFields(lines.map(\.utf8))
    }

    /// Continues a paused transfer; libcurl calls back at once.
    func resume() {
        lastProgress = .now
        curl_easy_pause(handle.easy, 0)
    }

    var waitsForClient: Bool { exchange?.waitsForClient ?? false }

    func receive(line: UnsafeRawBufferPointer) -> Int {
        lastProgress = .now
        // Lines after the body are trailers, which are not forwarded.
        guard !hasHead else { return line.count }
        guard head.add(line) else { return 0 }
        guard head.isComplete else { return line.count }
        if (100..<200).contains(head.status) {
            head = ResponseHeadParser()
            return line.count
        }
        hasHead = true
        facts.read(head)
        if let recording = exchange?.recording { body = recorder?.begin(recording, facts) }
        deliver(.head(head.status, head.headers))
        return line.count
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastProgress = .now
        guard let exchange, hasHead else { return 0 }
        guard exchange.mayTake(bytes.count) else { return Int(CURL_WRITEFUNC_PAUSE) }
        facts.received(bytes)
        body?.append(bytes)
        deliver(.body(ByteBuffer(bytes: bytes)))
        return bytes.count
    }

    func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastProgress = .now
        guard let exchange else { return Int(CURL_READFUNC_ABORT) }
        let (piece, hasRoom) = exchange.takeUpload(into: buffer)
        if hasRoom { exchange.letClientSend() }
        switch piece {
        case .bytes(let count): return count
        case .end: return 0
        case .nothingYet: return Int(CURL_READFUNC_PAUSE)
        }
    }

    func failure(_ code: CURLcode) -> UpstreamFailure? {
        guard code == CURLE_OK else {
            return UpstreamFailure(code, handle.detail(code) ?? "", upstream)
        }
        return hasHead
            ? nil
            : UpstreamFailure(
                status: .badGateway, sentence: "Upstream: \(upstream.authority) ended without a response.")
    }

    /// Records the result of the transfer. Reads libcurl's times, which are valid until the next use of the handle.
    func finish(_ end: End) {
        let total = time(CURLINFO_TOTAL_TIME_T)
        let first = time(CURLINFO_STARTTRANSFER_TIME_T)
        // 0 if the transfer used an open connection.
        let connect = handle.number(CURLINFO_NUM_CONNECTS) > 0 ? min(time(CURLINFO_PRETRANSFER_TIME_T), first) : 0
        if hasHead {
            facts.timing = FetchTiming(
                connect: connect > 0 ? connect : nil, first: first - connect, transfer: max(0, total - first),
                networkProtocol: fetchProtocol)
        }
        guard let recording = exchange?.recording, let recorder else { return }
        recorder.end(recording, facts, end, body)
        body = nil
    }

    func forget() {
        exchange = nil
        recorder = nil
        body = nil
        deliver = { _ in }
    }

    private var fetchProtocol: FetchProtocol? {
        switch handle.number(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0), Int(CURL_HTTP_VERSION_1_1): .http1
        case Int(CURL_HTTP_VERSION_2_0): .http2
        case 30: .http3  // CURL_HTTP_VERSION_3, which libcurl before 7.66 does not define.
        default: nil
        }
    }

    private func time(_ info: CURLINFO) -> Int64 { Int64(handle.offset(info)) }
}
