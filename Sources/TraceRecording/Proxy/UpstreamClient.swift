import CCurl
import Foundation
import NIOCore
import Synchronization

/// Forwards requests to the upstream, on a thread that owns libcurl's multi handle: all requests at once, on reused
/// connections, with HTTP/2 if the upstream supports it over TLS.
final class UpstreamClient: Sendable {
    private enum Command: Sendable {
        case start(ProxyExchange)
        /// Continues a transfer that waited for the client.
        case resume(ProxyExchange)
        case cancel(ProxyExchange)
        case stop
    }

    private struct State {
        /// The address of the multi handle; nil after it is freed. Other threads only call `curl_multi_wakeup`, which
        /// is thread-safe.
        var multi: UInt?
        var commands: [Command] = []
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
            // A command that stays would keep its exchange, which keeps this client.
            state.withLock { state in
                state.multi = nil
                state.commands = []
            }
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

    /// Cancels all transfers, and returns when the thread has ended.
    func stop() {
        post(.stop)
        ended.wait()
    }

    /// Has no effect after the thread has ended.
    private func post(_ command: Command) {
        state.withLock { state in
            guard let multi = state.multi else { return }
            state.commands.append(command)
            // One wake-up is enough for several commands.
            guard state.commands.count == 1 else { return }
            curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi))
        }
    }

    private func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func serve(_ transfers: UpstreamTransfers) {
        while true {
            for command in takeCommands() {
                switch command {
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

    /// Delivers all parts of one round in one task: the server has a single event loop.
    private func deliver(_ deliveries: [(ProxyExchange, ProxyExchange.Delivery)]) {
        guard let loop = deliveries.first?.0.eventLoop else { return }
        loop.execute {
            for (exchange, delivery) in deliveries { exchange.deliver(delivery) }
            for (exchange, _) in deliveries { exchange.flush() }
        }
    }

    /// Blocks SIGPIPE, because OpenSSL cannot suppress it when it writes to a closed connection.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
