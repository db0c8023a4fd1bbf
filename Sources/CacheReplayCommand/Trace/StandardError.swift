import Foundation

/// Writes a line to standard error: warnings and progress, never results. Where that is closed or full there is nobody to tell.
func printToStandardError(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}

/// Tells what a reader or writer had to say.
func printWarnings(_ warnings: [String], file: String) {
    for warning in warnings { printToStandardError("\(file): warning: \(warning)") }
}
