import CCurl
import Synchronization

/// The transfers of one thread that run at the same time, on reused connections: a multi handle of libcurl.
final class CurlTransfers {
    /// Ends a ``wait(milliseconds:)`` from any thread.
    let waker: CurlWaker
    private let multi: UnsafeMutableRawPointer
    private var isOpen = true

    private static let initialised = ccurl_global_init()

    /// Returns nil if memory is exhausted.
    init?(connections: Int) {
        guard Self.initialised == CURLE_OK, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        waker = CurlWaker(multi)
        ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, max(1, connections))
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, connections))
    }

    deinit { close() }

    /// Closes all connections. All handles must be removed and deallocated before; nothing may be called after.
    func close() {
        guard isOpen else { return }
        isOpen = false
        waker.close()
        curl_multi_cleanup(multi)
    }

    /// Starts the transfer of a handle. Returns false if memory is exhausted.
    func add(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(multi, handle.easy) == CURLM_OK }

    /// Ends the transfer of a handle, if it has not ended.
    func remove(_ handle: CurlHandle) { curl_multi_remove_handle(multi, handle.easy) }

    /// Sends and receives what is possible without waiting.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
    }

    /// Returns a handle whose transfer has ended since the last call, and its result.
    func nextEnded() -> (handle: CurlHandle, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message belongs to the handle: it is invalid after the handle is removed.
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let handle = CurlHandle.of(easy)
            else { continue }
            return (handle, message.pointee.data.result)
        }
        return nil
    }

    /// Waits until a transfer can go on, the waker is called, or the time has passed.
    func wait(milliseconds: Int32) { curl_multi_poll(multi, nil, 0, milliseconds, nil) }
}

/// Ends a wait for transfers from any thread. Has no effect after the transfers are closed.
public final class CurlWaker: Sendable {
    private struct State {
        /// The address of the multi handle; nil after it is freed. Only `curl_multi_wakeup` is thread-safe.
        var multi: UInt?
        var isWoken = false
    }

    private let state: Mutex<State>

    init(_ multi: UnsafeMutableRawPointer) {
        state = Mutex(State(multi: UInt(bitPattern: multi)))
    }

    public func wake() {
        state.withLock { state in
            state.isWoken = true
            if let multi = state.multi { curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi)) }
        }
    }

    /// Returns whether ``wake()`` was called since the last call.
    func takeWake() -> Bool {
        state.withLock { state in
            defer { state.isWoken = false }
            return state.isWoken
        }
    }

    func close() {
        state.withLock { $0.multi = nil }
    }
}
