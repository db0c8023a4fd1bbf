import DequeModule
import SessionModel

/// The images of a trace in the sizes of the views that show them, for caches whose memory knows sizes.
///
/// A **rendition** is an object in the size of a view, or in its own size. Renditions are numbered: the own size of
/// each object has the number of the object, and all other sizes follow, in order of their first events. Two views of
/// the same width and height share a rendition of an object.
package final class Renditions: Sendable {
    /// By rendition: the object.
    package let objects: [Int]
    /// By rendition: the view; nil for an object in its own size.
    package let views: [ViewSize?]
    /// By rendition: the bytes of the bitmap. See ``bitmapBytes(of:_:for:)``.
    package let bitmaps: [Int]
    /// By rendition: the pixels of the bitmap. They are 0 for an image in its own size if they were not recorded.
    private let pixels: [PixelSize]
    /// By event: the rendition of an appearance, of a prefetch, and of the cell that a disappearance ends; -1 for all
    /// other events, and for the disappearance of a cell that has not appeared.
    private let events: [Int32]
    /// By ``ImageKey/number`` of objects: the rendition that appears first, if it has the size of a view.
    private let firstShown: [Int: Int32]
    /// By object: its renditions in the sizes of views; nil without any.
    private let sized: [Int: [Int32]]

    /// Fails for a trace without sizes of views.
    ///
    /// - Parameter decoded: By object: the bytes of the bitmap in its own size.
    init?(_ trace: Trace, decoded: [Int]) {
        guard trace.events.contains(where: { $0.viewSize != nil }) else { return nil }
        var numbering = Numbering(trace, decoded: decoded)
        var numbers: [Int32] = []
        numbers.reserveCapacity(trace.events.count)
        for event in trace.events { numbers.append(numbering.take(event)) }
        events = numbers
        (objects, views, bitmaps) = (numbering.objects, numbering.views, numbering.bitmaps)
        pixels = numbering.pixels
        (firstShown, sized) = (numbering.firstShown, numbering.sized)
    }

    package var count: Int { objects.count }

    /// Returns the image of an appearance, a disappearance or a prefetch.
    func imageKey(_ object: ObjectID, _ variant: Variant, event: Int) -> ImageKey {
        let rendition = events[event]
        return ImageKey(
            object: Int(object), variant: variant.rawValue, rendition: rendition < 0 ? Int(object) : Int(rendition))
    }

    /// Returns the image that a planned prefetch asks for: in the size in which the session shows it first. A session
    /// that never shows the image in a view with a size leaves it its own size.
    func imageKeyAhead(_ object: ObjectID, _ variant: Variant) -> ImageKey {
        var key = ImageKey(object: Int(object), variant: variant.rawValue)
        if let first = firstShown[key.number] { key.rendition = first }
        return key
    }

    /// Returns an image in its own size and in the size of each of its views.
    func all(_ imageKey: ImageKey) -> [ImageKey] {
        let others = sized[imageKey.object] ?? []
        return [ImageKey(object: imageKey.object, variant: imageKey.variant)]
            + others.map { ImageKey(object: imageKey.object, variant: imageKey.variant, rendition: Int($0)) }
    }

    /// Returns the pixels by which a bitmap differs from a view in width or in height, whichever is less; the most
    /// without a view.
    func difference(_ held: Int, from rendition: Int) -> Int {
        guard let view = views[rendition] else { return .max }
        return min(abs(Int(view.width) - pixels[held].width), abs(Int(view.height) - pixels[held].height))
    }

    func imageKey(number: Int) -> ImageKey {
        let rendition = number / 2
        return ImageKey(object: objects[rendition], variant: UInt8(number % 2), rendition: rendition)
    }

    /// Returns, by rendition, the first one with the same key in memory.
    ///
    /// - Parameter names: By object: the first object with the same key, whatever the sizes of views are.
    func names(_ names: [Int], _ rule: SizeRule) -> [Int] {
        guard rule == .each else { return objects.map { names[$0] } }
        var first: [Int: [ViewSize: Int]] = [:]
        return objects.indices.map { rendition in
            let name = names[objects[rendition]]
            guard let view = views[rendition] else { return name }
            let known = first[name]?[view] ?? rendition
            first[name, default: [:]][view] = known
            return known
        }
    }

    /// Returns the bytes of the bitmap of a picture in a view, at 4 bytes for each pixel.
    ///
    /// A picture of *w* × *h* pixels is scaled down, with its ratio, until it just covers a view of *W* × *H* pixels.
    /// The scale is *s* = min(1, max(*W* / *w*, *H* / *h*)), and the bitmap has ⌈*s w*⌉ × ⌈*s h*⌉ pixels. So it is
    /// never larger than the picture. If the size of the picture is not known, the bitmap has *W* × *H* pixels, and at
    /// most the assumed bytes of the picture. What is not an image has no other size than its own.
    ///
    /// - Parameter decoded: The bytes of its bitmap in its own size.
    static func bitmapBytes(of object: TraceObject, _ decoded: Int, for view: ViewSize) -> Int {
        guard let own = object.pixels else {
            let isImage = object.contentType.map { $0.lowercased().hasPrefix("image/") } ?? true
            return isImage ? min(decoded, 4 * Int(view.width) * Int(view.height)) : decoded
        }
        let covers = bitmapPixels(of: own, for: view)
        return covers == own ? decoded : min(decoded, 4 * covers.width * covers.height)
    }

    /// Returns the pixels of the bitmap of a picture of known size in a view.
    fileprivate static func bitmapPixels(of own: PixelSize, for view: ViewSize) -> PixelSize {
        let (width, height) = (Int(view.width), Int(view.height))
        guard width < own.width, height < own.height else { return own }
        return width * own.height >= height * own.width
            ? PixelSize(width: width, height: (own.height * width + own.width - 1) / own.width)
            : PixelSize(width: (own.width * height + own.height - 1) / own.height, height: height)
    }
}

private struct PixelSize: Equatable {
    var width: Int
    var height: Int
}

extension TraceObject {
    /// The recorded pixels; nil without, and for numbers that no image has.
    fileprivate var pixels: PixelSize? {
        guard let width = pixelWidth, let height = pixelHeight, width > 0, height > 0, width <= 1 << 20,
            height <= 1 << 20
        else { return nil }
        return PixelSize(width: width, height: height)
    }
}

/// Numbers the renditions of a trace, event by event.
private struct Numbering {
    private let trace: Trace
    private let decoded: [Int]
    private(set) var objects: [Int]
    private(set) var views: [ViewSize?]
    private(set) var bitmaps: [Int]
    private(set) var pixels: [PixelSize]
    private(set) var firstShown: [Int: Int32] = [:]
    private(set) var sized: [Int: [Int32]] = [:]
    private var numbers: [Rendition: Int32] = [:]
    /// By ``ImageKey/number`` of objects: the renditions that cells show now, in order of appearance.
    private var open: [Int: Deque<Int32>] = [:]

    private struct Rendition: Hashable {
        var object: ObjectID
        var view: ViewSize
    }

    init(_ trace: Trace, decoded: [Int]) {
        self.trace = trace
        self.decoded = decoded
        objects = Array(trace.objects.indices)
        views = Array(repeating: nil, count: objects.count)
        bitmaps = decoded
        pixels = trace.objects.map { $0.pixels ?? PixelSize(width: 0, height: 0) }
    }

    /// Returns the rendition of an event; -1 if it has none.
    mutating func take(_ event: TraceEvent) -> Int32 {
        switch event.action {
        case .appear(let object, let variant):
            let number = number(of: object, event.viewSize)
            let key = ImageKey(object: Int(object), variant: variant.rawValue).number
            open[key, default: []].append(number)
            if event.viewSize != nil, firstShown[key] == nil { firstShown[key] = number }
            return number
        case .disappear(let object, let variant):
            // As in the replay, the cell goes that has shown the object for the longest time.
            return open[ImageKey(object: Int(object), variant: variant.rawValue).number]?.popFirst() ?? -1
        case .prefetch(let object, _): return number(of: object, event.viewSize)
        case .terminate:
            open = [:]
            return -1
        default: return -1
        }
    }

    private mutating func number(of object: ObjectID, _ view: ViewSize?) -> Int32 {
        guard let view else { return Int32(truncatingIfNeeded: object) }
        let rendition = Rendition(object: object, view: view)
        if let known = numbers[rendition] { return known }
        let (index, number) = (Int(object), Int32(truncatingIfNeeded: objects.count))
        numbers[rendition] = number
        objects.append(index)
        views.append(view)
        bitmaps.append(Renditions.bitmapBytes(of: trace.objects[index], decoded[index], for: view))
        pixels.append(
            trace.objects[index].pixels.map { Renditions.bitmapPixels(of: $0, for: view) }
                ?? PixelSize(width: Int(view.width), height: Int(view.height)))
        sized[index, default: []].append(number)
        return number
    }
}
