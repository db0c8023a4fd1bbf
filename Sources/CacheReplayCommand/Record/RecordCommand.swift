import ArgumentParser

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a session from a browser, a phone or an app as a trace.",
        discussion: "Example: cachereplay record gallery ~/Pictures",
        subcommands: [RecordGalleryCommand.self, RecordProxyCommand.self])
}
