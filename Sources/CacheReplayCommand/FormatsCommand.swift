import ArgumentParser
import CacheTraces

public struct FormatsCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "List the trace formats.",
        discussion:
            "Example: cachereplay formats --json\n\nEvery format is also read from gzip, bzip2, xz and zstd files.")

    @Flag(help: "Print a JSON array.")
    var json = false

    public init() {}

    public func run() {
        print(json ? TraceFormat.catalogueJSON() : TraceFormat.catalogue())
    }
}
