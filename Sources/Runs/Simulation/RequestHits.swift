import Basics
import CachePolicies
import Synchronization

/// The requests of one trace that hit with one policy at one capacity: the content of a file of `hits/`.
///
/// The page "Studying policies" describes the bytes of the file. Numbers are little-endian.
public struct RequestHits: Sendable, Equatable {
    public var identity: MissRatioRow.Identity
    public var requests: Int
    /// The number of the first request that is counted: the requests of the warm-up.
    public var firstCounted: Int
    /// By request, eight in each byte, the first one in the least significant bit. Unused bits are 0.
    public var bits: [UInt8]

    public init(_ identity: MissRatioRow.Identity, requests: Int, firstCounted: Int, bits: [UInt8]) {
        self.identity = identity
        self.requests = requests
        self.firstCounted = firstCounted
        self.bits = bits
    }

    /// The folder of the files, below the folder of the results.
    static let folder = "hits"
    static let ending = "hits"
    private static let magic = Array("CRHT".utf8)
    private static let version: UInt32 = 1

    /// The name of the file: `photo-feed--lru--2000000-bytes.hits`.
    var fileName: String {
        let capacity = identity.capacity.map { "\($0.value)-\($0.unit.rawValue)" } ?? "own"
        return "\(SafeName(identity.trace))--\(SafeName(identity.policy))--\(capacity).\(Self.ending)"
    }

    /// The bytes of the file before the bits.
    var head: [UInt8] {
        let description = description
        var head = Self.magic
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { head.append(contentsOf: $0) }
        }
        append(Self.version)
        append(UInt64(requests))
        append(UInt64(firstCounted))
        append(UInt64(description.count))
        return head + description
    }

    /// The subject of the file, as JSON in one line.
    private var description: [UInt8] {
        var writer = JSONWriter(.line)
        writer.object { object in
            object.member("trace", identity.trace)
            object.member("policy", identity.policy)
            object.member("capacity", identity.capacity?.value)
            object.member("unit", identity.capacity?.unit.rawValue)
        }
        return writer.bytes
    }
}

extension Store<SimulationRows> {
    /// Keeps which requests hit in one row, in place of an earlier file. It is kept before the row, so that a row that
    /// is not simulated again has its file.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ hits: RequestHits) throws { try write(hits.fileName, [hits.head, hits.bits]) }

    /// Begins the file of the hits of one row, before the number of requests is known.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    package func beginHits(_ identity: MissRatioRow.Identity) throws -> GrowingHits {
        let folder = "\(path)/\(RequestHits.folder)"
        try ResultFile.makeFolder(folder)
        return try GrowingHits(identity, in: folder)
    }

    /// Copies the files of a shard.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    func copyHits(of shard: SimulationStore) throws {
        let folder = "\(shard.path)/\(RequestHits.folder)"
        guard ResultFile.isFolder(folder) else { return }
        for name in try ResultFile.list(folder)
        where name.hasSuffix(".\(RequestHits.ending)") && !name.hasPrefix(AtomicFile.temporaryPrefix) {
            try write(name, [[UInt8](try ResultFile.bytes(at: "\(folder)/\(name)"))])
        }
    }

    private func write(_ name: String, _ content: [[UInt8]]) throws {
        let folder = "\(path)/\(RequestHits.folder)"
        try ResultFile.makeFolder(folder)
        try ResultFile.write(to: "\(folder)/\(name)") { file in
            for bytes in content { try bytes.withUnsafeBytes { try file.write($0) } }
        }
    }
}

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
