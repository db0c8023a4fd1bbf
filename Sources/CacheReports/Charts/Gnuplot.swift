import Basics
import Foundation
import Runs

/// The gnuplot program of this machine.
struct Gnuplot: Sendable {
    private var executable: String

    /// Finds the program in the folders of a search path.
    /// - Throws: `ResultsError` of kind `missingTool`, which says how to install it.
    init(searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? "") throws {
        let places = path.split(separator: ":").map { "\($0)/gnuplot" }
        guard let executable = places.first(where: FileManager.default.isExecutableFile) else {
            throw ResultsError(
                .missingTool, file: "gnuplot",
                """
                not installed, so no chart was drawn; install it (`apt-get install gnuplot-nox`, `brew install \
                gnuplot`) and run `cachereplay chart`
                """
            )
        }
        self.executable = executable
    }

    /// Draws one chart in `folder`. gnuplot works in a temporary folder, and only complete pictures are moved from
    /// there.
    /// - Throws: `ResultsError` of kind `ioError` with gnuplot's message.
    func draw(_ chart: Chart, formats: [ChartFormat], in folder: String) throws {
        let scratch: ScratchFolder
        do throws(FileError) {
            // Named as a temporary file, so that readers pass over it, and the next process removes it.
            scratch = try ScratchFolder(in: folder, prefix: String(AtomicFile.temporaryPrefix.dropLast()))
        } catch {
            throw ResultsError(error)
        }
        defer { scratch.remove() }
        let workshop = scratch.path
        try ResultFile.write(chart.script, to: "\(workshop)/\(chart.name).gp")
        try ResultFile.write(chart.data, to: "\(workshop)/\(chart.name).csv")
        let message = try run("\(chart.name).gp", in: workshop)
        for format in formats {
            let picture = "\(chart.name).\(format.rawValue)"
            let size = try? FileManager.default.attributesOfItem(atPath: "\(workshop)/\(picture)")[.size] as? Int
            guard message == nil, let size, size > 0, rename("\(workshop)/\(picture)", "\(folder)/\(picture)") == 0
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
            return "it wrote no picture"
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
                drawable(VisibleText.printable(String(line))).split(separator: "'", omittingEmptySubsequences: false)
                    .map { "'\($0)'" }.joined(separator: ".\"'\".")
            }
            .joined(separator: ".\"\\n\".")
    }

    /// Returns the expression of the name of a chart's file.
    static func file(_ name: ChartName, _ ending: String) -> String { quoted("\(name).\(ending)") }

    /// Replaces what the drivers cannot draw.
    ///
    /// Emoji and other characters beyond the basic plane become boxes: if no font has them, as on most servers, the PNG
    /// driver draws black shapes over the whole picture. The SVG driver writes texts as CDATA, which `]]>` ends.
    private static func drawable(_ text: String) -> String {
        let drawn = text.map { character -> Character in
            character.unicodeScalars.contains { $0.value >= 0xFFFE } ? "□" : character
        }
        return String(drawn).replacing("]]>", with: "]] >")
    }

    /// Returns a number rounded to some significant digits.
    static func significant(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)g", value) }

    static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}

/// The last line of a chart's script: a checksum that tells whether a user has edited the lines before it.
enum EditedScript {
    private static let prefix = "# checksum "

    /// Returns the line for a script.
    static func mark(of script: String) -> String { "\(prefix)\(checksum(script))\n" }

    /// Returns whether a user has changed a script since it was written.
    static func isEdited(_ text: String) -> Bool {
        guard let start = text.range(of: "\n\(prefix)", options: .backwards) else { return true }
        let script = text[..<text.index(after: start.lowerBound)]
        return String(script) + mark(of: String(script)) != text
    }

    /// Returns whether a file is a script that a user has changed.
    static func isEdited(file: String) -> Bool {
        guard file.hasSuffix(".gp"), let text = try? ResultFile.text(at: file) else { return false }
        return isEdited(text)
    }

    /// The 64-bit hash FNV-1a, which shows accidental changes (Fowler, Noll and Vo, RFC 9923).
    private static func checksum(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
