import Basics
import Foundation

/// The characters that the fonts of a machine have.
struct FontCoverage: Sendable {
    private let ranges: [ClosedRange<UInt32>]

    /// The fonts of this machine, as fontconfig knows them; none of the characters in question if it is not installed.
    static let ofMachine = FontCoverage(charsets: list(ProcessInfo.processInfo.environment["PATH"] ?? ""))

    /// - Parameter text: The output of `fc-list --format='%{charset}\n'`: hexadecimal numbers, and ranges of them.
    init(charsets text: String) {
        ranges = text.split { $0.isWhitespace }.compactMap { part -> ClosedRange<UInt32>? in
            let ends = part.split(separator: "-").compactMap { UInt32($0, radix: 16) }
            guard let first = ends.first, let last = ends.last, first <= last else { return nil }
            return first...last
        }
    }

    /// Runs `fc-list`, which comes with the library by which gnuplot's PNG driver finds fonts.
    static func list(_ path: String) -> String {
        let places = path.parts(between: ":").map { "\($0)/fc-list" }
        guard let program = places.first(where: FileManager.default.isExecutableFile),
            let process = try? SpawnedProcess(program, ["--format=%{charset}\\n"], output: .pipe)
        else { return "" }
        let text = String(decoding: SpawnedProcess.readAll(process.output), as: UTF8.self)
        return process.wait() == .exit(0) ? text : ""
    }

    /// Returns a script with `□` in place of the characters that no font has, and these characters.
    ///
    /// Signs that change the character before them, and that no font has, are left out. Latin, Greek and Cyrillic
    /// letters, and the signs of charts, are in every font that gnuplot can use.
    /// - Parameter fonts: The fonts; nil for this machine's fonts, which are asked if there is a character in question.
    static func drawable(_ text: String, _ fonts: FontCoverage?) -> (text: String, missing: Set<Unicode.Scalar>) {
        guard text.unicodeScalars.contains(where: isInQuestion) else { return (text, []) }
        let fonts = fonts ?? ofMachine
        var drawn = String.UnicodeScalarView()
        var missing: Set<Unicode.Scalar> = []
        var known: [Unicode.Scalar: Bool] = [:]
        func has(_ scalar: Unicode.Scalar) -> Bool {
            if let known = known[scalar] { return known }
            let has = fonts.ranges.contains { $0.contains(scalar.value) }
            known[scalar] = has
            return has
        }
        for scalar in text.unicodeScalars {
            if !isInQuestion(scalar) || has(scalar) {
                drawn.append(scalar)
            } else if [.nonspacingMark, .enclosingMark, .format].contains(scalar.properties.generalCategory) {
                continue
            } else {
                missing.insert(scalar)
                drawn.append("□")
            }
        }
        return (String(drawn), missing)
    }

    private static func isInQuestion(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x0530 && !(0x1E00...0x2BFF).contains(scalar.value)
    }
}
