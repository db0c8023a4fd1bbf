/// Collects the bytes of a file and passes them on in blocks, so that the file is never in memory as a whole.
///
/// Invariant: `base` has `capacity` bytes, of which the first `count` are initialised.
struct BlockWriter: ~Copyable {
    private static let capacity = 1 << 16
    /// The largest number of decimal digits of 64 bits, with a sign.
    private static let digits = 20

    private let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    private var count = 0
    private let write: (UnsafeRawBufferPointer) throws -> Void

    init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.write = write }

    deinit { base.deallocate() }

    mutating func append(_ byte: UInt8) throws {
        try makeRoom(1)
        base[count] = byte
        count &+= 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count <= Self.capacity else {
            try flush()
            return try write(bytes)
        }
        guard let start = bytes.baseAddress else { return }
        try makeRoom(bytes.count)
        UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
        count &+= bytes.count
    }

    mutating func append(_ text: String) throws {
        var text = text
        try text.withUTF8 { try append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(little value: some FixedWidthInteger & BitwiseCopyable) throws {
        try withUnsafeBytes(of: value.littleEndian) { try append($0) }
    }

    mutating func append(decimal value: Int64) throws {
        if value < 0 { try append(UInt8(ascii: "-")) }
        try append(decimal: value.magnitude)
    }

    mutating func append(decimal value: UInt64) throws {
        try makeRoom(Self.digits)
        var length = 1
        var rest = value / 10
        while rest > 0 {
            length &+= 1
            rest /= 10
        }
        rest = value
        // A number of 64 bits has at most `digits` digits, for which there is room.
        for place in stride(from: count &+ length &- 1, through: count, by: -1) {
            base[place] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= length
    }

    /// Passes the collected bytes on. The last block needs it.
    mutating func flush() throws {
        guard count > 0 else { return }
        try write(UnsafeRawBufferPointer(start: base, count: count))
        count = 0
    }

    private mutating func makeRoom(_ wanted: Int) throws { if Self.capacity - count < wanted { try flush() } }
}
