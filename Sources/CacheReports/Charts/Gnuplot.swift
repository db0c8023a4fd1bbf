import Basics
import Foundation
import Runs

/// The gnuplot program of this machine.
struct Gnuplot: Sendable {
    private let executable: String
    /// The characters of this machine's fonts; nil: they are found when a text needs them.
    private let fonts: FontCoverage?

    /// Finds the program in the folders of a search path.
    /// - Throws: `ResultsError` of kind `missingTool`, which says how to install it.
    init(
        searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? "", fonts: FontCoverage? = nil
    ) throws {
        let places = path.parts(between: ":").map { "\($0)/gnuplot" }
        guard let executable = places.first(where: FileManager.default.isExecutableFile) else {
            throw ResultsError(
                .missingTool, file: "gnuplot",
                """
                not installed, so no chart was drawn; install it (`apt-get install gnuplot-nox`, `brew install \
                gnuplot`) and run `cachereplay chart`
                """
            )
        }
        (self.executable, self.fonts) = (executable, fonts)
    }

    /// Draws one chart in `folder`. gnuplot works in a temporary folder, and only complete pictures are moved from
    /// there.
    ///
    /// For a character that no font has, the PNG and PDF drivers draw shapes over the whole picture. These pictures
    /// show `□` instead. An SVG keeps its texts, because its reader chooses the fonts.
    /// - Returns: The characters that no font has.
    /// - Throws: `ResultsError` of kind `ioError` with gnuplot's message.
    func draw(_ chart: Chart, formats: [ChartFormat], in folder: String) throws -> Set<Unicode.Scalar> {
        let scratch: ScratchFolder
        do throws(FileError) {
            // Named as a temporary file, so that readers pass over it, and the next process removes it.
            scratch = try ScratchFolder(in: folder, prefix: String(AtomicFile.temporaryPrefix.dropLast()))
        } catch {
            throw ResultsError(error)
        }
        defer { scratch.remove() }
        let (script, data) = (FontCoverage.drawable(chart.script, fonts), FontCoverage.drawable(chart.data, fonts))
        let missing = script.missing.union(data.missing)
        let vectors = missing.isEmpty ? formats : formats.filter { $0 == .svg }
        if !vectors.isEmpty { try draw(chart, chart.script, chart.data, vectors, in: folder, workshop: scratch.path) }
        let others = formats.filter { !vectors.contains($0) }
        if !others.isEmpty { try draw(chart, script.text, data.text, others, in: folder, workshop: scratch.path) }
        return missing
    }

    private func draw(
        _ chart: Chart, _ script: String, _ data: String, _ formats: [ChartFormat], in folder: String, workshop: String
    ) throws {
        try ResultFile.write(script, to: "\(workshop)/\(chart.name).gp")
        try ResultFile.write(data, to: "\(workshop)/\(chart.name).csv")
        let message = try run("\(chart.name).gp", in: workshop)
        for format in formats {
            let picture = "\(chart.name).\(format.rawValue)"
            guard message == nil, format.isComplete("\(workshop)/\(picture)"),
                rename("\(workshop)/\(picture)", "\(folder)/\(picture)") == 0
            else {
                throw ResultsError(
                    .ioError, file: "\(folder)/\(picture)",
                    """
                    gnuplot did not draw it: \(message ?? Self.missingPicture(in: folder)); try `gnuplot \
                    \(chart.name).gp` there
                    """
                )
            }
        }
    }

    /// The reason why a picture is missing although gnuplot reports success: it does not check its writes.
    private static func missingPicture(in folder: String) -> String {
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0, UInt64(facts.f_bavail) * UInt64(facts.f_frsize) < 1 << 20 else {
            return "it wrote no whole picture"
        }
        return "no space is left on the device"
    }

    /// Runs a script, and returns gnuplot's message if it failed.
    private func run(_ script: String, in folder: String) throws -> String? {
        let process: SpawnedProcess
        do { process = try SpawnedProcess(executable, [script], in: .init(folder: folder), errors: .pipe) } catch {
            throw ResultsError(
                .missingTool, file: executable,
                "cannot be started (\(error)); check its permissions, or install it again")
        }
        // Read to the end before waiting: a full pipe would block gnuplot.
        let text = String(decoding: SpawnedProcess.readAll(process.errors), as: UTF8.self)
        let end = process.wait()
        guard end != .exit(0) else { return nil }
        // The reason is in the last lines, among blank ones and a caret that points into the script.
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let reasons = lines.filter { !$0.isEmpty && $0 != "^" }.suffix(2)
        guard reasons.isEmpty else { return reasons.joined(separator: "; ") }
        return end.status.map { "it ended with status \($0)" } ?? "a signal ended it"
    }
}

/// Values in gnuplot's syntax.
enum GnuplotText {
    /// Returns an expression of a string. Texts are in single quotes, in which gnuplot interprets nothing; in double
    /// quotes, backquotes in a cache's name would run a shell command. Lines are quoted separately and joined.
    ///
    /// Single quotes are joined too: gnuplot 5.4 reads two of them as one only between other characters, so that
    /// `'''q'''` and `'a''''b'` are errors.
    static func quoted(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                // By scalars: a quote can be one character with the scalar before it or behind it.
                let text = drawable(VisibleText.printable(String(line))).replacing(scalars: ["'": "'.\"'\".'"])
                return "'\(text)'"
            }
            .joined(separator: ".\"\\n\".")
    }

    static func file(_ name: ChartName, _ ending: String) -> String { quoted("\(name).\(ending)") }

    /// Replaces what the drivers cannot draw.
    ///
    /// Emoji and other characters beyond the basic plane become boxes: if no font has them, as on most servers, the PNG
    /// driver draws black shapes over the whole picture. The SVG driver writes texts as CDATA, which `]]>` ends.
    private static func drawable(_ text: String) -> String {
        let drawn = text.map { character -> Character in
            character.unicodeScalars.contains { $0.value >= 0xFFFE } ? "□" : character
        }
        // By bytes: the sign can be one character with a combining mark behind it.
        let bytes = Array(String(drawn).utf8).replacing("]]>".utf8, with: "]] >".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a number rounded to some significant digits.
    static func significant(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)g", value) }

    static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}

/// The last line of a chart's script: a checksum that tells whether a user has edited the lines before it.
enum EditedScript {
    private static let prefix = "# checksum "

    static func mark(of script: String) -> String { "\(prefix)\(checksum(script))\n" }

    /// Returns whether a user has changed a script since it was written.
    static func isEdited(_ text: String) -> Bool {
        guard let start = text.range(of: "\n\(prefix)", options: .backwards) else { return true }
        let script = text[..<text.index(after: start.lowerBound)]
        return String(script) + mark(of: String(script)) != text
    }

    static func isEdited(file: String) -> Bool {
        guard file.dropping(ending: ".gp") != nil, let text = try? ResultFile.text(at: file) else { return false }
        return isEdited(text)
    }

    /// The 64-bit hash FNV-1a, which shows accidental changes (Fowler, Noll and Vo, RFC 9923).
    private static func checksum(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
