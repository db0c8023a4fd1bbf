import ArgumentParser
import SessionModel

struct TraceHeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the first events of a trace.",
        discussion: "Example: cachereplay trace head page.har -n 20")

    @Argument(help: "The trace; - is standard input.", completion: .file())
    var file: String

    @Option(name: [.customShort("n"), .long], help: "The number of events.")
    var count = 10

    @Flag(help: "Print the events in the native format, JSON Lines.")
    var json = false

    @OptionGroup var input: InputFormatOptions

    func validate() throws {
        guard count >= 0 else { throw ValidationError("-n requires a number from 0") }
    }

    func run() throws {
        let reading = try input.read(file)
        printWarnings(reading.warnings, file: file)
        let head = reading.trace.prefix(count)
        if json {
            var encoder = JSONLinesEncoder()
            encoder.append(head)
            CommandOutput.printJSON(String(decoding: encoder.bytes, as: UTF8.self), terminator: "")
        } else {
            CommandOutput.print(head.table())
        }
    }
}
