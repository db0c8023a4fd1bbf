import CacheTraces
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import CachePolicies
@testable import CacheSimulation

/// Windows that are simulated while the next one is read.
@Suite("Reading and simulating at once")
struct WindowPipeTests {
    /// 3,000 requests of objects that appear until the end, so that every window has new sizes.
    private static let rows = (0..<3_000).map { index in
        let object = index * index % (index / 4 + 7)
        return "\(index),\(object),\(1 + object % 90)"
    }

    @Test("An error behind some windows waits for the simulation and is thrown", arguments: [1, 2, 5])
    func error(jobs: Int) throws {
        let folder = try TemporaryFolder()
        let text = "time_us,key,size\n" + Self.rows.joined(separator: "\n") + "\n9999,7,many\n"
        let path = try folder.file("a.csv", text.utf8)
        var notes = ReadingNotes()
        #expect {
            try StreamedSweep.run(
                path, .init(window: 100), [try PolicyContext().policy("lru(2kB)")], jobs: jobs, &notes)
        } throws: { "\($0)".contains("'many'") }
    }

    @Test("Steps are done in order, and the end waits for the last one")
    func order() throws {
        let done = Mutex<[Int]>([])
        let pipe = try #require(WindowPipe.started { step in done.withLock { $0.append(step.room) } })
        var notes = ReadingNotes()
        let trace = try DenseTrace(
            TraceInput(bytes: "time_us,key,size\n0,a,1\n".utf8, path: "a.csv"), .init(), &notes)
        for room in 0..<100 { pipe.send { WindowPipe.Step(window: trace, room: room) } }
        pipe.finish()
        pipe.finish()
        #expect(done.withLock { $0 } == Array(0..<100))
    }
}
