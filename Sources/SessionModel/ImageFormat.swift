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
