/// Converts between the framing of zlib and that of gzip, which both contain a deflate stream (RFC 1951). libarchive
/// supports only gzip.
struct ZlibFraming {
    private var hasBegun = false
    private var hasEnded = false

    /// The length of the zlib header.
    private static let zlibHeader = 2
    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// Replaces the zlib header by that of gzip, and extends the trailer, of which libarchive only counts the bytes.
    ///
    /// `bytes` has room for 16 bytes more than `count`. A count of 0 means the end. The first call has more than two
    /// bytes.
    mutating func convert(_ bytes: UnsafeMutableRawBufferPointer, _ count: inout Int) {
        if !hasBegun {
            hasBegun = true
            guard count > Self.zlibHeader, let base = bytes.baseAddress else { return }
            let grown = Self.gzipHeader.count - Self.zlibHeader
            (base + Self.gzipHeader.count).copyMemory(from: base + Self.zlibHeader, byteCount: count - Self.zlibHeader)
            bytes.copyBytes(from: Self.gzipHeader)
            count += grown
        } else if count == 0, !hasEnded {
            hasEnded = true
            // zlib ends in 4 bytes of checksum, gzip in 4 of checksum and 4 of length.
            bytes.copyBytes(from: [0, 0, 0, 0])
            count = 4
        }
    }

    /// Converts gzip, as libarchive compresses `bytes`, to zlib. The gzip header has ten bytes, the trailer eight.
    static func zlib(fromGzip gzip: ArraySlice<UInt8>, of bytes: [UInt8]) -> [UInt8] {
        var checksum = Adler32()
        bytes.withUnsafeBytes { checksum.add($0) }
        return [0x78, 0x9C] + gzip.dropFirst(gzipHeader.count).dropLast(8)
            + withUnsafeBytes(of: checksum.value.bigEndian, Array.init)
    }
}

extension Decompressor {
    /// Returns whether `head` begins a zlib stream (RFC 1950). Text and numbers may begin with the two bytes of its
    /// header, so the start is decompressed as a test.
    static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 8, head[0] == 0x78, (Int(head[0]) << 8 | Int(head[1])) % 31 == 0, head[1] & 0x20 == 0 else {
            return false
        }
        do {
            let decompressor = try Decompressor(RawSource(contents: head, path: ""), .zlib, path: "")
            _ = try RawSource.fill(1) { try decompressor.read(into: $0, room: $1) }
            return true
        } catch {
            // The start is valid but truncated. "x^" may also begin a text.
            return head[1] != UInt8(ascii: "^") && "\(error)".contains("truncated")
        }
    }
}
