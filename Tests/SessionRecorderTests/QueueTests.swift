import CacheTraces
import Foundation
import SessionRecorder
import Testing
import TestSupport

@Suite("The queue: bounded, without waits")
struct QueueTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Concurrent threads: below the limit nothing is lost, and the events of each thread keep their order")
    func manyThreads() throws {
        let threads = 16
        let each = 5_000
        let file = folder.url("feed.jsonl")
        let recorder = TraceRecorder(
            file: file,
            options: options {
                $0.queueLimit = threads * each; $0.queueByteLimit = .max / 4
            })
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<each { recorder.cellAppeared("\(thread)/\(number)") }
        }
        #expect(recorder.finish(timeout: 60))

        let trace = try read(file)
        #expect(trace.events.count == threads * each)
        #expect(recorder.status.eventsWritten == threads * each)
        #expect(recorder.status.eventsDropped == 0)
        #expect(Set(trace.objects.map(\.key)).count == threads * each)
        for thread in 0..<threads {
            let keys = trace.objects.map(\.key).filter { $0.hasPrefix("\(thread)/") }
            #expect(keys == (0..<each).map { "\(thread)/\($0)" })
        }
    }

    @Test("Without a reader of the pipe no caller waits; the limit is exact, and the trace reports dropped events")
    func stalledWriter() throws {
        let pipe = folder.url("pipe.jsonl")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let recorder = TraceRecorder(file: pipe, options: options { $0.queueLimit = 500 })
        // The writer waits for a reader; if these calls waited for the writer, the test would not end.
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for number in 0..<1_000 { recorder.cellAppeared("image \(number)") }
        }
        recorder.background()
        #expect(!recorder.flush())
        #expect(recorder.status.eventsDropped == 3_501)
        #expect(recorder.status.eventsWritten == 0)

        let reader = PipeReader(pipe)
        #expect(recorder.flush(timeout: 60))
        recorder.foreground()
        #expect(recorder.finish(timeout: 60))
        let text = reader.text()
        #expect(try reportedAsDropped(text) == 3_501)
        let copy = folder.url("copy.jsonl")
        try Data(text.utf8).write(to: copy)
        let trace = try read(copy)
        #expect(trace.events.count == 501)
        #expect(trace.events.last?.action == .foreground)
        #expect(recorder.status.eventsWritten == 501)
        #expect(recorder.status.eventsDropped == 3_501)
    }

    @Test(
        "A full pipe stalls only the writer; the events dropped last are reported at the end"
    )
    func fullPipe() throws {
        let pipe = folder.url("pipe.jsonl")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let descriptor = open(pipe.path, O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        let recorder = TraceRecorder(file: pipe, options: options { $0.queueLimit = 100 })
        let key = String(repeating: "k", count: 900)
        // 10 MB, far more than any pipe holds beside a queue of 100.
        for number in 0..<10_000 { recorder.cellAppeared("\(key)\(number)") }
        #expect(recorder.status.eventsDropped > 0)

        // A pipe that the writer has not opened yet has an end: a reader would stop before the first byte.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&waiting, 1, 60_000) == 1)
        _ = fcntl(descriptor, F_SETFL, 0)
        let reader = PipeReader(descriptor)
        #expect(recorder.finish(timeout: 60))
        let text = reader.text()
        let status = recorder.status
        #expect(status.eventsWritten + status.eventsDropped == 10_000)
        #expect(try reportedAsDropped(text) == status.eventsDropped)
        let copy = folder.url("copy.jsonl")
        try Data(text.utf8).write(to: copy)
        #expect(try read(copy).events.count == status.eventsWritten)
    }

    @Test("The limit in bytes drops large events, and accepts smaller ones")
    func byteBound() throws {
        let pipe = folder.url("pipe.jsonl")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let recorder = TraceRecorder(file: pipe, options: options { $0.queueByteLimit = 100_000 })
        recorder.cellAppeared(String(repeating: "x", count: 100_001))
        recorder.cellAppeared(String(repeating: "y", count: 60_000))
        recorder.cellAppeared(String(repeating: "z", count: 60_000))
        recorder.cellAppeared("small")
        #expect(recorder.status.eventsDropped == 2)

        let reader = PipeReader(pipe)
        #expect(recorder.finish(timeout: 60))
        let text = reader.text()
        #expect(try reportedAsDropped(text) == 2)
        let copy = folder.url("copy.jsonl")
        try Data(text.utf8).write(to: copy)
        #expect(try read(copy).objects.map(\.key.count) == [60_000, 5])
    }
}

/// Reads a pipe to its end on a thread of its own.
final class PipeReader: @unchecked Sendable {  // `bytes` is written before `done` is signalled, and read after.
    private var bytes = Data()
    private let done = DispatchSemaphore(value: 0)

    /// Opens the pipe, which lets the writer open it too.
    convenience init(_ url: URL) { self.init { open(url.path, O_RDONLY) } }

    convenience init(_ descriptor: Int32) { self.init { descriptor } }

    private init(_ descriptor: @escaping @Sendable () -> Int32) {
        Thread {
            let file = FileHandle(fileDescriptor: descriptor(), closeOnDealloc: true)
            self.bytes = (try? file.readToEnd()) ?? Data()
            self.done.signal()
        }.start()
    }

    func text() -> String {
        done.wait()
        return String(decoding: bytes, as: UTF8.self)
    }
}
