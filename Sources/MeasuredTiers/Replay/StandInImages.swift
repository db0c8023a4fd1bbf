import Basics
import CacheTiers
import Foundation
import ReplayEngine
import SessionModel

/// Images that a measured replay decodes in place of bodies that were not kept: one for each object that is an image,
/// of its format and pixel size, and of nearly its encoded size.
///
/// Objects of one format and pixel size, whose encoded sizes differ by less than a fifth, share an image. All are made
/// before the replay begins, so that making them is neither measured nor counted as the cache's memory.
struct StandInImages: Sendable {
    private var images: [Payload] = []
    /// By object: the place of its image in `images`; nil if the object needs none, or if none can be made.
    private var places: [Int?]

    subscript(_ object: Int) -> Payload? { places[object].map { images[$0] } }

    /// The most pixels that are encoded for one trace, as many as take a few seconds in JPEG. The objects beyond have
    /// no image.
    static let mostWork = 600_000_000

    /// Makes the images.
    ///
    /// - Parameters:
    ///   - needed: By object: whether the replay may decode it and its body was not kept.
    ///   - mostWork: See ``mostWork``.
    init(_ trace: Trace, _ sizes: ImageSizes, needed: [Bool], mostWork: Int = Self.mostWork) {
        let painter = Painter()
        var scales: [ImageFormat: DetailScale] = [:]
        var made: [Likeness: Int?] = [:]
        var work = 0
        places = []
        for object in trace.objects.indices {
            guard needed[object], sizes.isImage(object),
                let likeness = Likeness(
                    trace.objects[object], pixels: sizes.frame[object] / 4, bytes: sizes.encoded[object],
                    sizes.format(object))
            else {
                places.append(nil)
                continue
            }
            if let known = made[likeness] {
                places.append(known)
                continue
            }
            var image: Payload?
            if work + likeness.work <= mostWork {
                work += likeness.work
                let scale = scales[likeness.format] ?? (try? DetailScale(likeness.format, painter))
                scales[likeness.format] = scale
                image = scale.flatMap { try? painter.encoded(likeness, detail: $0.detail(likeness.bytesPerPixel)) }
            }
            let place = image == nil ? nil : images.count
            if let image { images.append(image) }
            made[likeness] = place
            places.append(place)
        }
    }

    /// The properties that images with one stand-in have in common.
    private struct Likeness: Hashable {
        var format: ImageFormat
        var width: Int
        var height: Int
        /// The logarithm to base 2 of the bytes per pixel, in quarters.
        private var quarters: Int

        /// An object without a recorded pixel size gets a square of about the assumed number of pixels. Its side is
        /// rounded to an eighth, so that such objects share images. nil if the object has no pixels or no bytes.
        init?(_ object: TraceObject, pixels: Int, bytes: Int, _ format: ImageFormat) {
            self.format = format
            if let width = object.pixelWidth, let height = object.pixelHeight {
                guard (1...Bitmap.largestSide).contains(width), (1...Bitmap.largestSide).contains(height) else {
                    return nil
                }
                (self.width, self.height) = (width, height)
            } else {
                let side = max(1, Int(Double(pixels).squareRoot().rounded()))
                let step = max(1, side / 8)
                (width, height) = (side / step * step, side / step * step)
            }
            guard bytes > 0 else { return nil }
            quarters = Int((4 * log2(Double(bytes) / Double(width * height))).rounded())
        }

        init(_ format: ImageFormat, side: Int) { (self.format, width, height, quarters) = (format, side, side, 0) }

        var bytesPerPixel: Double { exp2(Double(quarters) / 4) }

        /// Encoders of PNG and WebP take about five and eight times as long as the encoder of JPEG.
        var work: Int {
            switch format {
            case .jpeg: width * height
            case .png: width * height * 5
            case .webp: width * height * 8
            }
        }
    }

    /// The bytes per pixel of images of a format without detail, and full of it.
    private struct DetailScale {
        private let smooth: Double
        private let detailed: Double

        init(_ format: ImageFormat, _ painter: Painter) throws {
            let sample = Likeness(format, side: 256)
            func bytesPerPixel(_ detail: Double) throws -> Double {
                Double(try painter.encoded(sample, detail: detail).count) / Double(sample.width * sample.height)
            }
            (smooth, detailed) = (try bytesPerPixel(0), try bytesPerPixel(1))
        }

        /// The part of an image that has detail, from 0 to 1.
        func detail(_ bytesPerPixel: Double) -> Double {
            min(max((bytesPerPixel - smooth) / (detailed - smooth), 0), 1)
        }
    }

    /// Draws images of noise beside a smooth ground, as in a photograph of leaves before a sky. Rows are copied from
    /// patterns, so that drawing takes little of the time of encoding.
    private struct Painter {
        /// Pixels of random colours between 64 and 191.
        private let noise: [UInt32]
        /// Rows of ``rowLength`` pixels.
        private let ground: [UInt32]

        private static let rowLength = 4_096
        private static let groundRows = 64

        init() {
            var random = SplitMix64(seed: 1)
            noise = (0..<262_139).map { _ in
                0xFF00_0000 | UInt32(truncatingIfNeeded: random.next()) & 0x007F_7F7F + 0x0040_4040
            }
            ground = (0..<Self.groundRows * Self.rowLength).map { place in
                let (y, x) = (place / Self.rowLength, place % Self.rowLength)
                // A triangle wave of 512 pixels, brighter from row to row.
                let wave = UInt32(min(x % 512, 511 - x % 512)) / 4
                let light = 64 + wave + UInt32(y)
                return 0xFF00_0000 | light << 16 | (light - UInt32(y) / 2) << 8 | (light - wave / 2)
            }
        }

        /// Returns an image, encoded with the quality that servers commonly use (80).
        func encoded(_ likeness: Likeness, detail: Double) throws -> Payload {
            let (width, height) = (likeness.width, likeness.height)
            let count = try Bitmap.byteCount(width: width, height: height)
            let detailed = min(width, Int((Double(width) * detail).rounded()))
            let pixels = Payload(count: count) { buffer in
                let target = buffer.bindMemory(to: UInt32.self)
                noise.withUnsafeBufferPointer { noise in
                    ground.withUnsafeBufferPointer { ground in
                        var drawn = 0
                        for y in 0..<height {
                            if drawn + detailed > noise.count { drawn = 0 }
                            Self.copy(noise, drawn, to: target, y * width, detailed)
                            drawn += detailed
                            // Back and forth, so that rows do not jump.
                            let phase = y % (2 * Self.groundRows)
                            let row = min(phase, 2 * Self.groundRows - 1 - phase) * Self.rowLength
                            var x = detailed
                            while x < width {
                                let part = min(width - x, Self.rowLength - x % Self.rowLength)
                                Self.copy(ground, row + x % Self.rowLength, to: target, y * width + x, part)
                                x += part
                            }
                        }
                    }
                }
            }
            let bitmap = try Bitmap(width: width, height: height, pixels: pixels)
            switch likeness.format {
            case .jpeg: return try ImageCodec.encodeJPEG(bitmap, quality: 80)
            case .png: return try ImageCodec.encodePNG(bitmap)
            case .webp: return try ImageCodec.encodeWebP(bitmap, quality: 80)
            }
        }

        /// Copies `count` pixels, which both buffers have from these places on.
        private static func copy(
            _ source: UnsafeBufferPointer<UInt32>, _ from: Int, to target: UnsafeMutableBufferPointer<UInt32>,
            _ place: Int, _ count: Int
        ) {
            _ = UnsafeMutableBufferPointer(rebasing: target[place..<place + count])
                .update(fromContentsOf: source[from..<from + count])
        }
    }
}

extension StandInImages {
    /// Reads the images that another run of the same trace has made, or makes them, and stores them for the next one.
    ///
    /// - Parameter file: The file in which the runs of one trace share the images; nil for none.
    static func shared(
        _ file: String?, _ trace: Trace, _ sizes: ImageSizes, needed: [Bool]
    ) -> StandInImages {
        let url = file.map { URL(fileURLWithPath: $0) }
        if let url, let data = try? Data(contentsOf: url),
            let stored = try? PropertyListDecoder().decode(Stored.self, from: data),
            let images = StandInImages(stored, objects: trace.objects.count)
        {
            return images
        }
        let images = StandInImages(trace, sizes, needed: needed)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // Without the file, the next run makes them again.
        if let url { try? encoder.encode(Stored(images)).write(to: url, options: .atomic) }
        return images
    }

    private struct Stored: Codable {
        var images: [Data]
        /// -1 for objects without an image.
        var places: [Int]

        init(_ made: StandInImages) {
            images = made.images.map { Data($0.bytes) }
            places = made.places.map { $0 ?? -1 }
        }
    }

    private init?(_ stored: Stored, objects: Int) {
        guard stored.places.count == objects, stored.places.allSatisfy({ $0 < stored.images.count }) else { return nil }
        images = stored.images.map { data in data.withUnsafeBytes { Payload(copying: $0) } }
        places = stored.places.map { $0 < 0 ? nil : $0 }
    }
}

extension Bitmap {
    /// Writes the bits of a number into the first pixels, white and black, so that objects which share an image have
    /// files of their own. Nothing else may refer to the bitmap yet.
    func mark(_ number: Int) {
        // The bitmap has whole pixels, and its buffer was allocated with an alignment of 16.
        let target = UnsafeMutableRawBufferPointer(mutating: pixels.bytes).bindMemory(to: UInt32.self)
        for bit in 0..<min(32, target.count) { target[bit] = number >> bit & 1 == 0 ? 0xFF00_0000 : 0xFFFF_FFFF }
    }
}

extension Trace {
    /// Returns whether each object appears in a cell or is asked for ahead of need: others are never decoded.
    func shownObjects() -> [Bool] {
        var shown = [Bool](repeating: false, count: objects.count)
        for event in events {
            switch event.action {
            case .appear(let object, _), .prefetch(let object, _), .list(let object, _, _, _):
                shown[Int(object)] = true
            default: break
            }
        }
        return shown
    }
}
