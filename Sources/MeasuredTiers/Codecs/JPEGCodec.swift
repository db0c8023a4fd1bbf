import CTurboJPEG
import CacheTiers

/// JPEG by libjpeg-turbo. Each call uses a handle of its own, because threads cannot share one; creating it takes half
/// a microsecond.
enum JPEGCodec {
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> Bitmap {
        guard let handle = tjInitDecompress() else { throw ImageError(.failed, "No JPEG decoder: \(message(nil))") }
        defer { tjDestroy(handle) }
        let source = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colours: Int32 = 0
        // The result is ignored: it is an error for rare subsamplings, which are decoded nevertheless. An invalid
        // header leaves the size at 0.
        _ = tjDecompressHeader3(handle, source, UInt(bytes.count), &width, &height, &subsampling, &colours)
        guard width > 0, height > 0 else { throw error(message(handle), bytes) }

        // The four inks of CMYK fill the same four bytes, and are converted in place.
        let isOfInks = colours == Int32(TJCS_CMYK.rawValue) || colours == Int32(TJCS_YCCK.rawValue)
        let format = Int32((isOfInks ? TJPF_CMYK : TJPF_RGBA).rawValue)
        return try Bitmap(width: Int(width), height: Int(height)) { buffer throws(ImageError) in
            let target = buffer.assumingMemoryBound(to: UInt8.self).baseAddress
            // Real images have far fewer than 500 scans, libjpeg-turbo's limit; thousands would take minutes to decode.
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
        // The encoder grows the buffer: an encoded image is small compared with the bitmap.
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

    /// Whether a warning concerns only details that some cameras write: extra bytes before a marker, or an unknown
    /// revision.
    ///
    /// libjpeg-turbo warns of missing or invalid data, fills the rest with grey, and reports only its first warning.
    /// Before the end marker, the image is complete; elsewhere a second warning could be lost, that the end is missing,
    /// and so the end marker must exist.
    private static func isHarmless(_ message: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if message.contains("extraneous bytes before marker 0xd9") { return true }
        let ofHarmless = ["extraneous bytes before marker", "Unknown Adobe color transform", "unknown JFIF revision"]
        return ofHarmless.contains(where: message.contains) && hasEnd(bytes)
    }

    /// Whether an end of image (FF D9) follows the last start of a scan (FF DA). Neither occurs within a scan, in which
    /// 00 follows each FF.
    private static func hasEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for index in (1..<max(bytes.count, 1)).reversed() where bytes[index - 1] == 0xFF {
            if bytes[index] == 0xD9 { return true }
            if bytes[index] == 0xDA { return false }
        }
        return false
    }

    private static func error(_ message: String, _ bytes: UnsafeRawBufferPointer) -> ImageError {
        // At the end of the data, libjpeg-turbo inserts an end marker, and may report that this marker is invalid here.
        if message.contains("Premature end") || !hasEnd(bytes) {
            return ImageError(breaksOff: .jpeg, after: bytes.count, message)
        }
        // Words of libjpeg-turbo's own messages, by which it refuses kinds of JPEG that it does not decode.
        let ofRareKinds = [
            "Unsupported", "not supported", "arithmetic coding", "Fractional sampling", "CCIR601", "not compiled",
            "precision", "too many scans",
        ]
        if ofRareKinds.contains(where: message.contains) {
            return ImageError(.unsupported, "The JPEG is of a kind that is not decoded: \(message)")
        }
        if message.contains("Maximum supported image dimension") {
            return ImageError(.tooLarge, "The JPEG is too large by its header: \(message)")
        }
        return ImageError(damaged: .jpeg, message)
    }

    private static func message(_ handle: tjhandle?) -> String {
        tjGetErrorStr2(handle).map { String(cString: $0) } ?? "libjpeg-turbo gives no reason"
    }

    /// Converts inks to colours, without a profile. 255 is no ink, as in the files of Adobe's programs.
    private static func mixInks(_ pixels: UnsafeMutableRawBufferPointer) {
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            let black = Int(pixels[pixel + 3])
            for channel in pixel..<pixel + 3 { pixels[channel] = UInt8((Int(pixels[channel]) * black + 127) / 255) }
            pixels[pixel + 3] = 255
        }
    }
}
