import CWebP
import CacheTiers

/// WebP by libwebp. No cache writes WebP; the encoder is for generated images.
enum WebPCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        let source = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var config = WebPDecoderConfig()
        // Fails for a library that is incompatible with the header compiled against.
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw ImageError(.failed, "The installed libwebp is not compatible with the version of the build")
        }
        let status = WebPGetFeatures(source, bytes.count, &config.input)
        guard status == VP8_STATUS_OK else { throw error(status, bytes) }
        guard config.input.has_animation == 0 else {
            throw ImageError(.unsupported, "Animated WebP images are not decoded")
        }

        let width = config.input.width
        return try Bitmap(width: Int(width), height: Int(config.input.height)) { buffer throws(ImageError) in
            config.output.colorspace = MODE_RGBA
            config.output.is_external_memory = 1
            config.output.u.RGBA = WebPRGBABuffer(
                rgba: buffer.assumingMemoryBound(to: UInt8.self).baseAddress, stride: 4 * width, size: buffer.count)
            let status = WebPDecode(source, bytes.count, &config)
            guard status == VP8_STATUS_OK else { throw error(status, bytes) }
        }
    }

    static func encode(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        let source = bitmap.pixels.bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        let width = Int32(bitmap.width)
        var target: UnsafeMutablePointer<UInt8>?
        defer { WebPFree(target) }
        let count = WebPEncodeRGBA(source, width, Int32(bitmap.height), 4 * width, Float(quality), &target)
        guard count > 0, let target else {
            throw ImageError(.failed, "\(bitmap.width) x \(bitmap.height) pixels cannot be encoded as WebP")
        }
        return Payload(copying: UnsafeRawBufferPointer(start: target, count: count))
    }

    private static func error(_ status: VP8StatusCode, _ bytes: UnsafeRawBufferPointer) -> ImageError {
        switch status {
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED:
            ImageError(breaksOff: .webp, after: bytes.count, "libwebp expects more")
        case VP8_STATUS_OUT_OF_MEMORY: ImageError(.failed, "There is not enough memory to decode the WebP")
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            ImageError(.unsupported, "The WebP is of a kind that libwebp does not decode")
        default: ImageError(damaged: .webp, "libwebp cannot read it (status \(status.rawValue))")
        }
    }
}
