import ArgumentParser
import CacheTraces
import Foundation
import ReplayEngine

/// One cell of a replay, in a process of its own. `replay` starts it; people do not.
struct CellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay-cell", abstract: "Replay one trace through one cache once.", shouldDisplay: false)

    @Argument(help: "The order, a JSON file.")
    var order: String

    @Argument(help: "Where to write the result.")
    var result: String

    func run() throws {
        Self.endWithParent()
        let order = try JSONDecoder().decode(CellOrder.self, from: Data(contentsOf: URL(fileURLWithPath: order)))
        let plugins = try LoadedPlugins(paths: order.plugins)
        let trace = try order.trace.load()
        let total = max(trace.events.count, 1)
        let result = try order.job.run(trace, registry: CacheReplay.policies) { events in
            // A line per thousand events on standard output: the parent's progress bar.
            try? FileHandle.standardOutput.write(contentsOf: Data("\(Double(events) / Double(total))\n".utf8))
        }
        try plugins.check()
        try JSONEncoder().encode(result).write(to: URL(fileURLWithPath: self.result))
    }

    /// Our standard input is a pipe that the parent never writes to: it ends when the parent is done with us, or gone.
    private static func endWithParent() {
        Thread.detachNewThread {
            while let data = try? FileHandle.standardInput.read(upToCount: 1), !data.isEmpty {}
            _exit(ExitStatus.interrupted.rawValue)
        }
    }
}

/// What a cell's process is told.
struct CellOrder: Codable {
    var trace: TraceFile
    var job: ReplayJob
    var plugins: [String]
}

/// A trace by its place.
struct TraceFile: Codable, Hashable {
    var path: String
    /// A format's name; nil: recognised by its content.
    var format: String?

    /// The file's name without folders, and without the endings of compression and format: `page.2` of `page.2.har.gz`.
    var name: String {
        let file = URL(fileURLWithPath: path).lastPathComponent
        let formats = TraceFormat.all.flatMap(\.fileEndings).sorted { $0.count > $1.count }
        let short = Self.without(formats, Self.without([".gz", ".bz2", ".xz", ".zst"], file))
        return Self.without([".bin", ".json", ".txt"], short)
    }

    private static func without(_ endings: [String], _ name: String) -> String {
        let ending = endings.first { name.count > $0.count && name.lowercased().hasSuffix($0) }
        return String(name.dropLast(ending?.count ?? 0))
    }
}
