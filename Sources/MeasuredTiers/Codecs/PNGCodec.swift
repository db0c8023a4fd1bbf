import CPNG
import CacheTiers

/// PNG by libpng's simplified interface, which returns errors; the full interface uses `longjmp`, which Swift does not
/// support.
enum PNGCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        let image = makeImage()
        defer { discard(image) }
        guard png_image_begin_read_from_memory(image, bytes.baseAddress, bytes.count) != 0 else {
            throw error(image, bytes)
        }
        image.pointee.format = cpng_format_rgba()
        // 16 bits per channel without a gamma are sRGB like all others, not linear.
        image.pointee.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
        let width = Int(image.pointee.width)
        return try Bitmap(width: width, height: Int(image.pointee.height)) { buffer throws(ImageError) in
            guard png_image_finish_read(image, nil, buffer.baseAddress, Int32(4 * width), nil) != 0 else {
                throw error(image, bytes)
            }
        }
    }

    static func encode(_ bitmap: Bitmap) throws(ImageError) -> Payload {
        let isOpaque = bitmap.isOpaque
        let image = makeImage()
        defer { discard(image) }
        image.pointee.width = UInt32(bitmap.width)
        image.pointee.height = UInt32(bitmap.height)
        image.pointee.format = isOpaque ? cpng_format_rgb() : cpng_format_rgba()
        // libpng's simplified interface cannot skip a channel, so opaque pixels are copied without alpha.
        let colours = isOpaque ? bitmap.colours : nil
        let source = colours.map { UnsafeRawBufferPointer($0) } ?? bitmap.pixels.bytes
        // The longest possible result. The system provides memory only for the pages that are written.
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: cpng_longest(image), alignment: 16)
        defer { target.deallocate() }
        var count = target.count
        let status = png_image_write_to_memory(
            image, target.baseAddress, &count, 0, source.baseAddress, Int32(source.count / bitmap.height), nil)
        // Freed before the result is copied, which lowers the peak of memory.
        colours?.deallocate()
        guard status != 0 else {
            throw ImageError(
                .failed, "\(bitmap.width) x \(bitmap.height) pixels cannot be encoded as PNG: \(message(image))")
        }
        return Payload(copying: UnsafeRawBufferPointer(rebasing: target[..<count]))
    }

    /// Allocated, because libpng keeps its address.
    private static func makeImage() -> UnsafeMutablePointer<png_image> {
        let image = UnsafeMutablePointer<png_image>.allocate(capacity: 1)
        image.initialize(to: png_image())
        image.pointee.version = UInt32(PNG_IMAGE_VERSION)
        return image
    }

    private static func discard(_ image: UnsafeMutablePointer<png_image>) {
        png_image_free(image)
        image.deallocate()
    }

    private static func error(_ image: UnsafeMutablePointer<png_image>, _ bytes: UnsafeRawBufferPointer) -> ImageError {
        let message = message(image)
        let ofMissingEnd = ["beyond end", "Not enough image data", "Not enough compressed data"]
        if ofMissingEnd.contains(where: message.contains) {
            return ImageError(breaksOff: .png, after: bytes.count, message)
        }
        return ImageError(damaged: .png, message)
    }

    private static func message(_ image: UnsafeMutablePointer<png_image>) -> String {
        let text = withUnsafeBytes(of: &image.pointee.message) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.isEmpty ? "libpng gives no reason" : text
    }
}

extension Bitmap {
    fileprivate var isOpaque: Bool {
        let pixels = pixels.bytes.assumingMemoryBound(to: UInt32.self)
        return UInt32(littleEndian: pixels.reduce(UInt32.max, &)) >> 24 == 255
    }

    /// Red, green and blue of each pixel. The caller deallocates the buffer.
    fileprivate var colours: UnsafeMutableRawBufferPointer {
        let source = pixels.bytes
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count / 4 * 3, alignment: 16)
        for pixel in 0..<source.count / 4 {
            target[3 * pixel] = source[4 * pixel]
            target[3 * pixel + 1] = source[4 * pixel + 1]
            target[3 * pixel + 2] = source[4 * pixel + 2]
        }
        return target
    }
}
