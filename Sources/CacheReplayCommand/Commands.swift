import ArgumentParser

/// The commands of the program. The one for the first answer of `scripts/demo` has `replay` alone: `Package.swift`
/// leaves out the files of the other commands, and the modules that they alone need.
extension CacheReplay {
    #if FIRST_ANSWER
    static var groups: [CommandGroup] {
        [CommandGroup(name: "Decide", subcommands: [ReplayCommand.self, RunCommand.self])]
    }

    static var listed: [any ParsableCommand.Type] { [] }
    #else
    /// The commands, in the groups of the help.
    static var groups: [CommandGroup] {
        [
            CommandGroup(
                name: "Decide",
                subcommands: [
                    AdviseCommand.self, PlayCommand.self, ReplayCommand.self, ExplainCommand.self, ChartCommand.self,
                ]),
            CommandGroup(
                name: "Record",
                subcommands: [RecordCommand.self, TraceCommand.self, ValidateCommand.self, OriginCommand.self]),
            CommandGroup(
                name: "Judge",
                subcommands: [CompareCommand.self, GateCommand.self, HistoryCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Simulate", subcommands: [SimulateCommand.self, CalibrateCommand.self, MergeCommand.self]),
            CommandGroup(
                name: "Look up", subcommands: [ListCommand.self, DemonstrateCommand.self, ProbeCommand.self]),
            CommandGroup(name: "Internal", subcommands: [RunCommand.self]),
        ]
    }

    /// The commands below `list`.
    static var listed: [any ParsableCommand.Type] { ListCommand.configuration.subcommands }
    #endif
}
