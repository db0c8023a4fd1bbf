import Foundation

/// A value behind a lock.
///
/// `Synchronization.Mutex` needs iOS 18, and apps that embed this library can support older systems.
final class Locked<Value>: @unchecked Sendable {  // `value` is only touched with the lock held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
