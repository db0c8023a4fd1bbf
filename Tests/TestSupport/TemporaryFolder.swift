import Basics
import Foundation

/// A new folder for one test, removed with the last reference to it.
package final class TemporaryFolder: Sendable {
    private let scratch: ScratchFolder

    package init() throws { scratch = try ScratchFolder(prefix: "cachereplay-test") }

    /// Creates the folder in memory where Linux has a file system for that, for tests that create and remove thousands
    /// of folders: ext4 searches long for names that are used again soon.
    package init(inMemory: Bool) throws {
        let shared = "/dev/shm"
        scratch =
            inMemory && access(shared, W_OK) == 0
            ? try ScratchFolder(in: shared, prefix: "cachereplay-test") : try ScratchFolder(prefix: "cachereplay-test")
    }

    package var path: String { scratch.path }

    package func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }

    /// The relative paths of all files below the folder, with hidden ones, sorted.
    package var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { !isFolder("\(path)/\($0)") }.sorted()
    }

    /// Writes a file and returns its path.
    @discardableResult
    package func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = url(name)
        try Data(bytes).write(to: file)
        return file.path
    }

    @discardableResult
    package func file(_ name: String, _ text: String) throws -> String { try file(name, text.utf8) }

    package func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

    package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    package func date(_ name: String) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: url(name).path)[.modificationDate] as? Date
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
