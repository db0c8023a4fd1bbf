import ArgumentParser
import Basics
import CacheTraces
import Foundation
import ReplayEngine
import Runs
import SessionModel

struct TraceAnonymizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anonymize",
        abstract: "Replace what identifies persons, servers and pictures, so that traces can be shared.",
        discussion: """
            Example: cachereplay trace anonymize feed.jsonl --salt-file salt.txt --output shared.jsonl

            Keys with their hosts, titles, recorders, users and the texts of headers become names that follow from a \
            salt and the text. The start of a session and the dates of headers move by one time that follows from \
            the salt. Replays, simulations and statistics have the same figures before and after.

            \(kept)

            The same salt gives a text the same name in all files, also in those of later commands. The sessions of \
            one person or server therefore still belong together. A reader who has the salt can test whether a \
            guessed key is in a file. Keep the salt secret. 'openssl rand -hex 16 > salt.txt' makes a salt.

            A single trace is written in the format that follows from the name of the output, as 'trace convert' does. \
            Several are written into a folder, with their names and in their formats; a format that can only be read, \
            such as har, is refused. The page "Sharing sessions" of the documentation says more.
            """)

    /// The parts that are not replaced.
    private static let kept = """
        What stays: events with their order and the times between them, scroll positions, statuses, protocols and \
        times of fetches, sizes in bytes and pixels, types of pictures, the lifetimes that Cache-Control and Age \
        state, times between dates, and the names of files. Public sizes can identify pictures.
        """

    @OptionGroup var arguments: TraceArguments

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write, or the folder for several traces.", valueName: "path"),
        completion: .file())
    var output: String

    @Option(help: "The secret text from which names follow. The shell keeps it in its history.")
    var salt: String?

    @Option(
        help: ArgumentHelp("A file with the secret text, without the line break at its end.", valueName: "file"),
        completion: .file())
    var saltFile: String?

    @OptionGroup var printing: QuietOption

    @OptionGroup var strictOption: StrictOption

    @OptionGroup var input: InputFormatOptions

    private static let hint = "'openssl rand -hex 16 > salt.txt' makes one for --salt-file salt.txt."

    func validate() throws {
        try arguments.require()
        if salt != nil, saltFile != nil { throw ValidationError("--salt and --salt-file exclude each other.") }
        if salt == nil, saltFile == nil {
            throw ValidationError("Which salt? Names follow from it, so it is a secret text. \(Self.hint)")
        }
    }

    func run() throws {
        let anonymizer = try anonymizer()
        let sources = try TraceSources(arguments.traces, format: nil)
        try sources.checkNames()
        let isFile =
            sources.areNamed && sources.files.count == 1 && output.utf8.last != UInt8(ascii: "/")
            && !ResultFile.isFolder(output)
        let folder = output.dropping(ending: "/") ?? output
        let skipped = try sources.forEach(isStrict: strictOption.strict) { _, file in
            let path = isFile ? output : "\(folder)/\(file.pathBelow)"
            guard !Self.areSame(file.place, path) else {
                throw CommandFailure(
                    .usage, "\(path): the output is the trace itself, which would be lost; name another --output.")
            }
            let reading = try input.read(file)
            let format = try isFile ? formatOfOutput() : format(of: file, reading)
            if !printing.quiet { printWarnings(reading.warnings, file: file.path) }
            try write(
                anonymizer.anonymized(reading.trace, keysAreNumbers: format.name == TraceFormat.oracleGeneral.name),
                to: path, format, makesFolder: !isFile)
        }
        try TraceSources.report(skipped, of: sources.files.count, work: "anonymized")
        if !printing.quiet { CommandOutput.print(Self.kept) }
    }

    /// - Throws: ``CommandFailure`` for an empty salt, or a file that cannot be read.
    private func anonymizer() throws -> Anonymizer {
        var text = salt ?? ""
        if let saltFile {
            guard let data = FileManager.default.contents(atPath: saltFile) else {
                throw CommandFailure(.noInput, "\(saltFile): no such file, or not readable; expected the salt.")
            }
            text = String(decoding: data, as: UTF8.self)
            while text.last?.isNewline == true { text.removeLast() }
        }
        guard let anonymizer = Anonymizer(salt: text) else {
            throw CommandFailure(
                saltFile == nil ? .usage : .badData,
                """
                \(saltFile.map { "\($0): the" } ?? "The") salt is empty, so everybody could test guessed keys. Pass a \
                secret text. \(Self.hint)
                """)
        }
        return anonymizer
    }

    private func write(_ trace: Trace, to path: String, _ format: TraceFormat, makesFolder: Bool) throws {
        if makesFolder {
            try ResultFile.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        }
        let losses = try trace.write(to: path, format: format)
        guard !printing.quiet else { return }
        printWarnings(losses, file: path)
        let fields = trace.objects.reduce(0) { $0 + $1.headers.count }
        CommandOutput.print(
            """
            \(path): \(HumanText.count(trace.objects.count, "key")) of \
            \(HumanText.count(trace.hostCount, "host")), \(HumanText.count(fields, "header field")), \
            \(HumanText.count(trace.events.count, "event"))
            """)
    }

    private func formatOfOutput() throws -> TraceFormat {
        if let format = TraceFormat.writable(for: output) { return format }
        throw ValidationError(
            """
            the name '\(output)' does not determine a format that can be written; end it in .jsonl, or in the ending \
            of one of \(Self.writable)
            """)
    }

    /// Returns the format of a trace that is written into a folder.
    /// - Throws: ``CommandFailure`` for a format that can only be read, and for a file whose name is not one of its
    ///   format.
    private func format(of file: TraceFile, _ reading: TraceReading) throws -> TraceFormat {
        let name = file.pathBelow
        if let format = TraceFormat.writable(for: name), format.name == reading.format.name { return format }
        let reason =
            reading.format.canWrite
            ? "its name is none of the format \(reading.format), in which it would be written again"
            : "the format \(reading.format) can only be read, so the trace cannot be written again"
        throw CommandFailure(
            .badData,
            """
            \(file.path): \(reason). Convert it first, as in `cachereplay trace convert \
            \(ShellText.quoted(file.path)) \(ShellText.quoted(file.name + ".jsonl"))`; formats that can be written are \
            \(Self.writable).
            """)
    }

    private static var writable: String { TraceFormat.all.filter(\.canWrite).map(\.name).joined(separator: ", ") }

    private static func areSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}
