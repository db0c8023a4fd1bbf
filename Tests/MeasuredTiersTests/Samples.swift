import Basics
import CTurboJPEG
import CWebP
import CacheTiers
import CacheTraces
import SessionModel

@testable import MeasuredTiers

typealias Pixel = SIMD4<UInt8>

extension Bitmap {
    init(_ width: Int, _ height: Int, pixel: (_ x: Int, _ y: Int) -> Pixel) throws {
        let pixels = Payload(count: 4 * width * height) { bytes in
            for index in 0..<width * height {
                bytes.storeBytes(of: pixel(index % width, index / width), toByteOffset: 4 * index, as: Pixel.self)
            }
        }
        try self.init(width: width, height: height, pixels: pixels)
    }

    /// Smooth and opaque, like most photographs.
    static func gradient(_ width: Int = 48, _ height: Int = 40) throws -> Bitmap {
        try Bitmap(width, height) { x, y in
            Pixel(
                UInt8(40 + 160 * x / width), UInt8(40 + 160 * y / height),
                UInt8(200 - 120 * (x + y) / (width + height)), 255)
        }
    }

    /// Random pixels, with random alpha unless `isOpaque`.
    static func noise(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = false) throws -> Bitmap {
        var generator = SplitMix64(seed: seed)
        return try Bitmap(width, height) { _, _ in
            let drawn = UInt32(truncatingIfNeeded: generator.next())
            return Pixel(
                UInt8(drawn & 255), UInt8(drawn >> 8 & 255), UInt8(drawn >> 16 & 255),
                isOpaque ? 255 : UInt8(drawn >> 24))
        }
    }

    var array: [Pixel] {
        (0..<width * height).map { pixels.bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Pixel.self) }
    }

    var bytes: UnsafePointer<UInt8>? { pixels.bytes.assumingMemoryBound(to: UInt8.self).baseAddress }

    /// The largest difference in any channel of any pixel.
    func difference(from other: Bitmap) -> Int {
        zip(pixels.bytes, other.pixels.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// Over all channels of all pixels.
    func meanDifference(from other: Bitmap) -> Double {
        Double(zip(pixels.bytes, other.pixels.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
            / Double(pixels.count)
    }

    func isEqual(to other: Bitmap) -> Bool {
        width == other.width && height == other.height && pixels.bytes.elementsEqual(other.pixels.bytes)
    }
}

extension Payload {
    var array: [UInt8] { [UInt8](bytes) }
}

func decode(_ bytes: [UInt8]) throws(ImageError) -> Bitmap {
    // In memory of exactly their size, so that a sanitizer detects reads beyond the end.
    let payload = bytes.withUnsafeBytes { Payload(copying: $0) }
    defer { withExtendedLifetime(payload) {} }
    return try ImageCodec.decode(payload.bytes)
}

func format(_ bytes: [UInt8]) -> ImageFormat? { bytes.withUnsafeBytes { ImageFormat($0) } }

/// Valid images of kinds that the product decodes but does not write, from the encoders of the same libraries.
enum Samples {
    /// The bitmap's four channels are inks if `format` is CMYK or YCCK.
    static func jpeg(
        _ bitmap: Bitmap, as format: TJPF = TJPF_RGBA, _ subsampling: TJSAMP = TJSAMP_420, flags: Int32 = 0
    ) -> [UInt8] {
        let handle = tjInitCompress()
        defer { tjDestroy(handle) }
        var target: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { tjFree(target) }
        tjCompress2(
            handle, bitmap.bytes, Int32(bitmap.width), 0, Int32(bitmap.height), Int32(format.rawValue), &target, &count,
            Int32(subsampling.rawValue),
            90, flags)
        return Array(UnsafeBufferPointer(start: target, count: Int(count)))
    }

    static func webp(_ bitmap: Bitmap, isLossless: Bool) -> [UInt8] {
        var target: UnsafeMutablePointer<UInt8>?
        defer { WebPFree(target) }
        let (width, height) = (Int32(bitmap.width), Int32(bitmap.height))
        let count =
            isLossless
            ? WebPEncodeLosslessRGBA(bitmap.bytes, width, height, 4 * width, &target)
            : WebPEncodeRGBA(bitmap.bytes, width, height, 4 * width, 90, &target)
        return Array(UnsafeBufferPointer(start: target, count: count))
    }

    /// The one frame `still`, a lossless WebP, in the container of an animation.
    static func animatedWebP(_ still: [UInt8], width: Int, height: Int) -> [UInt8] {
        let size = little(width - 1, 3) + little(height - 1, 3)
        let frame = little(0, 6) + size + little(100, 3) + [0] + still[12...]
        let chunks = chunk("VP8X", [2, 0, 0, 0] + size) + chunk("ANIM", [0, 0, 0, 0, 0, 0]) + chunk("ANMF", frame)
        return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + little(0, content.count % 2)
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// One small image of each kind, by name.
    static func all() throws -> [(name: String, bytes: [UInt8])] {
        let gradient = try Bitmap.gradient()
        let noise = try Bitmap.noise(19, 13, seed: 1)
        let grey = PNGFile(width: 13, height: 9, bitDepth: 8, colour: .grey) { x, y in [UInt8(x * 19 ^ y * 7)] }
        return [
            ("JPEG", jpeg(gradient)), ("JPEG 4:4:4", jpeg(gradient, TJSAMP_444)),
            ("progressive JPEG", jpeg(gradient, flags: TJFLAG_PROGRESSIVE)),
            ("grey JPEG", jpeg(gradient, TJSAMP_GRAY)), ("JPEG of inks", jpeg(gradient, as: TJPF_CMYK, TJSAMP_444)),
            ("PNG", try ImageCodec.encodePNG(gradient).array),
            ("PNG with alpha", try ImageCodec.encodePNG(noise).array),
            ("interlaced PNG", grey.interlaced), ("palette PNG", PNGFile.palette.bytes),
            ("WebP", webp(gradient, isLossless: false)), ("WebP with alpha", webp(noise, isLossless: false)),
            ("lossless WebP", webp(noise, isLossless: true)),
        ]
    }

    private static func jpeg(_ bitmap: Bitmap, _ subsampling: TJSAMP) -> [UInt8] {
        jpeg(bitmap, as: TJPF_RGBA, subsampling)
    }
}
