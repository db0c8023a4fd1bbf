import CTurboJPEG
import CacheTiers

/// JPEG by libjpeg-turbo. A handle for each call: making one takes half a microsecond, and no two threads may share
/// one.
enum JPEGCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        guard let handle = tjInitDecompress() else { throw ImageError(.failed, "No JPEG decoder: \(message(nil))") }
        defer { tjDestroy(handle) }
        let source = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colours: Int32 = 0
        // Its result is not asked for: it fails for rare subsamplings, which are decoded all the same. A header that it
        // could not read leaves no size.
        _ = tjDecompressHeader3(handle, source, UInt(bytes.count), &width, &height, &subsampling, &colours)
        guard width > 0, height > 0 else { throw error(message(handle), bytes) }

        // Four inks go into the same four bytes, and are mixed in place.
        let isOfInks = colours == Int32(TJCS_CMYK.rawValue) || colours == Int32(TJCS_YCCK.rawValue)
        let format = Int32((isOfInks ? TJPF_CMYK : TJPF_RGBA).rawValue)
        return try Bitmap(width: Int(width), height: Int(height)) { buffer throws(ImageError) in
            let target = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
            // Some hundred scans are beyond any real image; thousands keep a decoder busy for minutes.
            let status = tjDecompress2(
                handle, source, UInt(bytes.count), target, width, 4 * width, height, format, TJFLAG_LIMITSCANS)
            if status != 0 {
                let message = message(handle)
                guard tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue), isHarmless(message, bytes) else {
                    throw error(message, bytes)
                }
            }
            if isOfInks { mixInks(buffer) }
        }
    }

    static func encode(_ bitmap: Bitmap, quality: Int) throws(ImageError) -> Payload {
        guard let handle = tjInitCompress() else { throw ImageError(.failed, "No JPEG encoder: \(message(nil))") }
        defer { tjDestroy(handle) }
        let source = bitmap.pixels.bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        let width = Int32(bitmap.width)
        // Grown by the encoder: an encoded image is small beside the bitmap.
        var target: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { tjFree(target) }
        let status = tjCompress2(
            handle, source, width, 4 * width, Int32(bitmap.height), Int32(TJPF_RGBA.rawValue), &target, &count,
            Int32((quality == 100 ? TJSAMP_444 : TJSAMP_420).rawValue), Int32(quality), 0)
        guard status == 0, let target else {
            throw ImageError(
                .failed, "\(bitmap.width) x \(bitmap.height) pixels cannot be encoded as JPEG: \(message(handle))")
        }
        return Payload(copying: UnsafeRawBufferPointer(start: target, count: Int(count)))
    }

    /// libjpeg-turbo warns of data that are missing or make no sense, and goes on with grey. It tells of the first
    /// warning only.
    ///
    /// Cameras write some files that it warns of and that are whole: a few bytes too many before a marker, an unknown
    /// revision. Before the end marker that is all; elsewhere a second warning may have been swallowed, that the end is
    /// missing, and so the end is looked for.
    private static func isHarmless(_ message: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if message.contains("extraneous bytes before marker 0xd9") { return true }
        let ofHarmless = ["extraneous bytes before marker", "Unknown Adobe color transform", "unknown JFIF revision"]
        return ofHarmless.contains(where: message.contains) && hasEnd(bytes)
    }

    /// Whether an end of image (FF D9) follows the last start of a scan (FF DA). Neither occurs within a scan: an FF in
    /// its data is followed by 00.
    private static func hasEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for index in (1..<max(bytes.count, 1)).reversed() where bytes[index - 1] == 0xFF {
            if bytes[index] == 0xD9 { return true }
            if bytes[index] == 0xDA { return false }
        }
        return false
    }

    private static func error(_ message: String, _ bytes: UnsafeRawBufferPointer) -> ImageError {
        // Where data end, libjpeg-turbo reads on in an end marker of its own making, and may complain of what that
        // means at this place.
        if message.contains("Premature end") || !hasEnd(bytes) {
            return ImageError(breaksOff: .jpeg, after: bytes.count, message)
        }
        // In libjpeg's words.
        let ofRareKinds = [
            "Unsupported", "not supported", "not implemented", "not compiled", "precision", "too many scans",
        ]
        if ofRareKinds.contains(where: message.contains) {
            return ImageError(.unsupported, "The JPEG is of a kind that is not decoded: \(message)")
        }
        if message.contains("Maximum supported image dimension") {
            return ImageError(.tooLarge, "The JPEG claims to be too large: \(message)")
        }
        return ImageError(damaged: .jpeg, message)
    }

    private static func message(_ handle: tjhandle?) -> String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "libjpeg-turbo gives no reason"
    }

    /// Inks to colours, without a profile. As Adobe's programs write them, 255 is no ink.
    private static func mixInks(_ pixels: UnsafeMutableRawBufferPointer) {
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            let black = Int(pixels[pixel + 3])
            for channel in pixel..<pixel + 3 { pixels[channel] = UInt8((Int(pixels[channel]) * black + 127) / 255) }
            pixels[pixel + 3] = 255
        }
    }
}
