#if MeasuredReplays
import CacheTiers
import ImageCodecs
import SessionModel

/// Images that a measured replay decodes in place of bodies that were not kept: one for each object that is an image,
/// of its format and pixel size, and of nearly its encoded size.
///
/// Objects of one format and pixel size, and of similar encoded size, share an image. All are made before the replay
/// begins, so that making them is neither measured nor counted as the cache's memory.
struct StandInImages: Sendable {
    /// By object; nil if the object needs none, or if none can be made.
    private let images: [Payload?]

    subscript(_ object: Int) -> Payload? { images[object] }

    /// The most work on images of one trace, in pixels of JPEG: a few seconds. The objects beyond have no image.
    static let mostWork = 600_000_000

    /// - Parameters:
    ///   - needed: By object: whether the replay may decode it and its body was not kept.
    ///   - mostWork: See ``mostWork``.
    init(_ trace: Trace, _ sizes: ImageSizes, needed: [Bool], mostWork: Int = Self.mostWork) {
        var maker = GeneratedImage()
        var work = 0
        /// The images that have been encoded; those of small sizes, whose level is found with images of that size,
        /// without a level.
        var known: Set<Likeness> = []
        func pays(for likeness: Likeness, times: Int) -> Bool {
            if known.contains(likeness) { return true }
            guard work + times * likeness.size.work <= mostWork else { return false }
            work += times * likeness.size.work
            known.insert(likeness)
            return true
        }
        images = trace.objects.indices.map { object in
            guard needed[object], sizes.isImage(object) else { return nil }
            let size = Size(trace.objects[object], pixels: sizes.decoded[object] / 4, sizes.format(object))
            let isSmall = size.width * size.height <= GeneratedImage.samplePixels
            guard size.width > 0, size.height > 0,
                !isSmall || pays(for: Likeness(size: size, level: nil), times: GeneratedImage.levels.count),
                let level = try? maker.likeness(
                    size.format, width: size.width, height: size.height, bytes: sizes.encoded[object]),
                isSmall || pays(for: Likeness(size: size, level: level), times: 1)
            else { return nil }
            return try? maker.encoded(size.format, width: size.width, height: size.height, level: level)
        }
    }

    private struct Likeness: Hashable {
        var size: Size
        var level: Int?
    }

    private struct Size: Hashable {
        var format: ImageFormat
        var width: Int
        var height: Int

        /// An object without a recorded pixel size gets a square of about the assumed number of pixels. Its side is
        /// rounded, so that such objects share images.
        init(_ object: TraceObject, pixels: Int, _ format: ImageFormat) {
            self.format = format
            if let width = object.pixelWidth, let height = object.pixelHeight, (1...1 << 20).contains(width),
                (1...1 << 20).contains(height)
            {
                (self.width, self.height) = (width, height)
            } else {
                var side = max(1, Int(Double(pixels).squareRoot().rounded()))
                let step = max(1, side / 8)
                side = max(1, side / step * step)
                (width, height) = (side, side)
            }
        }

        /// Encoders of PNG and WebP take about five and eight times as long as that of JPEG.
        var work: Int {
            switch format {
            case .jpeg: width * height
            case .png: width * height * 5
            case .webp: width * height * 8
            }
        }
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
#endif
