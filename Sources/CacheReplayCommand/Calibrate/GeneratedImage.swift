import Basics
import CacheTiers
import MeasuredTiers
import SessionModel

/// Images of any pixel size whose encoded size follows from a level of detail: smooth waves under noise that is strong
/// in some regions and weak in others, as in a photograph of sky and leaves.
struct GeneratedImage {
    static let levels = 0...15

    private let noise: [UInt8]
    /// The encoded images, so that the search for a size encodes nothing twice.
    private var encoded: [Key: Payload] = [:]

    private struct Key: Hashable {
        var format: ImageFormat
        var width: Int
        var height: Int
        var level: Int
    }

    init() {
        var random = SplitMix64(seed: 1)
        noise = (0..<Self.noiseCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Prime, so that the noise of one row does not repeat in the next.
    private static let noiseCount = 65_521

    /// Returns an image in the format, encoded with the quality that servers commonly use (80).
    mutating func encoded(_ format: ImageFormat, width: Int, height: Int, level: Int) throws -> Payload {
        let key = Key(format: format, width: width, height: height, level: level)
        if let known = encoded[key] { return known }
        let bitmap = try bitmap(width: width, height: height, level: level)
        let payload =
            switch format {
            case .jpeg: try ImageCodec.encodeJPEG(bitmap, quality: 80)
            case .png: try ImageCodec.encodePNG(bitmap)
            case .webp: try ImageCodec.encodeWebP(bitmap, quality: 80)
            }
        encoded[key] = payload
        return payload
    }

    /// Returns the image whose encoded size is nearest to `bytes`.
    mutating func encoded(_ format: ImageFormat, width: Int, height: Int, bytes: Int) throws -> Payload {
        var (low, high) = (Self.levels.lowerBound, Self.levels.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            let size = try encoded(format, width: width, height: height, level: middle).count
            if size > bytes { high = middle } else { low = middle }
        }
        let candidates = try [low, high].map { try encoded(format, width: width, height: height, level: $0) }
        return abs(candidates[0].count - bytes) <= abs(candidates[1].count - bytes) ? candidates[0] : candidates[1]
    }

    mutating func forget() { encoded = [:] }

    func bitmap(width: Int, height: Int, level: Int) throws -> Bitmap {
        // From 1 to 90 of 255.
        let strength = Int32((0..<level).reduce(1.0) { value, _ in value * 1.35 })
        let columns = (0..<width).map { Self.wave($0, period: 181) }
        let rows = (0..<height).map { Self.wave($0, period: 139) }
        let pixels = Payload(count: 4 * width * height) { buffer in
            noise.withUnsafeBufferPointer { noise in
                columns.withUnsafeBufferPointer { columns in
                    var place = 0
                    var drawn = 0
                    for y in 0..<height {
                        let row = rows[y]
                        for x in 0..<width {
                            let column = columns[x]
                            // From 0 where both waves are low, to 128 where both are high.
                            let local = strength * (column + row + 128) / 256
                            let value = 128 + column / 2 + row / 2 + (Int32(noise[drawn]) - 128) * local / 128
                            let level = UInt8(clamping: value)
                            buffer[place] = level
                            buffer[place + 1] = UInt8(clamping: value + column / 4)
                            buffer[place + 2] = UInt8(clamping: value - row / 4)
                            buffer[place + 3] = 255
                            place += 4
                            drawn += 1
                            if drawn == noise.count { drawn = 0 }
                        }
                    }
                }
            }
        }
        return try Bitmap(width: width, height: height, pixels: pixels)
    }

    /// Returns a triangle wave from -64 to 64.
    private static func wave(_ position: Int, period: Int) -> Int32 {
        let phase = position % period
        return Int32((phase < period / 2 ? phase : period - phase) * 256 / period - 64)
    }
}
