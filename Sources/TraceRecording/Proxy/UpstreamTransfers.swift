import Basics
import MeasuredTiers

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
