import Basics
import CCurl

/// The current transfers of one multi handle. Belongs to the thread of its ``UpstreamClient``.
final class UpstreamTransfers {
    private let multi: UnsafeMutableRawPointer
    private let options: ProxyOptions
    private let recorder: ProxyRecorder
    private var active: [ObjectIdentifier: UpstreamTransfer] = [:]
    private var idle: [UpstreamTransfer] = []
    private var deliveries: [(ProxyExchange, ProxyExchange.Delivery)] = []

    /// The number of idle handles kept for later transfers.
    private static let idleLimit = 64

    init(_ multi: UnsafeMutableRawPointer, _ options: ProxyOptions, _ recorder: ProxyRecorder) {
        self.multi = multi
        self.options = options
        self.recorder = recorder
    }

    func start(_ exchange: ProxyExchange) {
        guard !exchange.isCancelled else { return abandon(exchange) }
        guard let transfer = idle.popLast() ?? UpstreamTransfer(options) else {
            return fail(exchange, UpstreamFailure(status: .badGateway, sentence: "The proxy is out of memory."))
        }
        transfer.deliver = { [unowned self] delivery in deliveries.append((exchange, delivery)) }
        guard transfer.begin(exchange, recorder), curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else {
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
            curl_multi_remove_handle(multi, transfer.handle)
        }
        active = [:]
        idle = []
    }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = UpstreamTransfer.of(handle), let exchange = transfer.exchange
            else { continue }
            // The message belongs to the handle: it is invalid after the handle is retired.
            let code = message.pointee.data.result
            end(transfer, exchange, transfer.failure(code))
        }
        endStalled()
    }

    /// Waits for data, for a command, or for the next timeout of a transfer.
    func wait() {
        let now = ContinuousClock.now
        let next = active.values.lazy.filter { !$0.waitsForClient }.map(\.lastProgress).min()
        let left = next.map { $0 + self.options.limits.upstreamTimeout - now } ?? .seconds(60)
        // One millisecond more, so that the timeout has passed after the wait.
        curl_multi_poll(multi, nil, 0, Int32(max(.zero, min(left, .seconds(60))).milliseconds + 1), nil)
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
        curl_multi_remove_handle(multi, transfer.handle)
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
