/// The type and size of an image, from the first bytes of its file. File name extensions are ignored.
public struct ImageHeader: Sendable, Equatable {
    public var contentType: String
    /// In pixels, with a photograph's orientation (EXIF) applied; nil if the size is beyond the first bytes.
    public var width: Int?
    public var height: Int?

    /// The number of bytes that suffices for nearly all files: camera files have a preview image before their size.
    static let probe = 256 << 10

    /// Reads a header. Returns nil if the bytes do not begin an image that all browsers show: JPEG, PNG, GIF, WebP,
    /// AVIF.
    public init?(_ bytes: [UInt8]) {
        let reader = HeaderBytes(bytes)
        if reader.has([0xFF, 0xD8, 0xFF], at: 0) {
            contentType = "image/jpeg"
            (width, height) = reader.jpegSize() ?? (nil, nil)
        } else if reader.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            contentType = "image/png"
            (width, height) = (reader.big(16, 4), reader.big(20, 4))
        } else if reader.has(Array("GIF8".utf8), at: 0) {
            contentType = "image/gif"
            (width, height) = (reader.little(6, 2), reader.little(8, 2))
        } else if reader.has(Array("RIFF".utf8), at: 0), reader.has(Array("WEBP".utf8), at: 8) {
            contentType = "image/webp"
            (width, height) = reader.webPSize() ?? (nil, nil)
        } else if reader.has(Array("ftyp".utf8), at: 4), reader.has(Array("avi".utf8), at: 8) {
            contentType = "image/avif"
            (width, height) = reader.avifSize() ?? (nil, nil)
        } else {
            return nil
        }
        if let shown = width, shown <= 0 { width = nil }
        if width == nil || (height ?? 0) <= 0 { (width, height) = (nil, nil) }
    }
}

/// Reads numbers at offsets of a file's beginning; nil beyond its end.
private struct HeaderBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func has(_ signature: [UInt8], at offset: Int) -> Bool {
        offset >= 0 && offset + signature.count <= bytes.count
            && bytes[offset..<offset + signature.count].elementsEqual(signature)
    }

    func big(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    func little(_ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads segments (ITU T.81 B.1.1) up to a frame header, which has the size. APP1 before it can have an
    /// orientation.
    func jpegSize() -> (Int?, Int?)? {
        var offset = 2
        var isTurned = false
        while let marker = big(offset, 2), marker & 0xFF00 == 0xFF00 {
            if marker == 0xFFFF {
                offset += 1  // Fill bytes.
                continue
            }
            guard let length = big(offset + 2, 2), length >= 2 else { return nil }
            switch marker {
            case 0xFFC0...0xFFC3, 0xFFC5...0xFFC7, 0xFFC9...0xFFCB, 0xFFCD...0xFFCF:
                let size = (big(offset + 7, 2), big(offset + 5, 2))
                return isTurned ? (size.1, size.0) : size
            case 0xFFE1 where has(Array("Exif\0\0".utf8), at: offset + 4):
                isTurned = (5...8).contains(orientation(at: offset + 10, end: offset + 2 + length) ?? 1)
            case 0xFFD9, 0xFFDA: return nil
            default: break
            }
            offset += 2 + length
        }
        return nil
    }

    /// Returns the tag 0x0112 of the first directory of EXIF, which is a TIFF file.
    private func orientation(at start: Int, end: Int) -> Int? {
        let isLittle = has([0x49, 0x49], at: start)
        func number(_ offset: Int, _ count: Int) -> Int? { isLittle ? little(offset, count) : big(offset, count) }
        guard let first = number(start + 4, 4), let count = number(start + first, 2) else { return nil }
        for entry in 0..<min(count, 512) {
            let offset = start + first + 2 + 12 * entry
            guard offset + 12 <= end else { return nil }
            if number(offset, 2) == 0x0112 { return number(offset + 8, 2) }
        }
        return nil
    }

    /// Reads a lossy, lossless or extended file (RFC 9649).
    func webPSize() -> (Int?, Int?)? {
        if has(Array("VP8X".utf8), at: 12) {
            return (little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
        }
        if has(Array("VP8L".utf8), at: 12), let bits = little(21, 4) {
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if has(Array("VP8 ".utf8), at: 12) {
            return (little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
        }
        return nil
    }

    /// Returns the largest `ispe` property (ISO 23008-12): smaller ones belong to previews and tiles.
    func avifSize() -> (Int?, Int?)? {
        let name = Array("ispe".utf8)
        var largest: (Int, Int)?
        for offset in stride(from: 16, to: max(16, bytes.count - 16), by: 1) where has(name, at: offset) {
            guard let width = big(offset + 8, 4), let height = big(offset + 12, 4) else { continue }
            if largest.map({ width * height > $0.0 * $0.1 }) ?? true { largest = (width, height) }
        }
        return largest.map { ($0.0, $0.1) }
    }
}
