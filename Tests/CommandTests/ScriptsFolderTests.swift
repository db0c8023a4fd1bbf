import Foundation
import Testing

/// The folder `scripts` and its README.md.
@Suite("The folder of scripts")
struct ScriptsFolderTests {
    private static let folder = Binary.root.appendingPathComponent("scripts")

    /// The names of the folder but README.md and hidden ones, in order. A subfolder's name ends with a slash.
    private static func entries() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            .map { (name: $0.lastPathComponent, values: try $0.resourceValues(forKeys: [.isDirectoryKey])) }
            .filter { $0.name != "README.md" && $0.name != "__pycache__" && !$0.name.hasPrefix(".") }
            .map { $0.values.isDirectory == true ? $0.name + "/" : $0.name }
            .sorted()
    }

    @Test("It has at most 25 entries: a new script goes into the folder of its purpose")
    func size() throws {
        let entries = try Self.entries()
        #expect(entries.count > 10 && entries.count <= 25, "\(entries.count): \(entries.joined(separator: ", "))")
    }

    @Test("README.md has one line for each entry, and no other")
    func readme() throws {
        let lines = try Binary.root.text("scripts/README.md").split(separator: "\n").filter { $0.hasPrefix("- ") }
        let listed = lines.map { line in line.components(separatedBy: "`").dropFirst().first ?? "" }
        let entries = try Self.entries()
        #expect(listed.sorted() == entries)
        for line in lines {
            #expect(line.contains("`: ") && line.hasSuffix(".") && line.count <= 120, "\(line)")
        }
    }

    @Test("A file of a subfolder that begins with #! can be run")
    func executables() throws {
        let files = try #require(FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where !file.hasDirectoryPath {
            guard let handle = try? FileHandle(forReadingFrom: file) else { continue }
            defer { try? handle.close() }
            guard try handle.read(upToCount: 2) == Data("#!".utf8) else { continue }
            count += 1
            #expect(FileManager.default.isExecutableFile(atPath: file.path), "\(file.path)")
        }
        #expect(count > 25)
    }
}
