import Basics
import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceRecording

@Suite struct TraceJournalTests {
    @Test("After each call the file is a valid trace of all events")
    func growsValid() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("session.jsonl").path
        let journal = try TraceJournal(path: path, header: TraceHeader(title: "Feed", recorder: "test"))
        #expect(try Trace(contentsOf: path).events.isEmpty)
        let kite = journal.object(TraceObject(key: "kite.jpg", bytes: 900))
        journal.append(TraceEvent(time: 10, .appear(kite, .thumbnail)))
        #expect(try Trace(contentsOf: path).events.count == 1)
        // Later facts: the line is repeated, with the new ones.
        #expect(journal.object(TraceObject(key: "kite.jpg", contentType: "image/jpeg", pixelWidth: 40)) == kite)
        journal.append(TraceEvent(time: 4, .fetch(kite, Fetch(bytes: 900, timeToFirstByte: 5))))
        let trace = try Trace(contentsOf: path)
        #expect(trace.objects == [TraceObject(key: "kite.jpg", bytes: 900, contentType: "image/jpeg", pixelWidth: 40)])
        #expect(trace.events.map(\.time) == [4, 10])
        #expect(trace.header.title == "Feed")
        #expect(journal.status.events == 2)
    }

    @Test("An event that arrives late is written with the time of the event before it")
    func keepsOrder() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("session.jsonl").path
        let journal = try TraceJournal(path: path, header: TraceHeader())
        journal.append([
            TraceEvent(time: 50, .background), TraceEvent(time: 20, .foreground), TraceEvent(time: 60, .terminate),
        ])
        #expect(try Trace(contentsOf: path).events.map(\.time) == [50, 50, 60])
        #expect(journal.status.late == 1)
    }

    @Test("An existing recording is not overwritten, and a missing folder is not created")
    func refuses() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("session.jsonl").path
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: FileError.self) { try TraceJournal(path: path, header: TraceHeader()) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(throws: FileError.self) {
            try TraceJournal(path: folder.url("no/such/session.jsonl").path, header: TraceHeader())
        }
    }

    @Test(
        "On a full disk, only the events that do not fit are lost, and counted",
        .enabled(if: SmallDisk.isAvailable))
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(folder.path, kilobytes: 16)
        defer { disk.unmount() }
        let path = folder.url("session.jsonl").path
        let journal = try TraceJournal(path: path, header: TraceHeader())
        for time in 0..<2_000 { journal.append(TraceEvent(time: Int64(time), .memoryWarning)) }
        let status = journal.status
        #expect(status.lost > 0 && status.events > 0 && status.events + status.lost == 2_000)
        #expect(status.problem?.contains("No space left") == true)
        #expect(try Trace(contentsOf: path).events.count == status.events - (try endsMidLine(path) ? 1 : 0))
    }

    @Test(
        "On a full disk, a batch is written whole or not at all, and again when there is room",
        .enabled(if: SmallDisk.isAvailable))
    func wholeBatches() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(folder.path, kilobytes: 16)
        defer { disk.unmount() }
        let (path, filler) = (folder.url("session.jsonl").path, folder.url("filler").path)
        let journal = try TraceJournal(path: path, header: TraceHeader())
        #expect(journal.appendWhole([TraceEvent(time: 1, .background)]))
        #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: 8_192)))
        let batch = (0..<400).map { TraceEvent(time: 2 + Int64($0), .memoryWarning) }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<2 { #expect(!journal.appendWhole(batch)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(journal.status.events == 1 && journal.status.lost == 0 && journal.status.problem != nil)
        try FileManager.default.removeItem(atPath: filler)
        #expect(journal.appendWhole(batch.prefix(200)))
        #expect(try Trace(contentsOf: path).events.map(\.time) == [1] + (2..<202).map { Int64($0) })
        #expect(journal.status.events == 201 && journal.status.late == 0 && journal.status.problem == nil)
        journal.lose(3)
        #expect(journal.status.lost == 3)
    }

    @Test("Events after the end are lost, and counted")
    func finished() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("session.jsonl").path
        let journal = try TraceJournal(path: path, header: TraceHeader())
        journal.append(TraceEvent(time: 1, .background))
        journal.finish()
        journal.append(TraceEvent(time: 2, .foreground))
        #expect(journal.status.lost == 1)
        #expect(try Trace(contentsOf: path).events.count == 1)
    }

    /// An incomplete line counts as written: its rest is written before everything else.
    private func endsMidLine(_ path: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path)).last != UInt8(ascii: "\n")
    }

    @Test("Concurrent threads write complete lines")
    func concurrency() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url("session.jsonl").path
        let journal = try TraceJournal(path: path, header: TraceHeader())
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let object = journal.object(TraceObject(key: "\((task + number) % 50).jpg"))
                        journal.append(TraceEvent(time: journal.now, .appear(object, .full)))
                    }
                }
            }
        }
        let trace = try Trace(contentsOf: path)
        #expect(trace.events.count == 1600)
        #expect(trace.objects.count == 50)
    }
}
