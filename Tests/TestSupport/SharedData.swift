import Foundation

/// Public recordings beside the package. Tests that need them are skipped if they are missing.
package enum SharedData {
    package static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/data").path

    package static let isPresent = FileManager.default.fileExists(atPath: folder + "/index.csv")

    package static func path(_ relative: String) -> String { folder + "/" + relative }
}
