import Basics
import Synchronization

/// The writing of files that do not depend on each other.
enum FileWork {
    /// Writes files, and returns the number of bytes written.
    typealias Step = @Sendable () throws -> Int

    /// Takes all steps at the same time, each on a thread of its own: a thread that commits a file waits for the disk.
    ///
    /// - Returns: The number of bytes written.
    /// - Throws: The error of the first step that failed, after all steps have ended.
    static func all(_ steps: [Step]) throws -> Int {
        let results = Mutex([Result<Int, any Error>?](repeating: nil, count: steps.count))
        DetachedThread.forEach(steps.count, threads: steps.count) { index in
            let result = Result { try steps[index]() }
            results.withLock { $0[index] = result }
        }
        return try results.withLock(\.self).reduce(0) { try $0 + ($1?.get() ?? 0) }
    }
}
