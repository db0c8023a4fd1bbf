import Foundation

/// Recordings made by other people's tools, beside the package; tests over them are skipped where they are not.
package enum SharedData {
    package static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data").path

    package static let isPresent = FileManager.default.fileExists(atPath: folder + "/index.csv")

    package static func path(_ relative: String) -> String { folder + "/" + relative }
}
