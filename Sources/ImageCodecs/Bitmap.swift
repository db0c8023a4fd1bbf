import CacheTiers

/// A decoded image: four bytes a pixel, red, green, blue and alpha (not multiplied into the colours); rows from the
/// top, without gaps between them.
public struct Bitmap: Sendable {
    /// In pixels.
    public let width: Int
    public let height: Int
    public let pixels: Payload

    /// More than any screen or camera has: what claims more is damaged, or meant to do harm.
    public static let largestSide = 65_535
    public static let largestByteCount = 1 << 30

    /// Throws where the size is beyond the limits, or `pixels` has not four bytes for each pixel.
    public init(width: Int, height: Int, pixels: Payload) throws(ImageError) {
        let expected = try Self.byteCount(width: width, height: height)
        guard pixels.count == expected else {
            throw ImageError(
                .wrongSize, "\(width) x \(height) pixels take \(expected) bytes, and there are \(pixels.count)")
        }
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// `decode` writes all of the buffer, or throws. The limits are checked before the buffer is allocated.
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

    /// What an image of this size takes up in memory.
    public static func byteCount(width: Int, height: Int) throws(ImageError) -> Int {
        guard width > 0, height > 0 else { throw ImageError(.wrongSize, "\(width) x \(height) pixels are no image") }
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
