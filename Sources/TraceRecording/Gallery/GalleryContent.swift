import Basics
import CacheTraces
import NIOCore
import SessionModel
import Synchronization

/// The images of a gallery by number, the page, and the bodies in memory.
final class GalleryContent: Sendable {
    let images: [GalleryImage]
    let files: [GalleryFile]
    let page: [String: PageFile]
    /// The images and settings for the page, as JSON.
    let catalogue: [UInt8]
    let cacheControl: String
    private let bodies = Mutex(Bodies())

    private struct Bodies {
        var kept: [Int: ByteBuffer] = [:]
        var bytes = 0
    }

    /// The limit of bodies kept in memory, in bytes. Others are read for each request.
    static let keptLimit = 256 << 20
    /// The size of a file, in bytes, above which it is always read in pieces.
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

    /// Returns the number of an image's file: even for thumbnails, odd for full images.
    func number(image: Int, isFull: Bool) -> Int { 2 * image + (isFull ? 1 : 0) }

    func keptBody(_ number: Int) -> ByteBuffer? { bodies.withLock { $0.kept[number] } }

    /// Whether a body of this size can be kept in memory.
    func hasRoom(_ bytes: Int) -> Bool { bodies.withLock { $0.bytes + bytes <= Self.keptLimit } }

    func keep(_ body: ByteBuffer, as number: Int) {
        bodies.withLock { bodies in
            guard bodies.bytes + body.readableBytes <= Self.keptLimit, bodies.kept[number] == nil else { return }
            bodies.kept[number] = body
            bodies.bytes += body.readableBytes
        }
    }

    private static func catalogue(_ images: [GalleryImage], _ options: GalleryOptions, _ run: String) -> [UInt8] {
        JSONWriter.object {
            $0.member("title", options.title ?? "Gallery")
            $0.member("run", run)
            $0.member("seed", options.seed & 0xFFFF_FFFF)
            $0.member("browserCache", options.browserCache)
            $0.member("connections", options.connections)
            $0.member("plays", options.played != nil)
            $0.array("images", images) { writer, image in
                writer.object {
                    $0.member("name", image.name)
                    guard let width = image.full.header.width, let height = image.full.header.height else { return }
                    $0.member("width", width)
                    $0.member("height", height)
                }
            }
        }.bytes
    }
}

/// A file with its key in the trace.
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

/// A file of the page. The files are embedded in the program.
struct PageFile: Sendable {
    let contentType: String
    let bytes: [UInt8]

    /// By path below the gallery's address.
    static let all: [String: PageFile] = [
        "": PageFile(contentType: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        "gallery.css": PageFile(contentType: "text/css; charset=utf-8", bytes: PackageResources.gallery_css),
        "gallery.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.gallery_js),
        "feed.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.feed_js),
        "grid.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.grid_js),
        "search.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.search_js),
        "detail.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.detail_js),
        "cells.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.cells_js),
        "images.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.images_js),
        "scrolling.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.scrolling_js),
        "recording.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.recording_js),
        "clock.js": PageFile(contentType: "text/javascript; charset=utf-8", bytes: PackageResources.clock_js),
    ]
}
