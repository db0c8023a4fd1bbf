/// Width and height of an image, where they stand within its first bytes: PNG, GIF, WebP, JPEG.
struct PixelSize: Equatable {
    var width: Int
    var height: Int

    init?(startOf bytes: UnsafeRawBufferPointer) {
        let reader = Reader(bytes: bytes)
        guard let size = reader.png ?? reader.gif ?? reader.webp ?? reader.jpeg, size.width > 0, size.height > 0 else { return nil }
        self = size
    }

    private init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    private struct Reader {
        var bytes: UnsafeRawBufferPointer

        /// PNG, 11.2.2: the first chunk is IHDR, big-endian.
        var png: PixelSize? {
            guard starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), bytes.count >= 24 else { return nil }
            return PixelSize(big(16, 4), big(20, 4))
        }

        /// GIF89a, 18: the logical screen, little-endian.
        var gif: PixelSize? {
            guard starts(with: Array("GIF8".utf8)), bytes.count >= 10 else { return nil }
            return PixelSize(little(6, 2), little(8, 2))
        }

        /// WebP container specification (RFC 9649): VP8X has 24 bits less one each, VP8L 14 bits less one each, VP8 14 bits each.
        var webp: PixelSize? {
            guard starts(with: Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8), bytes.count >= 30 else { return nil }
            if has(Array("VP8X".utf8), at: 12) { return PixelSize(little(24, 3) + 1, little(27, 3) + 1) }
            if has(Array("VP8L".utf8), at: 12) {
                let bits = little(21, 4)
                return PixelSize(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
            }
            return has(Array("VP8 ".utf8), at: 12) ? PixelSize(little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF) : nil
        }

        /// ITU-T T.81, B.1.1: segments of marker and length, until one that starts a frame: SOF0 to SOF15, but for DHT, JPG and DAC.
        var jpeg: PixelSize? {
            guard starts(with: [0xFF, 0xD8]) else { return nil }
            var offset = 2
            while offset + 9 <= bytes.count, bytes[offset] == 0xFF {
                let marker = bytes[offset + 1]
                if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                    return PixelSize(big(offset + 7, 2), big(offset + 5, 2))
                }
                offset += marker == 0xFF ? 1 : 2 + max(2, big(offset + 2, 2))
            }
            return nil
        }

        private func starts(with head: [UInt8]) -> Bool { has(head, at: 0) }

        private func has(_ text: [UInt8], at offset: Int) -> Bool {
            offset + text.count <= bytes.count && bytes[offset..<offset + text.count].elementsEqual(text)
        }

        private func big(_ offset: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        private func little(_ offset: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    }
}
