import Basics
import Foundation

/// The images of a folder and its subfolders, sorted by name. The folder is read once: no request ever names a file.
///
/// Hidden files are ignored. A symbolic link counts as its target if that is within the folder.
public struct ImageFolder: Sendable {
    public var images: [GalleryImage] = []
    /// The number of files that are not images.
    public var others = 0
    /// Links to files outside the folder, and files that cannot be read, by name.
    public var refused: [String] = []

    /// The largest number of images, which bounds the memory.
    public static let limit = 100_000

    /// Reads a folder.
    ///
    /// - Throws: ``GalleryError`` if the folder does not exist, or contains no image.
    public init(_ path: String) throws(GalleryError) {
        let root = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw GalleryError(
                kind: .noFolder, description: "\(path): there is no such folder. Name a folder with images.")
        }
        guard FileManager.default.isReadableFile(atPath: root.path) else {
            throw GalleryError(
                kind: .noFolder, description: "\(path): the folder cannot be read. Check its permissions.")
        }
        let inside = (root.path.dropping(ending: "/") ?? root.path) + "/"
        let names = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).sorted()
        for name in names where !name.pathParts.contains(where: { $0.utf8.first == UInt8(ascii: ".") }) {
            let file = URL(fileURLWithPath: inside + name).resolvingSymlinksInPath()
            guard file.path.dropping(start: inside) != nil else {
                refused.append("\(name) leads out of the folder")
                continue
            }
            guard images.count < Self.limit else {
                refused.append("\(name) and all later files: more than \(Self.limit) images")
                break
            }
            switch Self.read(file.path) {
            case .image(let file): images.append(GalleryImage(name: name, full: file))
            case .other: others += 1
            case .unreadable(let reason): refused.append("\(name): \(reason)")
            case .folder: break
            }
        }
        guard !images.isEmpty else {
            let seen = others + refused.count
            throw GalleryError(
                kind: .noImages,
                description:
                    "\(path): there is no image in this folder (\(seen) other \(seen == 1 ? "file" : "files")). "
                    + "Put JPEG, PNG, GIF, WebP or AVIF files into it.")
        }
    }

    private enum Finding {
        case image(ImageFile)
        case other
        case folder
        case unreadable(String)
    }

    private static func read(_ path: String) -> Finding {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            let kind = facts[.type] as? FileAttributeType
        else {
            return .unreadable("cannot be read")
        }
        if kind == .typeDirectory { return .folder }
        guard kind == .typeRegular else { return .other }
        guard let handle = FileHandle(forReadingAtPath: path), let head = try? handle.read(upToCount: ImageHeader.probe)
        else {
            return facts[.size] as? Int == 0 ? .other : .unreadable("cannot be read")
        }
        guard let header = ImageHeader([UInt8](head)), let size = facts[.size] as? Int else { return .other }
        let modified = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return .image(ImageFile(path: path, bytes: size, modified: Int64(modified * 1e6), header: header))
    }
}

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
