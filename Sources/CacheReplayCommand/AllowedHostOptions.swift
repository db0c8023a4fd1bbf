import ArgumentParser
import TraceRecording

/// The option `--allow-host` of the commands that start a server.
struct AllowedHostOptions: ParsableArguments {
    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Accept requests for this host name, and from pages of it. Can be repeated. localhost and IP addresses are "
                + "always accepted; other names could be those of any web page.",
            valueName: "name"),
        transform: AllowedHostOptions.host)
    var names: [HostName] = []

    private static func host(_ text: String) throws -> HostName {
        guard let name = HostName(text) else {
            throw ValidationError("'\(text)' is not a host name without scheme and port, such as phone.local.")
        }
        return name
    }
}
