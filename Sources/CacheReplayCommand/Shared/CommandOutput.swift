import ArgumentParser
import Basics
import CacheReports
import Foundation

/// The only writer of standard output and standard error.
///
/// Text for people contains names from files and from the command line, and it is shown without their control
/// characters (``VisibleText``). Data for programs is exact.
enum CommandOutput {
    /// Prints text for people.
    static func print(_ text: String, terminator: String = "\n") {
        Swift.print(shown(text, CommandLine.arguments), terminator: terminator)
    }

    /// Prints a document for people, as wide as the terminal, with its weight and colour where the terminal has them.
    static func print(_ document: Document, width: Int? = CommandOutput.terminalWidth) {
        let text = document.styled(width: width)
        let arguments = CommandLine.arguments
        let printed = hasStyles ? text.sequences { shown($0, arguments) } : shown(text.plain, arguments)
        Swift.print(printed, terminator: "")
    }

    /// Prints JSON. Hidden characters beyond ASCII are escaped, which changes no value: outside of strings, JSON has
    /// ASCII characters only.
    static func printJSON(_ text: String, terminator: String = "\n") {
        Swift.print(escapedJSON(OldNames.shown(text)), terminator: terminator)
    }

    /// Writes a line of text at once, for a program that waits for it.
    /// - Throws: The system's error.
    static func writeLine(_ line: String) throws { try write(Data("\(shown(line, CommandLine.arguments))\n".utf8)) }

    /// Writes bytes as they are, at once.
    /// - Throws: The system's error.
    static func write(_ data: Data) throws { try FileHandle.standardOutput.write(contentsOf: data) }

    /// Writes text for people to standard error. A failure is ignored, because it cannot be reported.
    static func writeError(_ text: String) { drawOnTerminal(shown(text, CommandLine.arguments)) }

    /// Writes the program's own text to standard error, with control sequences. It must not contain names.
    static func drawOnTerminal(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// The columns of the terminal that standard output is; nil if it is none.
    static var terminalWidth: Int? {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Whether standard output is a terminal that shows weight and colour.
    private static var hasStyles: Bool {
        isatty(STDOUT_FILENO) == 1 && areStylesWanted(by: ProcessInfo.processInfo.environment)
    }

    /// Returns whether a terminal shows weight and colour: it is not dumb, and its user does not refuse them with
    /// `NO_COLOR` (https://no-color.org).
    static func areStylesWanted(by environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Returns a text as people see it. An argument of the command with a line feed becomes one line, so that it cannot
    /// forge a line of the output.
    static func shown(_ text: String, _ arguments: [String]) -> String {
        var text = OldNames.shown(text)
        for argument in arguments where argument.utf8.contains(UInt8(ascii: "\n")) {
            let values = [argument[...]] + argument.split(separator: "=", maxSplits: 1).dropFirst()
            // The names of a file follow from its path.
            let names = values + values.map { TraceFile(path: String($0)).name[...] }
            for value in names {
                // Line breaks at the end only end lines.
                guard let last = value.lastIndex(where: { !$0.isNewline }) else { continue }
                let name = value[...last]
                guard name.contains(where: \.isNewline) else { continue }
                text = text.replacing(name, with: VisibleText.line(String(name)))
            }
        }
        return VisibleText.lines(text)
    }

    /// Returns JSON of the same values without hidden characters.
    static func escapedJSON(_ text: String) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool { !scalar.isBelowDelete && VisibleText.isHidden(scalar) }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.reduce(into: "") { json, scalar in
            if isEscaped(scalar) {
                json += "\\u" + String(String(0x1_0000 + scalar.value, radix: 16).dropFirst())
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isBelowDelete: Bool { value < 0x7F }
}

/// Writes a line of warnings or progress to standard error.
func printToStandardError(_ line: String) { CommandOutput.writeError(line + "\n") }

/// Writes the warnings of a reader or writer to standard error.
func printWarnings(_ warnings: [String], file: String) {
    for warning in warnings { printToStandardError(VisibleText.line("\(file): warning: \(warning)")) }
}

/// Fails, before long work, if a file exists that is not overwritten, or cannot be made.
/// - Throws: ``CommandFailure`` of status `cannotCreate`.
func checkNewFile(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
        throw CommandFailure(
            .cannotCreate, "\(path) exists already, and is not overwritten. Choose another --output, or remove it.")
    }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
        throw CommandFailure(
            .cannotCreate, "\(path) cannot be written: the folder \(folder) is missing or not writable.")
    }
}

extension Date {
    /// Returns the local time as names of files have it.
    func stamp(_ format: String = "yyyy-MM-dd-HHmmss") -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = format
        return formatter.string(from: self)
    }
}

/// Prints where a command has written its results.
func printWritten(to output: String, pictures: Int) {
    CommandOutput.print("Written to \(output)\(pictures == 0 ? "" : ", with \(pictures) pictures in charts")")
}

/// Prints a value as indented JSON with sorted keys.
func printJSON(_ value: some Encodable) throws {
    CommandOutput.printJSON(try JSONWriter.encoding(value, .spaced).text)
}

/// The option of the commands that write CSV files.
struct CSVOutputOptions: ParsableArguments {
    @Flag(
        help: """
            In CSV files, put a single quote in front of texts that a spreadsheet program could take for a formula.
            """)
    var csvSafe = false

    /// - Throws: `ValidationError` for a command that writes no CSV files without `output`.
    func require(_ output: String?) throws {
        if csvSafe, output == nil {
            throw ValidationError("--csv-safe needs --output, the folder of the CSV files.")
        }
    }
}

/// Handles standard streams that are closed, on a full disk, or a pipe without a reader.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that the caller closed. Otherwise the next opened file gets its number, and
    /// output is written to that file.
    static func openClosed() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes the buffered output.
    ///
    /// A full disk is an error, because a script must not read half a table as a whole one. A reader that closes the
    /// pipe early, as `head` does, is not an error.
    /// - Throws: ``CommandFailure`` with exit code 74.
    static func flushOutput() throws {
        // All streams, because Swift 6 does not allow access to C's global variable `stdout`.
        guard fflush(nil) != 0 else { return }
        let code = errno
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        let hasNoReader = code == EPIPE || poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
        guard !hasNoReader else { return }
        throw CommandFailure(
            .ioError,
            "standard output: writing failed: \(String(cString: strerror(code))); the output is incomplete.")
    }
}
