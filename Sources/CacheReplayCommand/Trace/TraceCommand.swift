import ArgumentParser

public struct TraceCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Inspect, check, convert, compile and generate traces.",
        subcommands: [
            TraceInfoCommand.self, TraceHeadCommand.self, TraceValidateCommand.self, TraceConvertCommand.self,
            TraceCompileCommand.self, TraceSynthesizeCommand.self,
        ])

    public init() {}
}
