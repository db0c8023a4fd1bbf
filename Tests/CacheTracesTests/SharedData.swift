import Foundation

/// Recordings made by other people's tools, beside the package; tests over them are skipped where they are not.
enum SharedData {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data").path

    static let isPresent = FileManager.default.fileExists(atPath: folder + "/index.csv")

    static func path(_ relative: String) -> String { folder + "/" + relative }
}

/// A folder of its own for one test, removed at its end.
final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("cachetraces-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let path = self.path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    func file(_ name: String, _ text: String) throws -> String { try file(name, text.utf8) }
}
