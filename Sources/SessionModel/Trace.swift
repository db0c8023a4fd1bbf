import Basics

// The headers of objects have this type, so readers of traces need it too.
@_exported import struct HTTPCaching.HTTPField

/// A recorded session: a header, the objects that its keys name, and its events in order of time.
///
/// Readers and recorders build a trace with ``TraceBuilder``.
public struct Trace: Sendable, Equatable {
    public var header: TraceHeader
    /// Indexed by ``ObjectID``.
    public var objects: [TraceObject]
    /// Sorted by time. Events with equal times stand in the order in which they happened.
    public var events: [TraceEvent]

    public init(header: TraceHeader = TraceHeader(), objects: [TraceObject] = [], events: [TraceEvent] = []) {
        self.header = header
        self.objects = objects
        self.events = events
    }

    /// Microseconds from the first event to the last.
    public var duration: Int64 {
        guard let first = events.first, let last = events.last else { return 0 }
        return last.time - first.time
    }
}

/// The facts that concern a whole trace.
public struct TraceHeader: Sendable, Equatable {
    /// A short title. Charts use it.
    public var title: String?
    /// The program that recorded or made the trace.
    public var recorder: String?
    /// The date at which the recording began, RFC 3339; nil if unknown.
    public var started: String?
    /// Whether a model made the trace.
    public var synthetic: Bool
    /// Whether a program operated the app, and not a person.
    public var scripted: Bool
    /// The microseconds by which times from different clocks may differ, such as the clocks of a page and of its
    /// server; nil if one clock gave all times.
    public var clockError: Int64?
    /// The person of the session, by a pseudonym; nil if unknown. Sessions with the same text are one person's.
    public var user: String?

    public init(
        title: String? = nil, recorder: String? = nil, started: String? = nil, synthetic: Bool = false,
        scripted: Bool = false, clockError: Int64? = nil
    ) {
        self.title = title
        self.recorder = recorder
        self.started = started
        self.synthetic = synthetic
        self.scripted = scripted
        self.clockError = clockError
    }
}

/// An object that a key names, with its recorded facts.
public struct TraceObject: Sendable, Equatable {
    /// Usually the URL. Any text, of any length and with any characters.
    public var key: String
    /// Encoded bytes of the body; nil if not recorded.
    public var bytes: Int?
    public var contentType: String?
    public var pixelWidth: Int?
    public var pixelHeight: Int?
    /// The different frames of an animated image, from 1 to 65,535; nil if not recorded.
    public var frames: Int?
    /// Response headers that affect caching (`cache-control`, `etag`, `expires`, `last-modified`, `age`, `vary`), with
    /// names in lower case.
    public var headers: [HTTPField]

    public init(
        key: String, bytes: Int? = nil, contentType: String? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil,
        headers: [HTTPField] = []
    ) {
        self.key = key
        self.bytes = bytes
        self.contentType = contentType
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
        self.headers = headers
    }
}

extension Trace {
    /// Returns the first `count` events, with the objects that they name.
    public func prefix(_ count: Int) -> Trace {
        var head = Trace(header: header, events: Array(events.prefix(count)))
        let last = head.events.lazy.compactMap(\.action.object).max() ?? -1
        head.objects = Array(objects.prefix(Int(last) + 1))
        return head
    }

    /// Returns the events as a table of text: seconds, kind, variant, bytes and key.
    public func table() -> String {
        TextGrid.lines([["seconds", "event", "variant", "bytes", "key"]] + events.map(row)).joined(separator: "\n")
    }

    private func row(_ event: TraceEvent) -> [String] {
        let seconds = "\(event.time / 1_000_000).\(String(String(1_000_000 + event.time % 1_000_000).dropFirst()))"
        let object = event.action.object.map { objects[Int($0)] }
        let key = object.map { Self.shortened($0.key) } ?? ""
        let bytes = object?.bytes.map(String.init) ?? ""
        switch event.action {
        case .appear(_, let variant), .disappear(_, let variant), .prefetch(_, let variant):
            let size = event.viewSize.map { "  (view of \($0.width) × \($0.height) pixels)" } ?? ""
            return [seconds, event.action.name, variant.description, bytes, key + size]
        case .fetch(_, let fetch):
            let parts = [
                fetch.queued.map { "queued \($0) µs" }, fetch.connect.map { "connect \($0) µs" },
                fetch.timeToFirstByte.map { "first byte \($0) µs" }, fetch.transferTime.map { "transfer \($0) µs" },
                fetch.networkProtocol?.rawValue,
            ]
            let timing = (["status \(fetch.status)"] + parts.compactMap(\.self)).joined(separator: ", ")
            return [seconds, event.action.name, "", fetch.bytes.map(String.init) ?? "", "\(key)  (\(timing))"]
        case .scroll(let phase, let offset, let velocity):
            return [seconds, event.action.name, "", "", "\(phase.rawValue), offset \(offset), velocity \(velocity)"]
        case .remove: return [seconds, event.action.name, "", bytes, key]
        case .list(_, let variant, let position, let row):
            let place = "\(key)  (position \(position), row \(row))"
            return [seconds, event.action.name, variant.description, bytes, place]
        case .served(_, let variant, let source):
            return [seconds, event.action.name, variant.description, bytes, "\(key)  (from \(source))"]
        case .cost(_, let variant, let cost):
            return [seconds, event.action.name, variant.description, bytes, "\(key)  (\(cost) bytes in memory)"]
        case .memoryWarning, .background, .foreground, .terminate:
            return [seconds, event.action.name]
        }
    }

    /// Returns the first 100 characters of a key.
    private static func shortened(_ key: String) -> String {
        let text = String(String.UnicodeScalarView(key.unicodeScalars.prefix(100)))
        return key.unicodeScalars.count > 100 ? text + "…" : text
    }
}

extension Trace {
    /// The size of a bitmap of unknown pixel size, as a multiple of the encoded bytes: a photograph has 4 bytes a pixel
    /// decoded, and a third of a byte encoded as JPEG of quality 0.75 to 0.8.
    public static let assumedBitmapFactor = 12

    /// Whether the trace is one of images: an object has a pixel size, an image type, or an image's URL. Other traces,
    /// such as traces of block storage, have no bitmaps.
    public var recordsImages: Bool {
        objects.contains { object in
            object.pixelWidth != nil || object.contentType.map(Self.isImageType) == true
                || Self.hasImageEnding(object.key)
        }
    }

    /// Whether a key, without query and fragment, ends as the URL of an image.
    package static func hasImageEnding(_ key: String) -> Bool {
        imageEndings.contains { key.prefix { $0 != "?" && $0 != "#" }.hasSuffix($0) }
    }

    private static let imageEndings = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic"]

    private static func isImageType(_ type: String) -> Bool { type.lowercased().hasPrefix("image/") }

    /// Returns the size of each object's bitmap, with 4 bytes for each pixel. Without a pixel size, it is
    /// ``assumedBitmapFactor`` times the encoded size. Objects of another type, and all objects of a trace without
    /// images, have their encoded size.
    ///
    /// - Parameter encoded: The encoded sizes, indexed by ``ObjectID``.
    public func bitmapSizes(_ encoded: [Int]) -> (bytes: [Int], assumedCount: Int) {
        guard recordsImages else { return (encoded, 0) }
        let isOnlyListed = onlyListedObjects()
        var assumedCount = 0
        let bytes = zip(objects, encoded).enumerated().map { index, pair in
            let (object, bytes) = pair
            if let width = object.pixelWidth, let height = object.pixelHeight,
                let pixels = Self.product(width, height)
            {
                return 4 * pixels
            }
            if let type = object.contentType, !Self.isImageType(type) { return bytes }
            if isOnlyListed.isEmpty || !isOnlyListed[index] { assumedCount += 1 }
            let (product, overflows) = bytes.multipliedReportingOverflow(by: Self.assumedBitmapFactor)
            return overflows ? bytes : product
        }
        return (bytes, assumedCount)
    }

    /// Returns the number of pixels; nil if an image cannot have it.
    private static func product(_ width: Int, _ height: Int) -> Int? {
        guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20 else { return nil }
        return width * height
    }
}

/// The formats of images that CacheReplay decodes. They are recognized by their first bytes, because names and content
/// types can be wrong.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg = "JPEG"
    case png = "PNG"
    case webp = "WebP"

    /// The number of bytes that identify a format.
    public static let headSize = 12

    /// Recognizes a format by its first bytes. Returns nil for other formats, and if `head` is too short.
    public init?(_ head: UnsafeRawBufferPointer) {
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}

extension Trace {
    /// Returns whether each object is named by `list` events alone; an empty array if there is no such object.
    ///
    /// The user never saw these objects. They are not part of the working set, so that a recorded list changes no
    /// figure of a replay.
    package func onlyListedObjects() -> [Bool] {
        guard recordsLists else { return [] }
        var isListed = [Bool](repeating: false, count: objects.count)
        var isNamed = isListed
        for action in events.lazy.map(\.action) {
            guard let object = action.object.map(Int.init), isNamed.indices.contains(object) else { continue }
            if case .list = action { isListed[object] = true } else { isNamed[object] = true }
        }
        let result = zip(isListed, isNamed).map { $0 && !$1 }
        return result.contains(true) ? result : []
    }

    /// Returns the bytes of every object, also of those without a recorded size.
    ///
    /// An object without a size has the size of its first successful fetch with a body. An object that was only
    /// answered with 204 or 205 has size 0. An object without such fetches has the median size of the others. Replay,
    /// simulation and the loopback origin use these sizes.
    public func resolvedSizes() -> ResolvedSizes {
        let sizes = knownSizes()
        let isOnlyListed = onlyListedObjects()
        let counted = isOnlyListed.isEmpty ? sizes : zip(sizes, isOnlyListed).filter { !$1 }.map(\.0)
        let known = counted.compactMap { $0 }.sorted()
        let median = known.isEmpty ? 1 : known[known.count / 2]
        return ResolvedSizes(
            bytes: sizes.map { $0 ?? median }, assumed: median, assumedCount: counted.count - known.count)
    }

    /// Returns the bytes of every object, as far as the objects or their fetches tell.
    package func knownSizes() -> [Int?] {
        var sizes = objects.map(\.bytes)
        if sizes.contains(nil) {
            for case .fetch(let object, let fetch) in events.lazy.map(\.action) where sizes[Int(object)] == nil {
                if let bytes = fetch.bytes, bytes > 0, fetch.succeeded { sizes[Int(object)] = bytes }
            }
            // A 204 or 205 has no body (RFC 9110, sections 15.3.5 and 15.3.6), so there is nothing to assume.
            for case .fetch(let object, let fetch) in events.lazy.map(\.action) where sizes[Int(object)] == nil {
                if fetch.status == 204 || fetch.status == 205 { sizes[Int(object)] = 0 }
            }
        }
        return sizes
    }
}

/// The sizes of all objects of a trace, with assumed values for unknown ones.
public struct ResolvedSizes: Sendable, Equatable {
    /// Indexed by ``ObjectID``.
    public var bytes: [Int]
    /// The bytes that objects of unknown size are assumed to have.
    public var assumed: Int
    /// The number of objects with the assumed size.
    public var assumedCount: Int
}

extension Trace {
    /// Changes the variant of every event of the objects that `isThumbnail` selects to `thumbnail`.
    ///
    /// For recordings of URLs in which the URLs of thumbnails share a word:
    /// `trace.markThumbnails { $0.key.contains("/thumb/") }`.
    ///
    /// - Returns: The number of objects that were selected.
    @discardableResult
    public mutating func markThumbnails(where isThumbnail: (TraceObject) -> Bool) -> Int {
        let selected = objects.map(isThumbnail)
        for index in events.indices {
            guard let object = events[index].action.object, selected.indices.contains(Int(object)),
                selected[Int(object)]
            else { continue }
            switch events[index].action {
            case .appear: events[index].action = .appear(object, .thumbnail)
            case .disappear: events[index].action = .disappear(object, .thumbnail)
            case .prefetch: events[index].action = .prefetch(object, .thumbnail)
            case .list(_, _, let position, let row):
                events[index].action = .list(object, .thumbnail, position: position, row: row)
            case .served(_, _, let source): events[index].action = .served(object, .thumbnail, source)
            case .cost(_, _, let bytes): events[index].action = .cost(object, .thumbnail, bytes: bytes)
            case .fetch, .scroll, .memoryWarning, .background, .foreground, .terminate, .remove: break
            }
        }
        return selected.count { $0 }
    }
}

extension Trace {
    /// Whether cells appear and none ever disappears, as in recordings of requests: a HAR of one page, an access log,
    /// or the recording of a proxy. A replay then regards each cell as visible until the end of the trace.
    public var cellsStay: Bool {
        var appears = false
        for event in events {
            switch event.action {
            case .appear: appears = true
            case .disappear: return false
            default: break
            }
        }
        return appears
    }
}
