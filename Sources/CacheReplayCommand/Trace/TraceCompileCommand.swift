import Basics
import ArgumentParser
import CacheTraces

struct TraceCompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compile a trace into columns that simulations use without parsing.",
        discussion: """
            Example: cachereplay trace compile web.oracleGeneral.zst web.crtrace

            A compiled trace simulates exactly like its source, and loads at once regardless of its size. Every \
            command reads it: a compiled session (with fetches, scrolling, disappearing cells) contains the whole \
            session. Checksums detect damage.
            """)

    @Argument(help: "The trace to read; - is standard input.", completion: .file())
    var source: String

    @Argument(help: "The file to write; its name usually ends in .crtrace.", completion: .file())
    var destination: String

    @Flag(name: .shortAndLong, help: Quiet.help)
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        var notes = ReadingNotes()
        let trace = try CompiledTrace(
            TraceInput(path: source), format: input.chosenFormat(), options: input.recording.options, &notes)
        if !quiet { printWarnings(notes.warnings, file: source) }
        do {
            try trace.write(to: destination)
        } catch let error as FileError {
            throw CommandFailure(.cannotCreate, "\(error)")
        }
        if !quiet { CommandOutput.print("\(destination): \(trace.accesses) accesses to \(trace.objects) objects") }
    }
}
