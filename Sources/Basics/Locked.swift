import Foundation

/// A value that several threads share, one at a time. It needs no newer system than an app's test target has, as
/// `Mutex` of the Synchronization module does.
///
/// Unchecked Sendable: the lock guards every access to the value.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Calls `body` with the value, and returns its result.
    package func withLock<Result, Failure>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
