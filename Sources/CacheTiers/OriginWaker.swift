import CCurl
import Synchronization

/// Ends the wait of a ``CurlOrigin`` from any thread; does nothing once that origin is gone.
public final class OriginWaker: Sendable {
    private struct State {
        /// The address of the multi handle; nil once it is freed. Only `curl_multi_wakeup` may be called on it from
        /// here.
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
