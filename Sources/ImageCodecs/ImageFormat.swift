/// The formats that are decoded, told by their first bytes: names and content types may be wrong.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg = "JPEG"
    case png = "PNG"
    case webp = "WebP"

    /// Bytes of `head` that are looked at, at most.
    public static let headSize = 12

    /// nil where it is none of these, or `head` is too short to tell.
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
