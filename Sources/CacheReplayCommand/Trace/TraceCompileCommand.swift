import Basics
import ArgumentParser
import CacheTraces

struct TraceCompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compile a trace into columns that simulate maps, without parsing.",
        discussion: """
            Example: cachereplay trace compile web.oracleGeneral.zst web.crtrace

            A compiled trace simulates exactly as its source, and starts at once however large it is. Every command \
            reads it: one that
            was made of a session (with fetches, scrolling, disappearing cells) carries the session too. Checksums \
            tell damage.
            """)

    @Argument(help: "The trace to read.", completion: .file())
    var source: String

    @Argument(help: "The file to write; by habit it ends in .crtrace.", completion: .file())
    var destination: String

    @Flag(help: "Do not print warnings, nor what was written.")
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        var notes = ReadingNotes()
        let trace = try CompiledTrace(TraceInput(path: source), format: input.chosenFormat(), &notes)
        if !quiet { printWarnings(notes.warnings, file: source) }
        do {
            try trace.write(to: destination)
        } catch let error as FileError {
            throw CommandFailure(.cannotCreate, "\(error)")
        }
        if !quiet { print("\(destination): \(trace.accesses) accesses to \(trace.objects) objects") }
    }
}
