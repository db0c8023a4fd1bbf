import Foundation
import SessionModel
import SessionRecorder
import TestSupport
import Testing

@Suite("Files: rotation, earlier recordings, disk errors")
struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("The numbers of earlier files are found, also behind a sign of numbers, which is one character with the dash")
    func signOfNumbers() throws {
        let file = folder.url("feed\u{600}.jsonl")
        for launch in 1...3 {
            let recorder = TraceRecorder(file: file, options: options { _ in })
            recorder.cellAppeared("https://a.example/\(launch).jpg")
            #expect(recorder.finish(timeout: 60))
        }
        #expect(folder.files.map { Array($0.utf8) } == ["-2", "-3", ""].map { Array("feed\u{600}\($0).jsonl".utf8) })
    }

    @Test("After a full file comes a new one with its own header; each is a trace, and joined they are the session")
    func rotation() throws {
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(
            file: file,
            options: options {
                $0.maximumFileBytes = 4_000; $0.maximumFiles = 100
            })
        for number in 0..<1_000 {
            recorder.cellAppeared("https://a.example/\(number % 10).jpg")
            if number % 50 == 0 { recorder.flush(timeout: 60) }
        }
        #expect(recorder.finish(timeout: 60))

        let files = recorder.status.files
        #expect(files.count > 10)
        #expect(files.prefix(2).map(\.lastPathComponent) == ["feed.jsonl", "feed-2.jsonl"])
        #expect(folder.files.count == files.count)
        var joined = ""
        var count = 0
        for (index, url) in files.enumerated() {
            let trace = try read(url)
            count += trace.events.count
            let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
            // The limit, and one or two lines more.
            #expect(text.utf8.count < 4_000 + 200)
            #expect(text.contains("\"part\":\(index + 1),"))
            joined += index == 0 ? text : text.split(separator: "\n").dropFirst().map { $0 + "\n" }.joined()
        }
        #expect(count == 1_000)
        let whole = folder.url("whole.jsonl")
        try Data(joined.utf8).write(to: whole)
        let trace = try read(whole)
        #expect(trace.objects.count == 10)
        #expect(trace.events.map(\.action) == (0..<1_000).map { .appear(ObjectID($0 % 10), .full) })
    }

    @Test("The number of files is limited, the oldest are deleted first, and numbers are not reused")
    func numberOfFiles() throws {
        let file = folder.url("feed.jsonl")
        for other in ["feed-x.jsonl", "feed-007.jsonl", "feed.txt", "feedback.jsonl"] {
            try Data("mine".utf8).write(to: folder.url(other))
        }
        for launch in 1...5 {
            let recorder = TraceRecorder(file: file, options: options { $0.maximumFiles = 2 })
            recorder.cellAppeared("launch \(launch)")
            #expect(recorder.finish(timeout: 60))
        }
        #expect(
            folder.files == [
                "feed-007.jsonl", "feed-4.jsonl", "feed-5.jsonl", "feed-x.jsonl", "feed.txt", "feedback.jsonl",
            ])
        #expect(try read(folder.url("feed-4.jsonl")).objects.map(\.key) == ["launch 4"])
        #expect(try read(folder.url("feed-5.jsonl")).objects.map(\.key) == ["launch 5"])
    }

    @Test("A recorder that is deallocated writes the waiting events")
    func letGo() throws {
        let pipe = folder.url("pipe.jsonl")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        TraceRecorder(file: pipe, options: options { $0.writeInterval = 3600 }).cellAppeared("a")
        // Ends when the writer closes the pipe.
        #expect(PipeReader(pipe).text().contains("\"key\":\"a\""))
    }

    @Test(
        "A full disk is reported once, the events are counted as lost, and the app continues",
        .enabled(if: access("/dev/full", W_OK) == 0))
    func fullDisk() throws {
        let log = ProblemLog()
        let full = URL(fileURLWithPath: "/dev/full")
        let recorder = TraceRecorder(file: full, options: options { $0.onProblem = log.add })
        for _ in 0..<3 {
            recorder.cellAppeared("a")
            #expect(recorder.flush(timeout: 60))
        }
        #expect(log.all == [.cannotWrite(file: "/dev/full", code: ENOSPC)])
        #expect(recorder.status.eventsLost == 3)
        #expect(recorder.status.eventsWritten == 0)
        #expect(recorder.status.problem == .cannotWrite(file: "/dev/full", code: ENOSPC))
        #expect(recorder.status.problem?.description.contains("No space left on device") == true)
        #expect(recorder.finish(timeout: 60))
    }

    @Test("A missing folder is reported; when it exists the recording continues, and reports the lost events")
    func missingFolder() throws {
        let log = ProblemLog()
        let file = folder.url("later/feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.onProblem = log.add })
        recorder.cellAppeared("a")
        recorder.memoryWarning()
        #expect(recorder.flush(timeout: 60))
        #expect(log.all == [.cannotCreate(file: file.path, code: ENOENT)])
        try FileManager.default.createDirectory(at: folder.url("later"), withIntermediateDirectories: false)
        recorder.cellAppeared("b")
        #expect(recorder.finish(timeout: 60))
        #expect(try read(file).events.map(\.action) == [.appear(0, .full)])
        #expect(try reportedAsDropped(try folder.text("later/feed.jsonl")) == 2)
        #expect(recorder.status.problem == nil)
        #expect(recorder.status.eventsLost == 2)
    }

    @Test(
        "A disk that fills within a line, and has space again, leaves a valid trace that reports the gap",
        .enabled(if: SmallDisk.isAvailable))
    func diskFillsAndEmpties() throws {
        let disk = try SmallDisk(folder.path, kilobytes: 64)
        defer { disk.unmount() }
        let ballast = folder.url("ballast")
        try Data(count: 32 << 10).write(to: ballast)
        let log = ProblemLog()
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(file: file, options: options { $0.onProblem = log.add })
        for number in 0..<20 { recorder.cellAppeared("https://a.example/\(number).jpg") }
        // The line of this one is longer than the free space, so the disk fills within it, whatever the times are.
        recorder.cellAppeared("https://a.example/\(String(repeating: "long", count: 12_000)).jpg")
        #expect(recorder.flush(timeout: 60))
        #expect(log.all == [.cannotWrite(file: file.path, code: ENOSPC)])
        #expect(try Data(contentsOf: file).last != UInt8(ascii: "\n"))

        try FileManager.default.removeItem(at: ballast)
        // The object lines of the last ones were lost too.
        for number in 900..<1_000 { recorder.cellAppeared("https://a.example/\(number).jpg") }
        #expect(recorder.finish(timeout: 60))
        let trace = try read(file)
        let status = recorder.status
        #expect(status.eventsLost > 0)
        #expect(status.eventsWritten + status.eventsLost == 121)
        #expect(trace.events.count == status.eventsWritten)
        #expect(try reportedAsDropped(try folder.text("feed.jsonl")) == status.eventsLost)
        let last = trace.events.suffix(100).compactMap(\.action.object).map { trace.objects[Int($0)].key }
        #expect(last == (900..<1_000).map { "https://a.example/\($0).jpg" })
    }
}
