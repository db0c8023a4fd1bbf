import CacheTiers

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
