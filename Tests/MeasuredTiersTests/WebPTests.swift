import Testing

@testable import MeasuredTiers

@Suite("WebP")
struct WebPTests {
    @Test(
        "Lossless images are decoded to the same pixels, with their alpha",
        arguments: [(1, 1), (5, 3), (70, 33)])
    func lossless(size: (width: Int, height: Int)) throws {
        // libwebp's encoder does not keep the colours of transparent pixels.
        let bitmap = try Bitmap.noise(size.width, size.height, seed: 9)
        let seen = try Bitmap(size.width, size.height) { x, y in
            let pixel = bitmap.array[y * size.width + x]
            return pixel.w == 0 ? Pixel(1, 2, 3, 4) : pixel
        }
        let encoded = Samples.webp(seen, isLossless: true)
        #expect(format(encoded) == .webp)
        #expect(try decode(encoded).isEqual(to: seen))
    }

    @Test("Lossy images are near their originals, and their alpha is kept")
    func lossy() throws {
        let opaque = try Bitmap.gradient()
        let decoded = try decode(Samples.webp(opaque, isLossless: false))
        #expect(decoded.width == 48 && decoded.height == 40)
        #expect(decoded.difference(from: opaque) <= 12)
        #expect(decoded.array.allSatisfy { $0.w == 255 })

        let half = try Bitmap(32, 32) { x, _ in Pixel(100, 150, 200, x < 16 ? 255 : 100) }
        #expect(try decode(Samples.webp(half, isLossless: false)).array.map(\.w) == half.array.map(\.w))
    }

    @Test("An animation is an error")
    func animated() throws {
        let still = Samples.webp(try .noise(8, 6, seed: 2), isLossless: true)
        let error = #expect(throws: ImageError.self) { try decode(Samples.animatedWebP(still, width: 8, height: 6)) }
        #expect(error?.kind == .unsupported && error?.description == "Animated WebP images are not decoded.")
    }
}
