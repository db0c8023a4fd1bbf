import Foundation

/// Writes a line to standard error: warnings and progress, never results.
func printToStandardError(_ line: String) {
    writeToStandardError(line + "\n")
}

/// Writes text to standard error as it is. Where that fails there is nobody left to tell, so the failure is ignored.
func writeToStandardError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

/// Tells what a reader or writer had to say.
func printWarnings(_ warnings: [String], file: String) {
    for warning in warnings { printToStandardError("\(file): warning: \(warning)") }
}
