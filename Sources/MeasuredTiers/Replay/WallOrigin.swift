import Basics
import CacheTiers
import Dispatch
import Foundation
import ReplayEngine
import SessionModel
import Synchronization

/// Fetches on a thread of its own, which owns the libcurl handle, and posts the results.
final class WallOrigin: Sendable {
    private struct Transfer {
        var fetch: Int
        var imageKey: ImageKey
        var launch: Int
        var url: String
        var conditions: [HTTPField]
    }

    private struct State {
        var waker: OriginWaker?
        var transfers: [Transfer] = []
        /// The fetches that were started and have not been posted.
        var open: Set<Int> = []
        var isOver = false
        var received: Int64 = 0
    }

    private let tiers: RealTiers
    private let address: String
    private let options: OriginOptions
    private let mailbox: WallMailbox
    private let state = Mutex(State())

    init(_ tiers: RealTiers, address: String, _ options: OriginOptions, mailbox: WallMailbox) {
        self.tiers = tiers
        self.address = address
        self.options = options
        self.mailbox = mailbox
    }

    var receivedBytes: Int64 { state.withLock { $0.received } }

    /// Starts the thread. Returns when it has made its first connection.
    func begin() throws {
        let ready = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        try DetachedThread.start { [self] in
            do {
                let curl = try CurlOrigin(options)
                _ = curl.fetch("\(address)/warm-up")
                state.withLock { $0.waker = curl.waker }
                ready.signal()
                serve(curl)
            } catch {
                failure.withLock { $0 = error }
                ready.signal()
            }
        }
        ready.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func start(
        _ fetch: Int, _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField], _ launch: Int
    ) {
        let latency = "ttfb_us=\(sample.timeToFirstByte / 1_000)&transfer_us=\(sample.transferTime / 1_000)"
        let url = "\(address)/\(imageKey.object)?\(sample.originQuery)&\(latency)"
        let waker = state.withLock { state in
            state.transfers.append(
                Transfer(fetch: fetch, imageKey: imageKey, launch: launch, url: url, conditions: conditions))
            state.open.insert(fetch)
            return state.waker
        }
        waker?.wake()
    }

    /// Cancels a fetch. Returns whether it was in progress; then it is not posted.
    func cancel(_ fetch: Int) -> Bool {
        let (waker, wasOpen) = state.withLock { ($0.waker, $0.open.remove(fetch) != nil) }
        waker?.wake()
        return wasOpen
    }

    /// Cancels all fetches. Returns the number of those that were in progress.
    func cancelAll() -> Int {
        let (waker, count) = state.withLock { state in
            defer { state.open = [] }
            return (state.waker, state.open.count)
        }
        waker?.wake()
        return count
    }

    /// Ends the thread.
    func end() {
        let waker = state.withLock { state in
            state.isOver = true
            return state.waker
        }
        waker?.wake()
    }

    private func serve(_ curl: CurlOrigin) {
        var running: [Int: Transfer] = [:]  // By libcurl's number.
        while true {
            let (transfers, open, isOver) = state.withLock { state in
                defer { state.transfers = [] }
                return (state.transfers, state.open, state.isOver)
            }
            guard !isOver else { return }
            for transfer in transfers where open.contains(transfer.fetch) {
                let fields = transfer.conditions.map { (name: $0.name, value: $0.value) }
                running[curl.start(transfer.url, fields: fields)] = transfer
            }
            for (id, transfer) in running where !open.contains(transfer.fetch) {
                curl.cancel(id)
                running[id] = nil
            }
            for response in curl.wait(for: .seconds(1)) {
                guard let transfer = running.removeValue(forKey: response.id) else { continue }
                let isOpen = state.withLock { state in
                    state.received += Int64(response.receivedBytes)
                    return state.open.remove(transfer.fetch) != nil
                }
                guard isOpen else { continue }
                mailbox.post(transfer.launch) {
                    .fetched(transfer.fetch, try tiers.answer(transfer.imageKey, response, response.totalTime))
                }
            }
        }
    }
}

/// The network of measured timing: libcurl fetches from the loopback origin. It belongs to one thread.
struct OriginNetwork: ReplayNetwork {
    private let tiers: RealTiers
    private let curl: CurlOrigin
    private let origin: String

    /// - Parameter origin: The address under which the loopback origin serves objects by number.
    init(_ tiers: RealTiers, origin: String) throws {
        self.tiers = tiers
        self.origin = origin
        curl = try CurlOrigin()
    }

    func begin() {
        // The first transfer allocates what libcurl keeps for later ones. The origin has no such object, and counts
        // nothing.
        _ = curl.fetch("\(origin)/warm-up")
    }

    func fetch(
        _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<MeasuredBody> {
        let url = "\(origin)/\(imageKey.object)?\(sample.originQuery)"
        let fields = conditions.map { (name: $0.name, value: $0.value) }
        let (response, duration) = MonotonicClock.timing { curl.fetch(url, fields: fields) }
        return try tiers.answer(imageKey, response, duration)
    }
}
