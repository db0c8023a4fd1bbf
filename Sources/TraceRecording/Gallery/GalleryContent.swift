import CacheTraces
import NIOCore
import SessionModel
import Synchronization

/// What all connections of a gallery share: the images by number, the page, and bodies that were read before.
final class GalleryContent: Sendable {
    let images: [GalleryImage]
    let files: [GalleryFile]
    let page: [String: PageFile]
    /// What the page is told of the images and of how to show them.
    let catalogue: [UInt8]
    let cacheControl: String
    private let bodies = Mutex(Bodies())

    private struct Bodies {
        var kept: [Int: ByteBuffer] = [:]
        var bytes = 0
    }

    /// Bodies are kept until they fill this much memory; others are read when asked for.
    static let keptLimit = 256 << 20
    /// Larger ones are always read piece by piece.
    static let keptFileLimit = 16 << 20

    init(_ images: [GalleryImage], _ options: GalleryOptions, run: String) {
        self.images = images
        files = images.flatMap { image in
            [
                GalleryFile(
                    image.thumbnail ?? image.full, key: "\(image.thumbnail == nil ? "full" : "thumbnail")/\(image.name)"
                ),
                GalleryFile(image.full, key: "full/\(image.name)"),
            ]
        }
        page = PageFile.all
        cacheControl = options.browserCache ? "private, max-age=86400" : "no-store"
        catalogue = Self.catalogue(images, options, run)
    }

    /// The file of an image: thumbnails have even numbers, full images odd ones.
    func number(image: Int, isFull: Bool) -> Int { 2 * image + (isFull ? 1 : 0) }

    func keptBody(_ number: Int) -> ByteBuffer? { bodies.withLock { $0.kept[number] } }

    /// Whether a body of this size would be kept; then it is to be read as a whole.
    func hasRoom(_ bytes: Int) -> Bool { bodies.withLock { $0.bytes + bytes <= Self.keptLimit } }

    func keep(_ body: ByteBuffer, as number: Int) {
        bodies.withLock { bodies in
            guard bodies.bytes + body.readableBytes <= Self.keptLimit, bodies.kept[number] == nil else { return }
            bodies.kept[number] = body
            bodies.bytes += body.readableBytes
        }
    }

    private static func catalogue(_ images: [GalleryImage], _ options: GalleryOptions, _ run: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("title")
        writer.string(options.title ?? "Gallery")
        writer.key("run")
        writer.string(run)
        writer.key("seed")
        writer.integer(options.seed & 0xFFFF_FFFF)
        writer.key("browserCache")
        writer.boolean(options.browserCache)
        writer.key("images")
        writer.beginArray()
        for image in images {
            writer.beginObject()
            writer.key("name")
            writer.string(image.name)
            if let width = image.full.header.width, let height = image.full.header.height {
                writer.key("width")
                writer.integer(width)
                writer.key("height")
                writer.integer(height)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}

/// A file under its key in the trace.
struct GalleryFile: Sendable {
    let path: String
    let object: TraceObject
    let entityTag: String

    init(_ file: ImageFile, key: String) {
        path = file.path
        object = TraceObject(
            key: key, bytes: file.bytes, contentType: file.header.contentType, pixelWidth: file.header.width,
            pixelHeight: file.header.height)
        entityTag = "\"\(String(file.modified, radix: 36))-\(String(file.bytes, radix: 36))\""
    }

    var bytes: Int { object.bytes ?? 0 }
}
