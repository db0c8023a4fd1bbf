import Basics
import Foundation

/// Creates square thumbnails with the command `vipsthumbnail` of libvips, which decodes only the part of a photograph
/// that it needs (shrink on load), and keeps them in the user's cache folder for later recordings.
///
/// The command receives links with plain names in a separate folder, because libvips interprets options in file names
/// (`kite.jpg[page=2]`).
public struct ThumbnailMaker: Sendable {
    /// In pixels: a third of a phone's width at three pixels per point.
    public static let side = 360
    static let batch = 24
    private static let settings = "[Q=80,strip,background=255]"

    public let tool: URL
    public let folder: URL

    /// Finds the command and creates the cache folder.
    ///
    /// - Throws: ``GalleryError`` if `vipsthumbnail` is not on the path, or the folder cannot be created.
    public init(
        cacheFolder: URL = ThumbnailMaker.userFolder, path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws(GalleryError) {
        let places = (path ?? "").parts(between: ":").map {
            URL(fileURLWithPath: $0).appendingPathComponent("vipsthumbnail")
        }
        guard let tool = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw GalleryError(
                kind: .missingTool,
                description:
                    "Thumbnails need the command vipsthumbnail, which is not installed. Install it (Debian, Ubuntu: "
                    + "apt-get install libvips-tools; macOS: brew install vips), or use --thumbnails off: full images "
                    + "then replace thumbnails.")
        }
        self.tool = tool
        folder = cacheFolder
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            throw GalleryError(
                kind: .cannotWrite,
                description: "\(folder.path): thumbnails cannot be stored there: \(error.localizedDescription)")
        }
    }

    /// `~/.cache/cachereplay/thumbnails`, or the same below `XDG_CACHE_HOME`; `~/Library/Caches/…` on macOS.
    public static var userFolder: URL {
        #if os(macOS)
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        #else
        let caches = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"].flatMap {
            $0.utf8.first == UInt8(ascii: "/") ? URL(fileURLWithPath: $0) : nil
        }
        #endif
        let home = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".cache")
        return (caches ?? home).appendingPathComponent("cachereplay").appendingPathComponent("thumbnails")
    }

    /// Returns the images with their thumbnails, and the names of images without one because they are damaged. A
    /// truncated image keeps its thumbnail, because browsers show it too.
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

    /// Returns a name that changes with the file and with the settings of thumbnails.
    private func name(of image: GalleryImage) -> String {
        let text = "\(image.full.path)\n\(image.full.modified)\n\(image.full.bytes)\n\(Self.side)\(Self.settings)"
        return Array(Digest.of(Array(text.utf8), .sha256).prefix(16)).hexadecimal
    }

    /// Runs the command for a batch, and moves complete thumbnails to the cache folder.
    private func make(_ images: [GalleryImage]) throws(GalleryError) {
        ScratchFolder.removeAbandoned(in: folder.path, prefix: Self.workPrefix)
        do {
            let scratch = try ScratchFolder(in: folder.path, prefix: Self.workPrefix)
            defer { scratch.remove() }
            let work = URL(fileURLWithPath: scratch.path)
            for image in images {
                try FileManager.default.createSymbolicLink(
                    at: work.appendingPathComponent(name(of: image)),
                    withDestinationURL: URL(fileURLWithPath: image.full.path))
            }
            try run(in: work, images.map(name))
            for image in images {
                let made = work.appendingPathComponent("\(name(of: image)).jpg").path
                guard Self.isComplete(made) else { continue }
                // May replace the same thumbnail of another recorder.
                _ = rename(made, folder.appendingPathComponent("\(name(of: image)).jpg").path)
            }
        } catch {
            let reason = (error as? FileError)?.description ?? error.localizedDescription
            throw GalleryError(
                kind: .cannotWrite, description: "\(tool.path) cannot work in \(folder.path): \(reason)")
        }
    }

    /// The prefix of the folders in which the command works. A recorder removes the folders of a recorder that was
    /// killed.
    static let workPrefix = "work"

    /// Whether a JPEG has its end: the command reports success also when the disk is full.
    private static func isComplete(_ path: String) -> Bool {
        guard let file = OpenFile(path), file.size > 2, let end = file.read(file.size - 2..<file.size) else {
            return false
        }
        return Array(end.readableBytesView) == [0xFF, 0xD9]
    }

    /// Runs the command. Its messages are dropped: images without a thumbnail afterwards are damaged.
    private func run(in work: URL, _ names: [String]) throws {
        let arguments = [
            "--size", "\(Self.side)x\(Self.side)", "--smartcrop", "centre", "--eprofile", "srgb", "-o",
            "%s.jpg" + Self.settings,
        ]
        let environment = ProcessInfo.processInfo.environment.merging([
            "VIPS_BLOCK_UNTRUSTED": "1", "VIPS_WARNING": "0",
        ]) { $1 }
        let process = try SpawnedProcess(
            tool.path, arguments + names, in: .init(environment: environment, folder: work.path))
        // A malicious image must not stop the gallery.
        let overdue = DispatchWorkItem { process.send(SIGTERM) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: overdue)
        _ = process.wait()
        overdue.cancel()
    }
}
