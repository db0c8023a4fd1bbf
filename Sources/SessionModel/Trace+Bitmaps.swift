extension Trace {
    /// The size of a bitmap of unknown pixel size, as a multiple of the encoded bytes: a photograph has 4 bytes a pixel
    /// decoded, and a third of a byte encoded as JPEG of quality 0.75 to 0.8.
    public static let assumedBitmapFactor = 12

    /// Whether the trace is one of images: an object has a pixel size, an image type, or an image's URL. Other traces,
    /// such as those of block storage, have no bitmaps.
    public var recordsImages: Bool {
        objects.contains { object in
            object.pixelWidth != nil || object.contentType.map(Self.isImageType) == true
                || Self.imageEndings.contains { object.key.prefix { $0 != "?" && $0 != "#" }.hasSuffix($0) }
        }
    }

    private static let imageEndings = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic"]

    private static func isImageType(_ type: String) -> Bool { type.lowercased().hasPrefix("image/") }

    /// Returns the size of each object's bitmap, with 4 bytes for each pixel. Without a pixel size, it is
    /// ``assumedBitmapFactor`` times the encoded size. Objects of another type, and those of a trace without images,
    /// have their encoded size.
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
