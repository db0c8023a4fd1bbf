import Foundation

/// The images of a folder and of those in it, by name. What is in it is looked up once: no request ever names a file.
///
/// Hidden files are not looked at. A symbolic link counts as what it leads to, where that is within the folder.
public struct ImageFolder: Sendable {
    public var images: [GalleryImage] = []
    /// Files that are no images.
    public var others = 0
    /// Links that lead out of the folder, and files that cannot be read, by name.
    public var refused: [String] = []

    /// More images than anybody scrolls through; it bounds what is held in memory.
    public static let limit = 100_000

    /// Throws ``GalleryError`` where there is no such folder, or no image in it.
    public init(_ path: String) throws(GalleryError) {
        let root = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw GalleryError(
                kind: .noFolder, description: "\(path): there is no such folder. Name one that holds images.")
        }
        let inside = root.path.hasSuffix("/") ? root.path : root.path + "/"
        let names = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).sorted()
        for name in names where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
            let file = URL(fileURLWithPath: inside + name).resolvingSymlinksInPath()
            guard file.path.hasPrefix(inside) else {
                refused.append("\(name) leads out of the folder")
                continue
            }
            guard images.count < Self.limit else {
                refused.append("\(name) and what follows: more than \(Self.limit) images")
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
