import ArgumentParser
import Basics
import CacheReports
import Foundation

/// The only writer of standard output and standard error.
///
/// Text for people contains names from files and from the command line, and it is shown without their control
/// characters (``VisibleText``). Data for programs is exact.
enum CommandOutput {
    static func print(_ text: String, terminator: String = "\n") {
        write(shown(text, arguments), terminator)
    }

    /// Prints a document for people, as wide as the terminal, with its weight and colour where the terminal has them.
    static func print(_ document: Document, width: Int? = CommandOutput.terminalWidth) {
        let text = document.styled(width: width)
        let arguments = arguments
        let printed = hasStyles ? text.sequences { shown($0, arguments) } : shown(text.plain, arguments)
        write(printed)
    }

    /// Prints JSON, in which hidden characters are escaped (`JSONWriter`).
    static func printJSON(_ text: String, terminator: String = "\n") {
        write(text, terminator)
    }

    /// Writes text to the buffer of standard output.
    ///
    /// - Parameter terminator: The end of the line. It is written by itself: the system's library writes a text that is
    ///   larger than its buffer at once, and reports a failure only for what is still in the buffer.
    private static func write(_ text: String, _ terminator: String = "") {
        if let call = Invocation.current { return call.write(Data((text + terminator).utf8), .output) }
        Swift.print(text, terminator: terminator)
    }

    /// Writes a line of text at once, for a program that waits for it.
    /// - Throws: The system's error.
    static func writeLine(_ line: String) throws { try write(Data("\(shown(line, arguments))\n".utf8)) }

    /// Writes bytes as they are, at once.
    /// - Throws: The system's error.
    static func write(_ data: Data) throws {
        if let call = Invocation.current { return call.write(data, .output) }
        try FileHandle.standardOutput.write(contentsOf: data)
    }

    /// The name of the program, and the arguments of the command.
    static var arguments: [String] { Invocation.current?.arguments ?? CommandLine.arguments }

    /// Writes text for people to standard error, where a tab is one of a name. A failure is ignored, because it cannot
    /// be reported.
    static func writeError(_ text: String) { drawOnTerminal(shownError(text, arguments)) }

    /// Returns an error as people see it.
    static func shownError(_ text: String, _ arguments: [String]) -> String {
        shown(text, arguments).replacing(scalars: ["\t": "\\u{9}"])
    }

    /// Writes the program's own text to standard error, with control sequences. It must not contain names.
    static func drawOnTerminal(_ text: String) {
        if let call = Invocation.current { return call.write(Data(text.utf8), .errors) }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    static func isTerminal(_ stream: Int32) -> Bool { Invocation.current == nil && isatty(stream) == 1 }

    /// The columns of the terminal that standard output is; nil if it is none.
    static var terminalWidth: Int? {
        var size = winsize()
        guard isTerminal(STDOUT_FILENO), ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Whether standard output is a terminal that shows weight and colour.
    private static var hasStyles: Bool {
        isTerminal(STDOUT_FILENO) && areStylesWanted(by: ProcessInfo.processInfo.environment)
    }

    /// Returns whether a terminal shows weight and colour: it is not dumb, and its user does not refuse them with
    /// `NO_COLOR` (https://no-color.org).
    static func areStylesWanted(by environment: [String: String]) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Returns a text as people see it. An argument of the command with a line feed becomes one line, so that it cannot
    /// forge a line of the output.
    static func shown(_ text: String, _ arguments: [String]) -> String {
        var text = text
        for argument in arguments where argument.utf8.contains(UInt8(ascii: "\n")) {
            let values = [argument[...]] + argument.split(separator: "=", maxSplits: 1).dropFirst()
            // The names of a file follow from its path.
            let names = values + values.map { TraceFile(path: String($0)).name[...] }
            for value in names {
                // Line breaks at the end only end lines.
                guard let last = value.lastIndex(where: { !$0.isNewline }) else { continue }
                let name = value[...last]
                guard name.contains(where: \.isNewline) else { continue }
                // By bytes: a name can be one character with the text beside it.
                let bytes = Array(text.utf8).replacing(name.utf8, with: VisibleText.line(String(name)).utf8)
                text = String(decoding: bytes, as: UTF8.self)
            }
        }
        return VisibleText.lines(text)
    }
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

func printWritten(to output: String, pictures: Int) {
    CommandOutput.print("Written to \(output)\(pictures == 0 ? "" : ", with \(pictures) pictures in charts")")
}

/// Prints a value as indented JSON with sorted keys.
func printJSON(_ value: some Encodable) throws {
    CommandOutput.printJSON(try JSONWriter.encoding(value, .spaced).text)
}

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
        guard Invocation.current == nil else { return }
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
