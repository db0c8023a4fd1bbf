import Basics
import CacheTraces
import SessionModel
import Testing

@testable import MeasuredTiers

@Suite("Images: formats, damage, limits")
struct DamageTests {
    @Test("Formats are recognized by their first bytes alone")
    func formats() throws {
        for (name, bytes) in try Samples.all() {
            let expected: ImageFormat = name.contains("JPEG") ? .jpeg : name.contains("PNG") ? .png : .webp
            #expect(format(Array(bytes.prefix(ImageFormat.headSize))) == expected, "\(name)")
            #expect(throws: Never.self, "\(name)") { try decode(bytes) }
        }
        #expect(format([0xFF, 0xD8]) == nil && format([]) == nil)
        #expect(format(Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVE".utf8)) == nil)
        #expect(format(Array("RIFF1234WEB".utf8)) == nil)
    }

    @Test("Bytes that are not an image are an error with the first bytes")
    func unknown() {
        let error = #expect(throws: ImageError.self) { try decode(Array("GIF89a".utf8) + [0, 15]) }
        #expect(error?.kind == .unknownFormat)
        #expect(error?.description == "Neither a JPEG, a PNG nor a WebP image: it begins with 47 49 46 38 39 61 00 0F.")
        let empty = #expect(throws: ImageError.self) { try decode([]) }
        #expect(empty?.description == "There are no bytes where a JPEG, PNG or WebP image was expected.")
    }

    @Test("A truncated image is an error, unless all of its pixels are present")
    func truncated() throws {
        for (name, bytes) in try Samples.all() {
            let whole = try decode(bytes)
            for count in 0..<bytes.count {
                do {
                    let bitmap = try decode(Array(bytes.prefix(count)))
                    #expect(bitmap.isEqual(to: whole), "\(name) after \(count) of \(bytes.count) bytes")
                    #expect(
                        !name.contains("JPEG"),
                        "\(name) after \(count) of \(bytes.count) bytes: its end is always looked for")
                } catch {
                    #expect(
                        error.kind
                            == (count < ImageFormat.headSize && format(Array(bytes.prefix(count))) == nil
                                ? .unknownFormat : .breaksOff),
                        "\(name) after \(count) of \(bytes.count) bytes: \(error)")
                }
            }
        }
    }

    /// The codecs share no state: an error that left any behind would change the image that is decoded after it.
    @Test("Thousands of damaged images give a complete bitmap or an error")
    func mutated() throws {
        var generator = SplitMix64(seed: 11)
        var refused = 0
        for (name, bytes) in try Samples.all() {
            let whole = try decode(bytes)
            for _ in 0..<1_500 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...6, using: &generator) { damage(&damaged, &generator) }
                do {
                    let bitmap = try decode(damaged)
                    #expect(bitmap.pixels.count == 4 * bitmap.width * bitmap.height)
                } catch {
                    refused += 1
                    #expect(error.description.count > 20 && error.description.hasSuffix("."), "\(name): \(error)")
                }
            }
            #expect(try decode(bytes).isEqual(to: whole), "\(name)")
        }
        #expect(refused > 5_000)
    }

    private func damage(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        // Half of the changes are in the headers, which have much code and few bytes.
        let place = Int.random(
            in: 0..<(Bool.random(using: &generator) ? min(bytes.count, 64) : bytes.count), using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes[place] = Bool.random(using: &generator) ? 0 : 255
        case 3: bytes.remove(at: place)
        case 4: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        default: bytes.removeLast(Int.random(in: 0..<min(bytes.count, 40), using: &generator))
        }
    }

    @Test("Noise after the first bytes of each format is an error")
    func noise() throws {
        var generator = SplitMix64(seed: 12)
        let heads: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF, 0xE0], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            Array("RIFF".utf8) + [0, 1, 0, 0] + Array("WEBP".utf8),
        ]
        for head in heads {
            for count in 0..<500 {
                #expect(throws: ImageError.self) {
                    try decode(head + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
                }
            }
        }
    }

    @Test("The error for a damaged image names the format and the codec's reason")
    func words() throws {
        let png = try ImageCodec.encodePNG(.gradient()).array
        var damaged = png
        damaged[png.count / 2] ^= 255
        let error = #expect(throws: ImageError.self) { try decode(damaged) }
        #expect(error?.kind == .damaged && error?.description.hasPrefix("The PNG is damaged: ") == true)
        let short = #expect(throws: ImageError.self) { try decode(Array(png.prefix(100))) }
        #expect(short?.description.hasPrefix("The PNG breaks off after 100 bytes: ") == true)
        let jpeg = #expect(throws: ImageError.self) { try decode(Array(Samples.jpeg(.gradient()).dropLast(50))) }
        #expect(jpeg?.description.hasSuffix("Premature end of JPEG file.") == true)
    }

    @Test(
        "Headers beyond the limits are errors before memory is allocated",
        arguments: [
            (65_536, 1, true), (1, 65_536, true), (65_535, 65_535, true), (16_385, 16_384, true), (65_535, 1, false),
        ])
    func limits(width: Int, height: Int, isRefused: Bool) throws {
        let file = PNGFile(width: width, height: height, bitDepth: 8, colour: .grey) { _, _ in [0] }
        let error = #expect(throws: ImageError.self) { try decode(file.headerOnly) }
        #expect(error?.kind == (isRefused ? .tooLarge : .breaksOff), "\(String(describing: error))")
        #expect(!isRefused || error?.description.hasPrefix("\(width) x \(height) pixels") == true)
    }

    @Test("JPEG headers beyond the limits are errors too", arguments: [(30_000, 30_000), (65_535, 65_535)])
    func jpegLimits(width: Int, height: Int) throws {
        var bytes = Samples.jpeg(try .gradient())
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes.replaceSubrange(
            frame + 5..<frame + 9,
            with: [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)])
        let error = #expect(throws: ImageError.self) { try decode(bytes) }
        #expect(error?.kind == .tooLarge, "\(String(describing: error))")
    }

    @Test("A bitmap has four bytes per pixel, and at least one pixel")
    func bitmaps() throws {
        let pixels = try Bitmap.gradient(6, 4).pixels
        #expect(throws: Never.self) { try Bitmap(width: 4, height: 6, pixels: pixels) }
        for (width, height) in [(6, 5), (5, 4), (0, 24), (24, 0), (-6, -4), (Int.max, 2), (Int.min, Int.min)] {
            #expect(throws: ImageError.self, "\(width) x \(height)") {
                try Bitmap(width: width, height: height, pixels: pixels)
            }
        }
        #expect(try Bitmap.byteCount(width: 16_384, height: 16_384) == Bitmap.largestByteCount)
    }

    @Test("A bitmap that is too large for a JPEG is an error")
    func tooLargeToEncode() throws {
        let bitmap = try Bitmap(65_535, 1) { _, _ in Pixel(1, 2, 3, 255) }
        let error = #expect(throws: ImageError.self) { try ImageCodec.encodeJPEG(bitmap, quality: 100) }
        #expect(
            error?.kind == .failed
                && error?.description.hasPrefix("65535 x 1 pixels cannot be encoded as JPEG: ") == true)
        #expect(try decode(ImageCodec.encodePNG(bitmap).array).isEqual(to: bitmap))
    }
}
