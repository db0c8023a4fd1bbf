import Synchronization

/// Numbers connections, from 1 on, in the order in which they came.
final class ConnectionNumbers: Sendable {
    private let count = Mutex<UInt64>(0)

    func next() -> UInt64 {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
