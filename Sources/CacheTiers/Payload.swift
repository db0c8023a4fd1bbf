/// Bytes that are really there: allocated when made, freed with the last reference.
///
/// Sendable without a lock: written once, by the initialiser, and only read afterwards.
public final class Payload: @unchecked Sendable {
    public let bytes: UnsafeRawBufferPointer

    /// `fill` must write all of the buffer, or throw.
    public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        bytes = UnsafeRawBufferPointer(buffer)
        // A class must be whole before it may throw; from here on deinit frees the buffer.
        try fill(buffer)
    }

    /// Takes over a buffer that was allocated with an alignment of 16 and is written in full; frees it in the end.
    init(adopting buffer: UnsafeMutableRawBufferPointer) {
        bytes = UnsafeRawBufferPointer(buffer)
    }

    public convenience init(copying source: UnsafeRawBufferPointer) {
        self.init(count: source.count) { $0.copyMemory(from: source) }
    }

    public var count: Int { bytes.count }

    /// Tells payloads apart; against damage, not against an adversary.
    public var checksum: UInt64 { DiskChecksum.of(bytes, seed: 0) }

    deinit { bytes.deallocate() }
}
