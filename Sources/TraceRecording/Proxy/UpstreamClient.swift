import Foundation
import MeasuredTiers
import NIOCore
import Synchronization

/// Forwards requests to the upstream, on a thread that owns the transfers of libcurl: all requests at once, on reused
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
        /// Whether the thread has not ended.
        var isOpen = true
        var commands: [Command] = []
    }

    private let state = Mutex(State())
    private let options: ProxyOptions
    private let recorder: ProxyRecorder
    private let waker: CurlWaker
    private let ended = DispatchSemaphore(value: 0)

    init(_ options: ProxyOptions, _ recorder: ProxyRecorder) throws {
        self.options = options
        self.recorder = recorder
        guard let started = CurlTransfers(connections: options.limits.upstreamConnections) else {
            throw ProxyError(kind: .noClient, description: "libcurl cannot be started: out of memory.")
        }
        waker = started.waker
        // Only the new thread uses it.
        nonisolated(unsafe) let transfers = started
        Thread.detachNewThread { [self] in
            Self.blockBrokenPipeSignal()
            serve(UpstreamTransfers(transfers, options, recorder))
            // A command that stays would keep its exchange, which keeps this client.
            state.withLock { state in
                state.isOpen = false
                state.commands = []
            }
            transfers.close()
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
            guard state.isOpen else { return }
            state.commands.append(command)
            // One wake-up is enough for several commands.
            if state.commands.count == 1 { waker.wake() }
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
