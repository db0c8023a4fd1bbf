import CCurl
import Foundation
import NIOCore
import Synchronization

/// Fetches from the upstream, on a thread of its own that owns libcurl's multi handle: as many transfers at once as
/// there are requests, on connections that are used again, HTTP/2 where the upstream speaks it over TLS.
final class UpstreamClient: Sendable {
    private enum Order: Sendable {
        case start(ProxyExchange)
        /// The other side has caught up with a transfer that waited.
        case resume(ProxyExchange)
        case cancel(ProxyExchange)
        case stop
    }

    private struct State {
        /// The address of the multi handle; nil once it is freed. Only `curl_multi_wakeup` may be called on it from
        /// other threads.
        var multi: UInt?
        var orders: [Order] = []
    }

    private let state = Mutex(State())
    private let options: ProxyOptions
    private let recorder: ProxyRecorder
    private let ended = DispatchSemaphore(value: 0)

    private static let initialised = ccurl_global_init()

    init(_ options: ProxyOptions, _ recorder: ProxyRecorder) throws {
        self.options = options
        self.recorder = recorder
        guard Self.initialised == CURLE_OK, let multi = curl_multi_init() else {
            throw ProxyError(kind: .noClient, description: "libcurl cannot be started: out of memory.")
        }
        ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, options.limits.upstreamConnections))
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, options.limits.upstreamConnections))
        let address = UInt(bitPattern: multi)
        state.withLock { $0.multi = address }
        Thread.detachNewThread { [self] in
            Self.blockBrokenPipeSignal()
            if let multi = UnsafeMutableRawPointer(bitPattern: address) {
                serve(UpstreamTransfers(multi, options, recorder))
            }
            state.withLock { $0.multi = nil }
            curl_multi_cleanup(UnsafeMutableRawPointer(bitPattern: address))
            ended.signal()
        }
    }

    func start(_ exchange: ProxyExchange) { post(.start(exchange)) }
    func resume(_ exchange: ProxyExchange) { post(.resume(exchange)) }

    func cancel(_ exchange: ProxyExchange) {
        exchange.cancel()
        post(.cancel(exchange))
    }

    /// Gives up all transfers, and returns when the thread has ended.
    func stop() {
        post(.stop)
        ended.wait()
    }

    private func post(_ order: Order) {
        state.withLock { state in
            state.orders.append(order)
            // More than one order needs no more than one wake-up.
            guard state.orders.count == 1, let multi = state.multi else { return }
            curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi))
        }
    }

    private func takeOrders() -> [Order] {
        state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    private func serve(_ transfers: UpstreamTransfers) {
        while true {
            for order in takeOrders() {
                switch order {
                case .start(let exchange): transfers.start(exchange)
                case .resume(let exchange): transfers.resume(exchange)
                case .cancel(let exchange): transfers.cancel(exchange)
                case .stop: return transfers.cancelAll()
                }
            }
            transfers.perform()
            deliver(transfers.takeDeliveries())
            transfers.wait()
        }
    }

    /// All that came in one round, by one task of the event loop: the server has but one.
    private func deliver(_ deliveries: [(ProxyExchange, ProxyExchange.Delivery)]) {
        guard let loop = deliveries.first?.0.eventLoop else { return }
        loop.execute {
            for (exchange, delivery) in deliveries { exchange.deliver(delivery) }
            for (exchange, _) in deliveries { exchange.flush() }
        }
    }

    /// OpenSSL writes to sockets without a way to suppress the signal of a connection that has gone.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
