import CTurboJPEG
import Testing

@testable import MeasuredTiers

@Suite("JPEG")
struct JPEGTests {
    @Test(
        """
        At quality 100 no channel of a smooth picture is off by more than 4 of 255, and on average by less than a \
        half; at 80 by more than 8
        """
    )
    func roundTrip() throws {
        let bitmap = try Bitmap.gradient(200, 120)
        let best = try ImageCodec.encodeJPEG(bitmap, quality: 100).array
        let good = try ImageCodec.encodeJPEG(bitmap, quality: 80).array
        #expect(format(best) == .jpeg && best.count > good.count)
        let decoded = try decode(best)
        #expect(decoded.width == 200 && decoded.height == 120)
        #expect(decoded.difference(from: bitmap) <= 4)
        #expect(decoded.meanDifference(from: bitmap) < 0.5)
        #expect(try decode(good).difference(from: bitmap) <= 8)
    }

    @Test(
        "Colours are kept for every pixel at 100, for each 2 x 2 below; the quality is limited to 1 to 100",
        arguments: [
            (100, 0x11), (101, 0x11), (1000, 0x11), (99, 0x22), (1, 0x22), (0, 0x22), (-5, 0x22),
        ])
    func subsampling(quality: Int, expected: Int) throws {
        let encoded = try ImageCodec.encodeJPEG(.gradient(), quality: quality).array
        // FF C0, two bytes of length, precision, height, width, number of components, the first component's number.
        let frame = try #require(encoded.indices.first { encoded[$0] == 0xFF && encoded[$0 + 1] == 0xC0 })
        #expect(Int(encoded[frame + 11]) == expected)
    }

    @Test("Alpha is dropped, and the colour is kept")
    func alpha() throws {
        let clear = try Bitmap(16, 16) { _, _ in Pixel(200, 100, 50, 0) }
        let opaque = try Bitmap(16, 16) { _, _ in Pixel(200, 100, 50, 255) }
        #expect(try decode(ImageCodec.encodeJPEG(clear, quality: 100).array).difference(from: opaque) <= 2)
    }

    @Test("A progressive JPEG has the pixels of the baseline JPEG of the same coefficients")
    func progressive() throws {
        let bitmap = try Bitmap.gradient()
        let progressive = Samples.jpeg(bitmap, flags: TJFLAG_PROGRESSIVE)
        #expect(
            progressive.indices.dropLast().contains { progressive[$0] == 0xFF && progressive[$0 + 1] == 0xC2 },
            "a progressive frame")
        #expect(try decode(progressive).isEqual(to: decode(Samples.jpeg(bitmap))))
    }

    @Test("A grey JPEG has three equal channels, and is opaque")
    func grey() throws {
        let pixels = try decode(Samples.jpeg(.gradient(), as: TJPF_RGBA, TJSAMP_GRAY)).array
        #expect(pixels.allSatisfy { $0.x == $0.y && $0.y == $0.z && $0.w == 255 })
        #expect(Set(pixels.map(\.x)).count > 50)
    }

    /// 255 is no ink: 255, 128, 0 of cyan, magenta, yellow under 128 of black is 255 * 128 / 255, 128 * 128 / 255, 0.
    @Test(
        "Four inks are converted to colours",
        arguments: [
            (Pixel(255, 255, 255, 255), Pixel(255, 255, 255, 255)), (Pixel(255, 128, 0, 255), Pixel(255, 128, 0, 255)),
            (Pixel(255, 128, 0, 128), Pixel(128, 64, 0, 255)), (Pixel(200, 200, 200, 0), Pixel(0, 0, 0, 255)),
        ])
    func inks(inks: Pixel, colour: Pixel) throws {
        let decoded = try decode(Samples.jpeg(Bitmap(16, 8) { _, _ in inks }, as: TJPF_CMYK, TJSAMP_444))
        #expect(decoded.width == 16 && decoded.height == 8)
        #expect(decoded.difference(from: try Bitmap(16, 8) { _, _ in colour }) <= 3)
    }

    /// 16 x 16 pixels of 4:2:0 are one unit: four blocks of brightness and one of each colour. Here it is declared as 8
    /// x 32: one block wide, four high.
    @Test("A subsampling that libjpeg-turbo has no name for is decoded")
    func rareSubsampling() throws {
        var bytes = Samples.jpeg(try Bitmap(16, 16) { _, _ in Pixel(180, 120, 60, 255) })
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        (bytes[frame + 6], bytes[frame + 8], bytes[frame + 11]) = (32, 8, 0x14)
        let decoded = try decode(bytes)
        #expect(decoded.width == 8 && decoded.height == 32)
        #expect(decoded.difference(from: try Bitmap(8, 32) { _, _ in Pixel(180, 120, 60, 255) }) <= 3)
    }

    @Test(
        "Deviations of cameras are not damage: bytes before the end, bytes after it, an unknown revision"
    )
    func harmless() throws {
        let bytes = Samples.jpeg(try .gradient())
        let expected = try decode(bytes)
        #expect(Array(bytes[6..<11]) == Array("JFIF".utf8) + [0] && bytes[11] == 1, "the revision's place")
        var revised = bytes
        revised[11] = 7
        for (what, variant) in [
            ("before the end", bytes.dropLast(2) + [1, 2, 3] + bytes.suffix(2)), ("after the end", bytes + [1, 2, 3]),
            ("revision", revised),
        ] {
            #expect((try? decode(variant))?.isEqual(to: expected) == true, "\(what)")
        }
        // libjpeg-turbo warns of the revision only; the missing end must be detected nevertheless.
        #expect(throws: (any Error).self) { try decode(revised.dropLast(2)) }
        #expect(throws: (any Error).self) { try decode(Array(revised.prefix(revised.count * 3 / 4))) }
    }
}
