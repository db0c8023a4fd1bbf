import CacheTraces
import Foundation
import Testing
import TraceRecording

@Suite struct TraceJournalTests {
    @Test("After each call the file is a valid trace of all that was told")
    func growsValid() throws {
        try withScratch { folder in
            let path = folder.appendingPathComponent("session.jsonl").path
            let journal = try TraceJournal(path: path, header: TraceHeader(title: "Feed", recorder: "test"))
            #expect(try Trace(contentsOf: path).events.isEmpty)
            let kite = journal.object(TraceObject(key: "kite.jpg", bytes: 900))
            journal.append(TraceEvent(time: 10, .appear(kite, .thumbnail)))
            #expect(try Trace(contentsOf: path).events.count == 1)
            // Learned later: the line comes again, with what is new.
            #expect(journal.object(TraceObject(key: "kite.jpg", contentType: "image/jpeg", pixelWidth: 40)) == kite)
            journal.append(TraceEvent(time: 4, .fetch(kite, Fetch(bytes: 900, timeToFirstByte: 5))))
            let trace = try Trace(contentsOf: path)
            #expect(trace.objects == [TraceObject(key: "kite.jpg", bytes: 900, contentType: "image/jpeg", pixelWidth: 40)])
            #expect(trace.events.map(\.time) == [4, 10])
            #expect(trace.header.title == "Feed")
            #expect(journal.status.events == 2)
        }
    }

    @Test("An event that comes late is written with the time of the one before it")
    func keepsOrder() throws {
        try withScratch { folder in
            let path = folder.appendingPathComponent("session.jsonl").path
            let journal = try TraceJournal(path: path, header: TraceHeader())
            journal.append([TraceEvent(time: 50, .background), TraceEvent(time: 20, .foreground), TraceEvent(time: 60, .terminate)])
            #expect(try Trace(contentsOf: path).events.map(\.time) == [50, 50, 60])
            #expect(journal.status.late == 1)
        }
    }

    @Test("A recording that exists is not written over; nor is a folder that is missing made up")
    func refuses() throws {
        try withScratch { folder in
            let path = folder.appendingPathComponent("session.jsonl").path
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: FileWriteError.self) { try TraceJournal(path: path, header: TraceHeader()) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
            #expect(throws: FileWriteError.self) {
                try TraceJournal(path: folder.appendingPathComponent("no/such/session.jsonl").path, header: TraceHeader())
            }
        }
    }

    @Test("A file that takes nothing costs the events, which are counted, and nothing else", .enabled(if: access("/dev/full", W_OK) == 0))
    func fullDisk() throws {
        // /dev/full takes no header either; so a real file, closed early, stands for it.
        #expect(throws: FileWriteError.self) { try TraceJournal(path: "/dev/full", header: TraceHeader()) }
        try withScratch { folder in
            let path = folder.appendingPathComponent("session.jsonl").path
            let journal = try TraceJournal(path: path, header: TraceHeader())
            journal.append(TraceEvent(time: 1, .background))
            journal.finish()
            journal.append(TraceEvent(time: 2, .foreground))
            #expect(journal.status.lost == 1)
            #expect(try Trace(contentsOf: path).events.count == 1)
        }
    }

    @Test("Many threads at once leave whole lines")
    func concurrency() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("session.jsonl").path
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

    private func withScratch(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
