import ArgumentParser

/// The commands of the program for the first answer of `scripts/demo`, which `scripts/first` builds in place of the
/// commands of the program.
extension CacheReplay {
    static var groups: [CommandGroup] {
        [CommandGroup(name: "Decide", subcommands: [ReplayCommand.self, RunCommand.self])]
    }

    static var listed: [String] { [] }
}
