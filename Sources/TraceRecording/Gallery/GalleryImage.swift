/// A file that the gallery serves, with the facts from the time when the folder was read.
public struct ImageFile: Sendable, Equatable {
    public var path: String
    public var bytes: Int
    /// Microseconds since 1970.
    public var modified: Int64
    public var header: ImageHeader

    public init(path: String, bytes: Int, modified: Int64, header: ImageHeader) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.header = header
    }
}

/// One image of the gallery.
public struct GalleryImage: Sendable, Equatable {
    /// The path within the folder: `holidays/kite.jpg`.
    public var name: String
    public var full: ImageFile
    /// nil if thumbnails are off: the full image replaces it.
    public var thumbnail: ImageFile?

    public init(name: String, full: ImageFile, thumbnail: ImageFile? = nil) {
        self.name = name
        self.full = full
        self.thumbnail = thumbnail
    }
}
