import CachePolicies

/// The bytes of an object in memory, freed with the last reference.
///
/// Unchecked Sendable: the bytes are written by the initializer, or before a second reference to the payload exists.
public final class Payload: @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer

    /// Creates a payload. `fill` must write the whole buffer, or throw.
    public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        bytes = UnsafeRawBufferPointer(buffer)
        // All properties are set: if `fill` throws, deinit frees the buffer.
        try fill(buffer)
    }

    /// Takes ownership of a buffer that was allocated with an alignment of 16 and is completely written.
    package init(adopting buffer: UnsafeMutableRawBufferPointer) {
        bytes = UnsafeRawBufferPointer(buffer)
    }

    public convenience init(copying source: UnsafeRawBufferPointer) {
        self.init(count: source.count) { $0.copyMemory(from: source) }
    }

    public var count: Int { bytes.count }

    /// A checksum that detects damage, not forgery.
    public var checksum: UInt64 { DiskChecksum.of(bytes, seed: 0) }

    deinit { bytes.deallocate() }
}
