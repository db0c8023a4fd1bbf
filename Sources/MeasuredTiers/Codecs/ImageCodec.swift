import CacheTiers
import SessionModel

/// Decodes and encodes images as an app does, so that memory and files of a replay have the sizes of an app's. It has
/// no state and is safe under concurrent use.
///
/// Steps that do not change sizes are omitted: ICC profiles do not convert colours, and EXIF orientations do not rotate
/// images.
public enum ImageCodec {
    /// Decodes an image into a single buffer; there is never a second copy of the pixels.
    ///
    /// - Throws: ``ImageError`` for damaged images, for images with fewer pixels than their header announces (instead
    ///   of a grey rest), for animated WebP, and, before memory is allocated, for images beyond the limits of
    ///   ``Bitmap``.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        switch ImageFormat(bytes) {
        case .jpeg: try JPEGCodec.decode(bytes)
        case .png: try PNGCodec.decode(bytes)
        case .webp: try WebPCodec.decode(bytes)
        case nil: throw ImageError(unknown: bytes)
        }
    }

    /// Encodes a baseline JPEG. `quality` is libjpeg's, limited to 1 to 100. Alpha is dropped.
    ///
    /// 100 corresponds to Apple's 1.0: all quantization factors are 1, and colours are kept for every pixel (4:4:4).
    /// Below 100, colours are kept for each block of 2 x 2 pixels (4:2:0). Apple's encoder is reported to differ in the
    /// same way between 1.0 and lower values.
    ///
    /// - Throws: ``ImageError`` for more than 65,500 pixels on a side.
    public static func encodeJPEG(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        try JPEGCodec.encode(bitmap, quality: min(max(quality, 1), 100))
    }

    /// Encodes a PNG with 8 bits per channel and libpng's default filters and compression, without alpha if every pixel
    /// is opaque.
    public static func encodePNG(_ bitmap: Bitmap) throws(ImageError) -> Payload {
        try PNGCodec.encode(bitmap)
    }

    /// Encodes a lossy WebP. `quality` is libwebp's, limited to 0 to 100.
    ///
    /// - Throws: ``ImageError`` for more than 16,383 pixels on a side.
    public static func encodeWebP(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        try WebPCodec.encode(bitmap, quality: min(max(quality, 0), 100))
    }
}

/// A decoded image: four bytes per pixel, red, green, blue and alpha (not premultiplied); rows from top to bottom,
/// without padding.
public struct Bitmap: Sendable {
    /// In pixels.
    public let width: Int
    public let height: Int
    public let pixels: Payload

    /// In pixels; more than any screen or camera has. A larger image is damaged or malicious.
    public static let largestSide = 65_535
    public static let largestByteCount = 1 << 30

    /// Creates a bitmap.
    ///
    /// - Throws: ``ImageError`` if the size exceeds the limits, or if `pixels` does not have four bytes per pixel.
    public init(width: Int, height: Int, pixels: Payload) throws(ImageError) {
        let expected = try Self.byteCount(width: width, height: height)
        guard pixels.count == expected else {
            throw ImageError(
                .wrongSize, "\(width) x \(height) pixels need \(expected) bytes, but there are \(pixels.count)")
        }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Creates a bitmap whose whole buffer `decode` writes, unless it throws. The limits are checked before the buffer
    /// is allocated.
    init(width: Int, height: Int, decode: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Void) throws(ImageError)
    {
        var failure: ImageError?
        pixels = Payload(count: try Self.byteCount(width: width, height: height)) { buffer in
            do throws(ImageError) { try decode(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        self.width = width
        self.height = height
    }

    /// Returns the number of bytes that a decoded image of this size takes up.
    ///
    /// - Throws: ``ImageError`` if the size exceeds the limits.
    public static func byteCount(width: Int, height: Int) throws(ImageError) -> Int {
        guard width > 0, height > 0 else {
            throw ImageError(.wrongSize, "\(width) x \(height) pixels are not an image")
        }
        guard width <= largestSide, height <= largestSide else {
            throw ImageError(.tooLarge, "\(width) x \(height) pixels: more than \(largestSide) on a side")
        }
        let count = 4 * width * height
        guard count <= largestByteCount else {
            throw ImageError(
                .tooLarge, "\(width) x \(height) pixels take \(count) bytes decoded: more than \(largestByteCount)")
        }
        return count
    }
}

/// The reason why bytes cannot be decoded, or why a bitmap cannot be encoded. The caller adds which image it is.
public struct ImageError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, CaseIterable {
        /// Neither JPEG, PNG nor WebP.
        case unknownFormat
        /// The end of the image is missing.
        case breaksOff
        case damaged
        /// The format is known, but this kind of it is not decoded: animation, or a rare coding.
        case unsupported
        /// The image exceeds ``Bitmap/largestSide`` or ``Bitmap/largestByteCount``.
        case tooLarge
        /// The bitmap has no pixels, or another number of bytes than its pixels need.
        case wrongSize
        /// The codec ran out of memory, or cannot encode the bitmap.
        case failed
    }

    public var kind: Kind
    public var description: String

    /// `reason` is a sentence without its full stop.
    init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        description = reason + "."
    }

    init(unknown bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            self.init(.unknownFormat, "There are no bytes where a JPEG, PNG or WebP image was expected")
        } else {
            self.init(
                .unknownFormat,
                """
                Neither a JPEG, a PNG nor a WebP image: it begins with \
                \(Self.hexadecimal(bytes.prefix(ImageFormat.headSize)))
                """
            )
        }
    }

    init(breaksOff format: ImageFormat, after count: Int, _ reason: String) {
        self.init(.breaksOff, "The \(format.rawValue) breaks off after \(count) bytes: \(reason)")
    }

    init(damaged format: ImageFormat, _ reason: String) {
        self.init(.damaged, "The \(format.rawValue) is damaged: \(reason)")
    }

    private static func hexadecimal(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}

extension Bitmap {
    /// Returns the bitmap in a size whose longer side has at most `side` pixels: each pixel is the mean of those that
    /// it covers. A bitmap that is not larger is returned as it is.
    ///
    /// Complexity: O(*n*) for *n* pixels of this bitmap.
    func reduced(to side: Int) throws(ImageError) -> Bitmap {
        let longest = max(width, height)
        guard longest > side else { return self }
        let (columns, rows) = (max(1, width * side / longest), max(1, height * side / longest))
        let (width, height, source) = (width, height, pixels.bytes)
        return try Bitmap(width: columns, height: rows) { target in
            for row in 0..<rows {
                // Neither range is empty, because both sides are at least as long as the reduced ones.
                let lines = row * height / rows..<(row + 1) * height / rows
                for column in 0..<columns {
                    let points = column * width / columns..<(column + 1) * width / columns
                    var sums: SIMD4<UInt32> = .zero
                    for line in lines {
                        for point in points {
                            let place = 4 * (line * width + point)
                            sums &+= SIMD4(
                                UInt32(source[place]), UInt32(source[place + 1]), UInt32(source[place + 2]),
                                UInt32(source[place + 3]))
                        }
                    }
                    let count = UInt32(lines.count * points.count)
                    let place = 4 * (row * columns + column)
                    for channel in 0..<4 { target[place + channel] = UInt8((sums[channel] + count / 2) / count) }
                }
            }
        }
    }
}

extension ImageCodec {
    /// Returns a small WebP picture of an image, whose longer side has at most `side` pixels.
    ///
    /// - Throws: ``ImageError``, as ``decode(_:)``.
    public static func thumbnail(of bytes: UnsafeRawBufferPointer, side: Int) throws(ImageError) -> Payload {
        try encodeWebP(try decode(bytes).reduced(to: side), quality: 60)
    }
}
