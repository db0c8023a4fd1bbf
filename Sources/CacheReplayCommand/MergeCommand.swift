import ArgumentParser
import CacheReports
import Foundation
import Runs

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the results of the shards of a replay or a simulation.",
        discussion: """
            `replay --shard I/N` makes a part of a replay, on one of several machines. The joined folder has the same \
            runs and files as a replay without --shard, also those of --requests and --events. Shards of other \
            replays, versions, costs or budgets are refused, and missing ones are named. Shards with different \
            --relevance-threshold need that option here too. The shards of `simulate` are joined likewise; rates of \
            requests are those of the shards.

            Example:
              cachereplay replay Sessions --config caches.yaml --timing modelled \\
                --shard 1/2 -o Results/shard-1
              cachereplay replay Sessions --config caches.yaml --timing modelled \\
                --shard 2/2 -o Results/shard-2
              cachereplay merge Results/shard-1 Results/shard-2 -o Results/fleet
            """)

    @Argument(help: "The results folders of all shards, in any order.", completion: .directory)
    var shards: [String]

    @Option(name: .shortAndLong, help: "The folder for the joined results.")
    var output: String

    @Flag(help: "Replace the results that the output folder holds.")
    var force = false

    @OptionGroup var display: ResultDisplayOptions

    func run() throws {
        if shards.contains(where: SimulationRows.isShard) {
            try display.checkSimulation()
            let folder: SimulationStore = try join()
            try display.show(folder)
        } else {
            let folder: ReplayStore = try join { set, manifest in
                guard display.isRelevanceThresholdGiven else { return try set.checkRelevanceThreshold() }
                manifest.relevanceThreshold = display.relevanceThreshold
            }
            try folder.joinDetails(of: shards)
            try display.show(folder, requests: try finishFiles(of: folder))
        }
    }

    /// Writes the file of all requests and the file of all events, as far as the shards have such files of their runs.
    ///
    /// - Returns: The name of a file of requests; nil without one.
    private func finishFiles(of folder: ReplayStore) throws -> String? {
        func report(_ missing: Int, in name: String, of option: String) {
            guard missing > 0, !display.quiet else { return }
            printToStandardError("\(name) lacks \(missing) runs, whose shards were made without \(option).")
        }
        var names: [String] = []
        for format in RequestsFormat.allCases {
            let name = "requests.\(format.rawValue)"
            guard shards.contains(where: { FileManager.default.fileExists(atPath: "\($0)/\(name)") }) else { continue }
            report(try folder.finishRequests(as: format).missing, in: name, of: "--requests \(format.rawValue)")
            names.append(name)
        }
        if FileManager.default.fileExists(atPath: "\(folder.path)/events") {
            report(try folder.finishEvents(ChromeTrace.join), in: "events/", of: "--events")
        }
        return names.first
    }

    /// - Parameter describe: Checks the shards, and changes the manifest of the whole.
    private func join<Kind: DrawnResults>(
        _ describe: (ShardSet<Kind>, inout Manifest<Kind.Facts>) throws -> Void = { _, _ in }
    ) throws -> Store<Kind> {
        let set = try ShardSet<Kind>(shards)
        func place(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        if let shard = shards.first(where: { place($0) == place(output) }) {
            throw CommandFailure(
                .usage, "--output: \(output) is the folder of the shard \(shard); name another one.")
        }
        var manifest = set.manifest
        try describe(set, &manifest)
        let folder = try Store<Kind>.begin(at: output, manifest, resume: false, replaces: force)
        let progress = ProgressBar(total: shards.count, unit: "shards", quiet: display.quiet)
        try set.join(into: folder) { progress.advance(by: 1) }
        progress.finish()
        try folder.finish(at: set.manifest.end ?? Date())
        return folder
    }
}
