import ArgumentParser
import CacheTraces

public struct FormatsCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "List the trace formats.",
        discussion: """
            A file of any format can be compressed with gzip, bzip2, xz, zstd or zlib.

            Example: cachereplay formats --json
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    public init() {}

    public func run() {
        if json { return CommandOutput.printJSON(TraceFormat.catalogueJSON()) }
        CommandOutput.print(TraceFormat.catalogue())
    }
}
