import Foundation

/// A folder for one test, removed with everything in it at the end.
func withTemporaryFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let path = FileManager.default.temporaryDirectory.path + "/cachereplay-reports-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

func text(of path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}

/// Names in a folder, sorted.
func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
}
