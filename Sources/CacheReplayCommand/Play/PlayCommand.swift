import ArgumentParser
import Basics
import Foundation
import MeasuredTiers
import Playground
import ReplayEngine
import TraceRecording

struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Change caches on a page, and see exact figures of your sessions at once.",
        usage: "cachereplay play [<traces> ...] [<options>]",
        discussion: """
            Prints an address to open in a browser. On the page, a person changes limits,
            prefetching, the network and other rules of caches, and sees the figures that
            `replay --timing modelled` has for them. Without traces, the page has the
            bundled sessions. A folder or an archive with several sessions is also offered
            as a population, with the figures of its people. Ctrl-C ends the command.

            By default only this machine can open the address. The address contains a
            secret, which is new at each start, so that a page of an earlier start needs the
            new address. With --host and --expose, other devices can open it: everyone who
            has the address can see the sessions, and can start replays on this machine. The
            connection is plain HTTP without encryption.

            A cache that is a program (own=./my-cache) is replayed only if --cache or
            --config names it, and not with --expose.

            Example: cachereplay play Traces/stress-feed.jsonl --cache nuke-13 --cache
            kingfisher-8 --network lte --open
            """)

    @OptionGroup var input: TraceOptions

    @Option(
        help: ArgumentHelp(
            """
            A cache that the page begins with. Repeatable, up to four. By default, nuke-13 and kingfisher-8.
            """,
            valueName: "[name=]spec"))
    var cache: [String] = []

    @Option(
        help: "A YAML file with traces and caches, as `replay` takes it.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(
        help: """
            What the page begins with for rules of the app that presets only assume, such as cancelOnDisappear. equal: \
            libraries that differ have the same value, as in `replay`. own: each library has its own.
            """)
    var app = PlayOptions.AppChoice.equal

    @OptionGroup var server: ServerOptions

    @Flag(help: "With --host: let other devices open the page, see the sessions, and start replays on this machine.")
    var expose = false

    @Flag(name: .customLong("open"), help: "Open the address in the browser of this machine.")
    var opensBrowser = false

    @Option(help: "The seed of latencies that the recording does not have.")
    var seed: UInt64 = 1

    @OptionGroup var printing: QuietOption

    func validate() throws {
        guard cache.count <= PlayedCaches.most else {
            throw ValidationError(
                "--cache is given \(cache.count) times, and the page compares up to \(PlayedCaches.most) caches.")
        }
        let isLocal = HostCheck.isLoopback(server.host)
        if expose, isLocal {
            throw ValidationError("--expose needs --host, such as --host 0.0.0.0 for all networks of this machine.")
        }
        if !expose, !isLocal {
            throw ValidationError(
                """
                --host \(server.host) lets every device that reaches this machine connect to the page. Everyone who \
                has its address can see the sessions, and can start replays on this machine. The connection is not \
                encrypted. Add --expose to allow that.
                """)
        }
    }

    func run() throws {
        let file = try config.map { (path: $0, config: try ConfigFile(contentsOf: $0)) }
        if let file { try check(file.config, path: file.path) }
        let caches = try PlayedCaches(cache, file)
        let networks = try self.networks()
        let others = file?.config.traces ?? []
        let isBundled = input.traces.isEmpty && others.isEmpty
        let bundled = isBundled ? try PlayedTraces.bundled() : (first: others, archive: [])
        let late = LateTraces(input.strict ? [] : bundled.archive)
        defer { late.remove() }
        let sources = try input.sources(adding: bundled.first + (input.strict ? bundled.archive : []))
        defer { for file in sources.files { file.extracted?.folder.remove() } }
        let traces = try PlayedTraces(sources, isStrict: input.strict)
        var options = PlayOptions(version: CacheReplay.version, sessions: traces.sessions)
        options.populations = traces.populations
        options.later = late.reading
        if !caches.first.isEmpty { options.caches = caches.first }
        options.offered = caches.offered
        options.networks = networks
        // Who can ask must not be able to start programs that the command line does not name.
        options.parts = caches.haveProgram && !expose ? .real : nil
        options.registry = CacheReplay.policies
        options.seed = seed
        options.app = app
        let end = EndOfService(untilInputEnds: server.untilInputEnds)
        let page = try PlayServer(Playground(options), options: serverOptions, report: PlayReport.make)
        try show(page, sessions: traces.sessions.count, late: late.paths)
        end.wait()
        try page.stopAndWait()
    }

    private var serverOptions: PlayServer.Options {
        var options = PlayServer.Options()
        options.host = server.host
        options.port = server.port
        options.allowedHosts = server.allowedHosts
        return options
    }

    /// Returns the networks of --network, and then all others that the page offers.
    ///
    /// - Throws: ``CommandFailure`` for networks that can be the same, and for a file that describes none.
    private func networks() throws -> [PlayOptions.Network] {
        let standard = PlayOptions.Network.standard
        let choices = try ReplayCommand.NetworkName.choices(networkOption.networks)
        var networks: [PlayOptions.Network] = []
        for (network, choice) in zip(networkOption.networks, choices) {
            let name = network.rawValue
            let label = standard.first { $0.name == name }?.label ?? name
            networks.append(PlayOptions.Network(name: name, label: label, choice: choice))
        }
        for other in standard where !networks.contains(where: { $0.name == other.name }) { networks.append(other) }
        return networks
    }

    /// Checks that a configuration file sets nothing that changes figures and that the page does not have.
    private func check(_ config: ConfigFile, path: String) throws {
        if config.costs != nil {
            throw CommandFailure(
                .usage,
                """
                \(path): the figures of the page rest on the standard costs; remove 'costs:', or use `cachereplay \
                replay --timing modelled`.
                """)
        }
        if config.injected.text != nil {
            throw CommandFailure(
                .usage, "\(path): remove 'inject:'; memory warnings can be injected on the page itself.")
        }
        guard !printing.quiet else { return }
        let unused = ConfigFile.keysOfVerdicts + ["repeat"]
        if let remark = config.remark(on: unused, "on the page", path) { printToStandardError(remark) }
    }

    /// Prints the addresses to standard output, for scripts, and instructions to standard error. Opens the browser.
    private func show(_ page: PlayServer, sessions: Int, late: [String]) throws {
        let addresses = LocalAddresses.pages(at: page.address, host: server.host)
        for address in addresses { try CommandOutput.writeLine(address) }
        if !printing.quiet {
            let count = "\(sessions) \(sessions == 1 ? "session" : "sessions")"
            let others = late.map { ", and those of \($0)" }.joined()
            printToStandardError("Open this address in a browser: \(count)\(others). Ctrl-C ends the command.")
            if expose {
                printToStandardError(
                    """
                    Other devices can open it too. Everyone who has the address can see the sessions, and can start \
                    replays on this machine. The connection is not encrypted.
                    """)
            }
        }
        if opensBrowser { Browser.open(page.address) }
    }
}

/// The browser of this machine.
private enum Browser {
    #if os(macOS)
    private static let program = "open"
    #else
    private static let program = "xdg-open"
    #endif

    private static let remedy = "The browser cannot be opened: open the address by hand, or install xdg-utils."

    /// Opens an address, without waiting. Prints a remedy if that fails.
    static func open(_ address: String) {
        // In a group of its own, Ctrl-C does not reach the browser.
        guard let process = try? SpawnedProcess("/usr/bin/env", [program, address], in: .init(leadsGroup: true)) else {
            return printToStandardError(remedy)
        }
        try? DetachedThread.start { if process.wait() != .exit(0) { printToStandardError(remedy) } }
    }
}

extension PlayOptions.AppChoice: ExpressibleByArgument {}
