/// An uncompressed PNG of any kind, also of kinds that libpng's simplified interface does not write.
struct PNGFile {
    enum Colour: UInt8 {
        case grey = 0
        case colours = 2
        case palette = 3
    }

    var width: Int
    var height: Int
    /// Bits per channel: 8 or 16 if the image is interlaced.
    var bitDepth: Int
    var colour: Colour
    /// Chunks before the pixels: name and content.
    var chunks: [(String, [UInt8])] = []
    /// The bytes of a pixel; for less than 8 bits per pixel, `row` returns the bytes of a row.
    var pixel: (_ x: Int, _ y: Int) -> [UInt8]
    var row: [UInt8]?

    /// Red, green, blue and white; red is half transparent, green fully.
    static var palette: PNGFile {
        var file = PNGFile(width: 4, height: 1, bitDepth: 2, colour: .palette) { _, _ in [] }
        file.chunks = [("PLTE", [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]), ("tRNS", [128, 0])]
        file.row = [0b00_01_10_11]
        return file
    }

    init(width: Int, height: Int, bitDepth: Int, colour: Colour, pixel: @escaping (_ x: Int, _ y: Int) -> [UInt8]) {
        (self.width, self.height, self.bitDepth, self.colour, self.pixel) = (width, height, bitDepth, colour, pixel)
    }

    var bytes: [UInt8] { file(isInterlaced: false, rows: pass(0, 0, 1, 1)) }

    /// In the seven passes of Adam7 (PNG specification, 8.2).
    var interlaced: [UInt8] {
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        return file(isInterlaced: true, rows: passes.flatMap { pass($0.0, $0.1, $0.2, $0.3) })
    }

    /// Without pixels, for headers that announce huge images.
    var headerOnly: [UInt8] { file(isInterlaced: false, rows: []) }

    private func pass(_ x: Int, _ y: Int, _ stepX: Int, _ stepY: Int) -> [UInt8] {
        guard x < width else { return [] }
        return stride(from: y, to: height, by: stepY).flatMap { y in
            // Each row begins with its filter: none.
            [0] + (row ?? stride(from: x, to: width, by: stepX).flatMap { pixel($0, y) })
        }
    }

    private func file(isInterlaced: Bool, rows: [UInt8]) -> [UInt8] {
        let header = big(width) + big(height) + [UInt8(bitDepth), colour.rawValue, 0, 0, isInterlaced ? 1 : 0]
        let all = [("IHDR", header)] + chunks + [("IDAT", Self.stored(rows)), ("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + all.flatMap { name, content in
                let body = Array(name.utf8) + content
                return big(content.count) + body + big(Self.checksum(body))
            }
    }

    /// A zlib stream of one block that is stored as it is (RFC 1950, RFC 1951); at most 65,535 bytes.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        return [0x78, 0x01, 0x01, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
            + bytes + big(high << 16 | low)
    }

    /// CRC-32 of PNG (PNG specification, annex D), bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return Int(~remainder)
    }
}

private func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
