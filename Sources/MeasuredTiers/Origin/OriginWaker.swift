import CCurl
import CacheTiers
import Synchronization

/// Ends the wait of a ``CurlOrigin`` from any thread. Has no effect after the origin is deallocated.
public final class OriginWaker: Sendable {
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
