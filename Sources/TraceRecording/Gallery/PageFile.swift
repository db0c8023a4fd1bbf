/// A file of the page, which is part of the program.
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
