import Basics
import Synchronization

/// A file of `hits/` that is written while its requests are simulated. It has the bytes of a ``RequestHits`` of them,
/// and appears under its name when it is whole.
package final class GrowingHits: Sendable {
    private let identity: MissRatioRow.Identity
    private let file: Mutex<AtomicFile>

    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    init(_ identity: MissRatioRow.Identity, in folder: String) throws {
        self.identity = identity
        // The length of the head does not depend on the figures that are known at the end.
        let head = RequestHits(identity, requests: 0, firstCounted: 0, bits: [])
        let path = "\(folder)/\(head.fileName)"
        do throws(FileError) { file = Mutex(try AtomicFile(path)) } catch { throw ResultsError(error) }
        try append(head.head)
    }

    /// Appends bits, eight requests in each byte. Only the last byte of the file has unused bits.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package func append(_ bytes: [UInt8]) throws {
        try changing { file in try bytes.withUnsafeBytes { try file.write($0) } }
    }

    /// Completes the file.
    ///
    /// - Parameters:
    ///   - requests: The number of requests.
    ///   - firstCounted: The number of the first request that is counted.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    package func finish(requests: Int, firstCounted: Int) throws {
        let head = RequestHits(identity, requests: requests, firstCounted: firstCounted, bits: []).head
        try changing { file in
            try file.overwriteStart(with: head)
            try file.commit()
        }
    }

    private func changing(_ body: (AtomicFile) throws -> Void) throws {
        do { try file.withLock { try body($0) } } catch let error as FileError { throw ResultsError(error) }
    }
}
