import ArgumentParser

/// The commands of the program. `scripts/first` has others.
extension CacheReplay {
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
                subcommands: [CompareCommand.self, GateCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Simulate", subcommands: [SimulateCommand.self, CalibrateCommand.self, MergeCommand.self]),
            CommandGroup(name: "Look up", subcommands: [ListCommand.self]),
            CommandGroup(name: "Internal", subcommands: [RunCommand.self]),
        ]
    }

    static var listed: [String] { ListCommand.Topic.allCases.map(\.rawValue) }
}
