import CacheTiers
import SessionModel
import Testing

@testable import MeasuredTiers

@Suite("Small pictures of images")
struct ThumbnailTests {
    private func bitmap(_ width: Int, _ height: Int, _ pixels: [[UInt8]]) throws -> Bitmap {
        let bytes: [UInt8] = pixels.flatMap { $0 }
        let payload: Payload = bytes.withUnsafeBytes { Payload(copying: $0) }
        return try Bitmap(width: width, height: height, pixels: payload)
    }

    @Test("Each pixel is the mean of those that it covers")
    func means() throws {
        // Two blocks of 2 x 2 pixels. The red of the left one is 0 + 10 + 20 + 32 = 62, so 15.5, which rounds to 16.
        let image = try bitmap(
            4, 2,
            [
                [0, 1, 2, 255], [10, 1, 2, 255], [100, 0, 0, 0], [100, 0, 0, 0],
                [20, 1, 2, 255], [32, 1, 2, 255], [200, 0, 0, 0], [200, 0, 0, 0],
            ])
        let small = try image.reduced(to: 2)
        #expect(small.width == 2 && small.height == 1)
        #expect(Array(small.pixels.bytes) == [16, 1, 2, 255, 150, 0, 0, 0])
    }

    @Test("An image that is small already stays as it is, and a thin one keeps a pixel of width")
    func sizes() throws {
        let dot = try bitmap(1, 1, [[9, 8, 7, 255]])
        #expect(Array(try dot.reduced(to: 64).pixels.bytes) == [9, 8, 7, 255])
        let thin = try bitmap(1, 300, Array(repeating: [50, 60, 70, 255], count: 300))
        let small = try thin.reduced(to: 64)
        #expect(small.width == 1 && small.height == 64)
        #expect(Array(small.pixels.bytes) == Array(repeating: [50, 60, 70, 255], count: 64).flatMap { $0 })
    }

    @Test("The picture of a PNG is a WebP of the small size, and what is no image has none")
    func pictures() throws {
        let image = try bitmap(128, 96, Array(repeating: [200, 30, 30, 255], count: 128 * 96))
        let png = try ImageCodec.encodePNG(image)
        let picture = try ImageCodec.thumbnail(of: png.bytes, side: 64)
        #expect(ImageFormat(picture.bytes) == .webp)
        let small = try ImageCodec.decode(picture.bytes)
        #expect(small.width == 64 && small.height == 48)
        // WebP is lossy: the colour is nearly that of the image.
        #expect(zip(small.pixels.bytes.prefix(3), [200, 30, 30] as [UInt8]).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
        let text: [UInt8] = Array("no image".utf8)
        #expect(throws: ImageError.self) { try text.withUnsafeBytes { _ = try ImageCodec.thumbnail(of: $0, side: 64) } }
    }
}
