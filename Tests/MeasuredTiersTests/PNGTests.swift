import Testing

@testable import MeasuredTiers

@Suite("PNG")
struct PNGTests {
    @Test(
        "An encoded bitmap is decoded to the same pixels", arguments: [(1, 1), (3, 5), (64, 1), (1, 64), (101, 83)],
        [true, false])
    func roundTrip(size: (width: Int, height: Int), isOpaque: Bool) throws {
        let bitmap = try Bitmap.noise(size.width, size.height, seed: 3, isOpaque: isOpaque)
        let encoded = try ImageCodec.encodePNG(bitmap).array
        #expect(format(encoded) == .png)
        #expect(encoded[24] == 8, "bits a channel")
        #expect(encoded[25] == (isOpaque ? 2 : 6), "colour type: alpha is written where there is some")
        #expect(try decode(encoded).isEqual(to: bitmap))
    }

    @Test("If one pixel is not opaque, the alpha of all is kept")
    func oneTransparentPixel() throws {
        let bitmap = try Bitmap(7, 7) { x, y in Pixel(UInt8(x), UInt8(y), 9, x == 6 && y == 6 ? 254 : 255) }
        let encoded = try ImageCodec.encodePNG(bitmap).array
        #expect(encoded[25] == 6)
        #expect(try decode(encoded).isEqual(to: bitmap))
    }

    @Test("Palettes of 2 bits, with the alpha of their first colours")
    func palette() throws {
        let bitmap = try decode(PNGFile.palette.bytes)
        #expect(bitmap.width == 4 && bitmap.height == 1)
        #expect(
            bitmap.array == [
                Pixel(255, 0, 0, 128), Pixel(0, 255, 0, 0), Pixel(0, 0, 255, 255), Pixel(255, 255, 255, 255),
            ])
    }

    @Test("Black and white, one bit per pixel")
    func oneBit() throws {
        var file = PNGFile(width: 5, height: 2, bitDepth: 1, colour: .grey) { _, _ in [] }
        file.row = [0b10110_000]
        let row = [true, false, true, true, false].map { Pixel(repeating: $0 ? 255 : 0) | Pixel(0, 0, 0, 255) }
        #expect(try decode(file.bytes).array == row + row)
    }

    @Test("16 bits per channel become 8, as sRGB: linear, the middle would be 188")
    func sixteenBits() throws {
        let file = PNGFile(width: 3, height: 1, bitDepth: 16, colour: .colours) { x, _ in
            [[0, 0, 0x80, 0x80, 0xFF, 0xFF], [0xFF, 0xFF, 0, 0, 0x40, 0x40], [0x10, 0x10, 0x20, 0x20, 0xF0, 0xF0]][x]
        }
        #expect(
            try decode(file.bytes).array == [Pixel(0, 128, 255, 255), Pixel(255, 0, 64, 255), Pixel(16, 32, 240, 255)])
    }

    @Test(
        "Interlaced images have the same pixels as sequential ones",
        arguments: [(1, 1), (2, 2), (5, 5), (8, 8), (17, 9), (3, 20)])
    func interlaced(size: (width: Int, height: Int)) throws {
        func brightness(_ x: Int, _ y: Int) -> UInt8 { UInt8(x * 12 + y) }
        let file = PNGFile(width: size.width, height: size.height, bitDepth: 8, colour: .grey) { x, y in
            [brightness(x, y)]
        }
        let expected = try Bitmap(size.width, size.height) { x, y in
            let grey = brightness(x, y)
            return Pixel(grey, grey, grey, 255)
        }
        let bitmap = try decode(file.interlaced)
        #expect(bitmap.isEqual(to: expected))
        #expect(try decode(file.bytes).isEqual(to: bitmap))
    }
}
