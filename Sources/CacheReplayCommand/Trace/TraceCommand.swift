import ArgumentParser

public struct TraceCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Look at traces, check them, convert and compile them, make them up.",
        subcommands: [
            TraceInfoCommand.self, TraceHeadCommand.self, TraceValidateCommand.self, TraceConvertCommand.self,
            TraceCompileCommand.self,
            TraceSynthesizeCommand.self,
        ])

    public init() {}
}
