import Foundation
import ReplayEngine
import Testing

@testable import CacheReplayCommand

/// `--nscache`, and the script that says which model the class of a machine follows.
@Suite("The model of NSCache", .namesCommands)
struct NSCacheOptionTests {
    private func chosen(_ model: String, _ cache: String = "kingfisher-8; memory: 20MB") throws -> [String] {
        let caches = [try CacheConfiguration(specification: cache)]
        return try NSCacheOption.parse(["--nscache", model]).applied(to: caches).map(\.name)
    }

    @Test("A cache that rests on the class runs with the model alone; other values are refused in words")
    func values() throws {
        #expect(try chosen("frequency") == ["kingfisher-8; memory: 20MB [frequency]"])
        let misspelt = #expect(throws: CommandFailure.self) { try chosen("corelib") }
        #expect(misspelt?.description.contains("corelib: is no model of NSCache. Did you mean 'corelibs'?") == true)
        let other = #expect(throws: CommandFailure.self) { try chosen("fifo", "lru(1MB)") }
        #expect(other?.description.contains("none of the caches rests on") == true)
        #expect(misspelt?.status == .usage && other?.status == .usage)
    }

    #if os(Linux)
    @Test("The class of this machine has the figures of its model; LRU has others")
    func figures() throws {
        func row(_ model: String) throws -> [String: String] {
            // One row: no spread over models.
            let row = try Command.modelledRow(
                "Traces/photo-feed.jsonl", "k=kingfisher-8; memory: 20MB", "--nscache", model)
            #expect(row["cache"] == "k [\(model)]")
            return row.filter { !["cache", "base_cache"].contains($0.key) }
        }
        let model = try row("corelibs")
        #expect(try row("platform") == model)
        #expect(try row("lru")["memory_hits"] != model["memory_hits"])
    }

    @Test("Examples/NSCacheOrder.swift finds the model of the class on Linux")
    func order() throws {
        let run = try Binary.execute("/usr/bin/env", ["swift", "Examples/NSCacheOrder.swift"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("D alone costs more than the limit of 5\n  evicts C B A D\n  as corelibs\n"))
        #expect(run.output.hasSuffix("\nModels with all of these orders: corelibs\n"))
    }
    #endif
}
