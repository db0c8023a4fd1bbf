import CCurl
import NIOHTTP1

/// Why the upstream gave no response, or not all of it: what the client is told, and with which status.
struct UpstreamFailure: Error, Sendable {
    var status: HTTPResponseStatus
    var sentence: String

    static func stalled(_ limit: Duration) -> UpstreamFailure {
        UpstreamFailure(status: .gatewayTimeout, sentence: "The upstream was silent for \(limit).")
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
            case CURLE_COULDNT_CONNECT: "nobody listens at \(upstream.authority)"
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: "\(upstream.authority) broke the connection"
            case CURLE_PARTIAL_FILE: "\(upstream.authority) sent less than it announced"
            case CURLE_PEER_FAILED_VERIFICATION:
                """
                the certificate of \(host) is not to be trusted (for a test server, give its own with --cacert, or \
                --insecure)
                """
            case CURLE_SSL_CONNECT_ERROR: "no secure connection to \(upstream.authority) came about"
            default: "\(upstream.authority) could not be asked"
            }
        let reason = detail.isEmpty ? "" : " (\(detail))"
        self.init(
            status: code == CURLE_OPERATION_TIMEDOUT ? .gatewayTimeout : .badGateway,
            sentence: "Upstream: \(what)\(reason).")
    }
}
