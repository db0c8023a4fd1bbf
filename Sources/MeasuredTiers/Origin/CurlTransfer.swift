import Basics
import CCurl
import CacheTiers

/// A handle of libcurl, and the state of its current transfer.
final class CurlTransfer: CurlReceiver {
    let handle: CurlHandle
    private(set) var id = -1
    private let limit: Int
    private var body = OriginBody()
    /// The bytes of body that have arrived.
    private(set) var received = 0
    private var status = 0
    private var exceeded = false
    private var began = ContinuousClock.now
    /// The time of the last progress, or of the start.
    private(set) var lastProgress = ContinuousClock.now
    /// The exchange of an ``OriginRequest``; nil for other fetches.
    private var exchange: CurlExchange?

    /// Returns nil if memory is exhausted.
    init?(_ options: OriginOptions) {
        guard let handle = CurlHandle() else { return nil }
        self.handle = handle
        limit = max(0, options.responseLimit)
        handle.receiver = self
        set(options, handle.easy)
    }

    deinit { body.discard() }

    /// Sets all options except the URL. They are equal for all transfers.
    private func set(_ options: OriginOptions, _ handle: UnsafeMutableRawPointer) {
        ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        ccurl_set_string(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 1)
        ccurl_set_long(handle, CURLOPT_MAXREDIRS, max(0, options.redirects))
        ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, max(1, options.connectTimeout.milliseconds))
        ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, options.timeout.milliseconds))
        ccurl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limit))
        // Large enough for few calls per image, small enough for the second-level cache.
        ccurl_set_long(handle, CURLOPT_BUFFERSIZE, 128 << 10)
        ccurl_set_string(handle, CURLOPT_USERAGENT, "cachereplay")
    }

    /// Returns false if memory is exhausted.
    func prepare(_ url: String, _ request: OriginRequest?, id: Int) -> Bool {
        self.id = id
        if exchange != nil {
            CurlExchange.reset(handle)
            exchange = nil
        }
        if let request {
            let exchange = CurlExchange(request)
            self.exchange = exchange
            guard exchange.set(handle) else { return false }
        }
        body.discard()
        received = 0
        status = 0
        exceeded = false
        began = .now
        lastProgress = began
        return handle.begin(url)
    }

    func receive(line: UnsafeRawBufferPointer) -> Int {
        exchange?.receive(line)
        return line.count
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastProgress = .now
        if status == 0 {
            status = handle.number(CURLINFO_RESPONSE_CODE)
            if isWanted { body.reserve(min(limit, max(0, handle.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)))) }
        }
        received += bytes.count
        guard received <= limit else {
            exceeded = true
            return 0
        }
        // The body of an error is read to its end too, so that the connection can be reused.
        if isWanted { body.append(bytes) }
        return bytes.count
    }

    private var isWanted: Bool { (200..<300).contains(status) || exchange != nil }

    /// Returns the response of the transfer, which takes over the body.
    func finish(_ code: CURLcode) -> OriginResponse {
        status = handle.number(CURLINFO_RESPONSE_CODE)
        return response(failure(code), totalTime: Int64(handle.offset(CURLINFO_TOTAL_TIME_T)) * 1000)
    }

    /// Ends a transfer that made no progress for too long.
    func finishStalled(_ limit: Duration) -> OriginResponse {
        status = handle.number(CURLINFO_RESPONSE_CODE)
        let failure = OriginFailure(.timeout, "Nothing came for \(limit), after \(received) bytes of body.")
        return response(failure, totalTime: (ContinuousClock.now - began).nanoseconds)
    }

    private func response(_ failure: OriginFailure?, totalTime: Int64) -> OriginResponse {
        defer { body.discard() }
        return OriginResponse(
            id: id, status: status, payload: failure == nil ? body.takePayload() : nil, failure: failure,
            timeToFirstByte: Int64(handle.offset(CURLINFO_STARTTRANSFER_TIME_T)) * 1000, totalTime: totalTime,
            receivedBytes: received, newConnections: handle.number(CURLINFO_NUM_CONNECTS),
            heads: exchange?.heads ?? [])
    }

    private func failure(_ code: CURLcode) -> OriginFailure? {
        if exceeded || code == CURLE_FILESIZE_EXCEEDED {
            return OriginFailure(.tooLarge, "The response is longer than the limit of \(limit) bytes.")
        }
        guard code == CURLE_OK else {
            return OriginFailure(
                OriginFailure.Kind(code), handle.detail(code) ?? "libcurl error \(code.rawValue)")
        }
        return isWanted ? nil : OriginFailure(.status, "The origin answered with status \(status).")
    }
}

extension OriginFailure.Kind {
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
            case CURLE_COULDNT_CONNECT: .refused
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: .reset
            case CURLE_PARTIAL_FILE: .truncated
            case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: .badURL
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .security
            default: .other
            }
    }
}
