import CCurl
import NIOHTTP1

/// The reason why a response of the upstream is missing or incomplete, with the status and the text for the client.
struct UpstreamFailure: Error, Sendable {
    var status: HTTPResponseStatus
    var sentence: String

    static func stalled(_ limit: Duration) -> UpstreamFailure {
        UpstreamFailure(status: .gatewayTimeout, sentence: "The upstream made no progress for \(limit).")
    }

    init(status: HTTPResponseStatus, sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    init(_ code: CURLcode, _ detail: String, _ upstream: UpstreamAddress) {
        let host = upstream.host
        let what =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: "\(upstream.authority) did not answer in time"
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: "the name \(host) is unknown"
            case CURLE_COULDNT_CONNECT: "no server listens at \(upstream.authority)"
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: "\(upstream.authority) broke the connection"
            case CURLE_PARTIAL_FILE: "\(upstream.authority) sent less than it announced"
            case CURLE_PEER_FAILED_VERIFICATION:
                """
                the certificate of \(host) is not trusted (for a test server, use --cacert with its certificate, or \
                --insecure)
                """
            case CURLE_SSL_CONNECT_ERROR: "a secure connection to \(upstream.authority) failed"
            default: "the request to \(upstream.authority) failed"
            }
        let reason = detail.isEmpty ? "" : " (\(detail))"
        self.init(
            status: code == CURLE_OPERATION_TIMEDOUT ? .gatewayTimeout : .badGateway,
            sentence: "Upstream: \(what)\(reason).")
    }
}
