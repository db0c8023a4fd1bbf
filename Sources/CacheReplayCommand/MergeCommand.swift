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
            runs and CSV files as a replay without --shard. Shards of other replays, versions, costs or budgets \
            are refused, and missing ones are named. The shards of `simulate` are joined likewise; rates of requests \
            are those of the shards.

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
            let folder: ReplayStore = try join { manifest in
                manifest.relevanceThreshold = display.relevanceThreshold ?? manifest.relevanceThreshold
            }
            try display.show(folder)
        }
    }

    /// - Parameter describe: Changes the manifest of the whole.
    private func join<Kind: DrawnResults>(
        _ describe: (inout Manifest<Kind.Facts>) -> Void = { _ in }
    ) throws -> Store<Kind> {
        let set = try ShardSet<Kind>(shards)
        func place(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        if let shard = shards.first(where: { place($0) == place(output) }) {
            throw CommandFailure(
                .usage, "--output: \(output) is the folder of the shard \(shard); name another one.")
        }
        var manifest = set.manifest
        describe(&manifest)
        let folder = try Store<Kind>.begin(at: output, manifest, resume: false, replaces: force)
        let progress = ProgressBar(total: shards.count, unit: "shards", quiet: display.quiet)
        try set.join(into: folder) { progress.advance(by: 1) }
        progress.finish()
        try folder.finish(at: set.manifest.end ?? Date())
        return folder
    }
}
