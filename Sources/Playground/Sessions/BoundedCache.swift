import Synchronization

/// Values by text, such as answers by question. When all values take more than a number of bytes, those that were asked
/// for longest ago are removed.
///
/// Methods may be called in several threads at once.
final class BoundedCache<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var bytes: Int
        /// The number of the call that asked for it last.
        var used: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var bytes = 0
        var calls = 0
    }

    /// The bytes that an entry takes in addition to its key and its value.
    private static var overhead: Int { 128 }

    /// The most bytes of all values and keys.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The bytes of all values and keys.
    var bytes: Int { state.withLock { $0.bytes } }
    /// The number of values.
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns the value of a text; nil if none is kept.
    func value(of key: String) -> Value? {
        state.withLock { state in
            state.calls += 1
            state.entries[key]?.used = state.calls
            return state.entries[key]?.value
        }
    }

    /// Keeps a value. A value that takes more than the limit by itself is not kept.
    ///
    /// - Parameter bytes: The size of the value.
    func keep(_ value: Value, of key: String, bytes: Int) {
        let bytes = bytes + key.utf8.count + Self.overhead
        guard bytes <= limit else { return }
        state.withLock { state in
            state.calls += 1
            let earlier = state.entries.updateValue(Entry(value: value, bytes: bytes, used: state.calls), forKey: key)
            state.bytes += bytes - (earlier?.bytes ?? 0)
            guard state.bytes > limit else { return }
            // Several at a time, so that not every call looks for the oldest ones.
            let oldest = state.entries.sorted { $0.value.used < $1.value.used }
            for (key, entry) in oldest where state.bytes > limit - limit / 8 && entry.used < state.calls {
                state.entries[key] = nil
                state.bytes -= entry.bytes
            }
        }
    }
}
