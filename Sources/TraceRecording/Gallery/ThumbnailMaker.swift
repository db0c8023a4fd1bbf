import Digests
import Foundation

/// Makes square thumbnails with libvips' own command, which decodes no more of a photograph than it needs (shrink on
/// load), and keeps them in the user's cache folder: the same image is never shrunk twice.
///
/// The command sees links with plain names in a folder of its own and never the images' names, in which libvips would
/// find options (`kite.jpg[page=2]`).
public struct ThumbnailMaker: Sendable {
    /// Pixels: a third of a phone's width at three pixels per point.
    public static let side = 360
    static let batch = 24
    private static let settings = "[Q=80,strip,background=255]"

    public let tool: URL
    public let folder: URL

    /// Throws ``GalleryError`` where `vipsthumbnail` is not on the path, or there is no place for thumbnails.
    public init(
        cacheFolder: URL = ThumbnailMaker.userFolder, path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws(GalleryError) {
        let places = (path ?? "").split(separator: ":").map {
            URL(fileURLWithPath: String($0)).appendingPathComponent("vipsthumbnail")
        }
        guard let tool = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw GalleryError(
                kind: .missingTool,
                description:
                    "Thumbnails are made by vipsthumbnail, which is not here. Install it (Debian, Ubuntu: apt-get install libvips-tools; "
                    + "macOS: brew install vips), or say --thumbnails off: full images then stand in for thumbnails.")
        }
        self.tool = tool
        folder = cacheFolder
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            throw GalleryError(
                kind: .cannotWrite,
                description: "\(folder.path): thumbnails cannot be kept there: \(error.localizedDescription)")
        }
    }

    /// `~/.cache/cachereplay/thumbnails`, or where XDG_CACHE_HOME says; `~/Library/Caches/…` on macOS.
    public static var userFolder: URL {
        #if os(macOS)
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        #else
        let caches = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"].flatMap {
            $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil
        }
        #endif
        let home = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".cache")
        return (caches ?? home).appendingPathComponent("cachereplay").appendingPathComponent("thumbnails")
    }

    /// Gives each image its thumbnail. Those of which none can be made, being broken, are left out and told of;
    /// one that breaks off is kept, since browsers show what there is.
    public func thumbnails(
        of images: [GalleryImage], progress: (Int) -> Void = { _ in }
    ) throws(GalleryError) -> (images: [GalleryImage], broken: [String]) {
        var made: [GalleryImage] = []
        var broken: [String] = []
        for start in stride(from: 0, to: images.count, by: Self.batch) {
            let batch = Array(images[start..<min(images.count, start + Self.batch)])
            let missing = batch.filter { thumbnail(of: $0) == nil }
            if !missing.isEmpty { try make(missing) }
            for var image in batch {
                image.thumbnail = thumbnail(of: image)
                if image.thumbnail == nil { broken.append(image.name) } else { made.append(image) }
            }
            progress(batch.count)
        }
        return (made, broken)
    }

    private func thumbnail(of image: GalleryImage) -> ImageFile? {
        let path = folder.appendingPathComponent(name(of: image) + ".jpg").path
        guard let file = OpenFile(path), let head = file.read(0..<min(file.size, 4096)),
            let header = ImageHeader(Array(head.readableBytesView))
        else {
            return nil
        }
        return ImageFile(path: path, bytes: file.size, modified: image.full.modified, header: header)
    }

    /// Another one when the file, or the way thumbnails are made, changes.
    private func name(of image: GalleryImage) -> String {
        let text = "\(image.full.path)\n\(image.full.modified)\n\(image.full.bytes)\n\(Self.side)\(Self.settings)"
        return Array(Digest.of(Array(text.utf8), .sha256).prefix(16)).hexadecimal
    }

    /// Runs the tool over a batch. A thumbnail gets its place when it is whole.
    private func make(_ images: [GalleryImage]) throws(GalleryError) {
        let files = FileManager.default
        let work = folder.appendingPathComponent("work-\(UUID().uuidString)")
        defer { try? files.removeItem(at: work) }
        do {
            try files.createDirectory(at: work, withIntermediateDirectories: true)
            for image in images {
                try files.createSymbolicLink(
                    at: work.appendingPathComponent(name(of: image)),
                    withDestinationURL: URL(fileURLWithPath: image.full.path))
            }
            try run(in: work, images.map(name))
            for image in images {
                let made = work.appendingPathComponent("\(name(of: image)).jpg").path
                // Over one that another recorder made meanwhile: it is the same.
                _ = rename(made, folder.appendingPathComponent("\(name(of: image)).jpg").path)
            }
        } catch {
            throw GalleryError(
                kind: .cannotWrite,
                description: "\(tool.path) cannot work in \(folder.path): \(error.localizedDescription)")
        }
    }

    /// What it says of broken images is of no interest: their thumbnails are missing afterwards.
    private func run(in work: URL, _ names: [String]) throws {
        let process = Process()
        process.executableURL = tool
        process.currentDirectoryURL = work
        process.arguments =
            [
                "--size", "\(Self.side)x\(Self.side)", "--smartcrop", "centre", "--eprofile", "srgb", "-o",
                "%s.jpg" + Self.settings,
            ] + names
        process.environment = ProcessInfo.processInfo.environment.merging([
            "VIPS_BLOCK_UNTRUSTED": "1", "VIPS_WARNING": "0",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // An image that is made to be slow must not hold the gallery up for good.
        let overdue = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: overdue)
        process.waitUntilExit()
        overdue.cancel()
    }
}
