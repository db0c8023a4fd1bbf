import Foundation

/// Writes a line of warnings or progress to standard error.
func printToStandardError(_ line: String) {
    writeToStandardError(line + "\n")
}

/// Writes text to standard error. A failure is ignored, because it cannot be reported.
func writeToStandardError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

/// Writes the warnings of a reader or writer to standard error.
func printWarnings(_ warnings: [String], file: String) {
    for warning in warnings { printToStandardError("\(file): warning: \(warning)") }
}
