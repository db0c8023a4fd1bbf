import Basics
import Foundation
import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// Requests that are written in another format without an event for each in memory.
@Suite("Converting files of requests")
struct RequestTransferTests {
    /// A source of requests: its format, the name of its file, and its content.
    struct Source: CustomTestStringConvertible, Sendable {
        var format: String
        var name: String
        var bytes: [UInt8]

        var testDescription: String { "\(format) \(name)" }

        init(_ format: String, _ name: String, _ text: String) {
            (self.format, self.name, bytes) = (format, name, Array(text.utf8))
        }

        init(format: String, name: String, bytes: [UInt8]) {
            (self.format, self.name, self.bytes) = (format, name, bytes)
        }
    }

    private static let texts = [
        // Numbers, one of which is the largest of 18 digits; a time that falls; sizes that differ.
        Source("csv", "numbers.csv", "time_us,key,size\n10,7,5\n20,999999999999999999,8\n15,7,6\n30,0,1\n40,7,5\n"),
        // Numbers and texts that a CSV file quotes; sizes that a later request states; a size of 0 that is replaced.
        Source(
            "csv", "texts.csv",
            "time_us,key,size\n0,\"a,b\",\n1,12,0\n2,\"a,b\",9\n3,12,4\n5,=1+1,\n6,\"c\"\"d\",1\n9,007,2\n9,7,3\n"),
        // Texts that are distinct numbers, and two that are one number.
        Source("csv", "zeroes.csv", "time_us,key,size\n0,+5,1\n1,007,2\n2,18446744073709551615,3\n3,8,4\n4,+5,1\n"),
        Source("csv", "twice.csv", "time_us,key,size\n0,7,1\n1,007,2\n2,7,3\n"),
        // Keys with line breaks, control characters, letters of several bytes, and formulas; one is empty, one long.
        Source(
            "csv", "odd.csv",
            "time_us,key,size\n0,\"\",1\n1,\"a\nb\",2\n2,a\tb,3\n3,aé;,4\n4,é,5\n5,-3.5,6\n6,@x,7\n7,'y,8\n"
                + "8,\"a\"\"b\",9\n9,\(String(repeating: "u", count: 300)),1\n10,\"\",1\n11,A b,2\n12,Zz\u{7F},2\n"),
        // A size that oracleGeneral cannot store.
        Source("csv", "large.csv", "time_us,key,size\n0,1,5000000000\n5,2,7\n9,1,5000000000\n"),
        Source("csv", "unsized.csv", "time_us,key\n0,x\n1,y\n5,x\n"),
        // Several epochs of 71 minutes.
        Source("csv", "long.csv", "time_us,key,size\n0,a,1\n5000000000,b,2\n5000000001,a,1\n99000000000,b,2\n"),
        Source("text", "a.txt", "cat\ndog\ncat\ncat\n"),
        Source("webcachesim", "a.tr", "1 7 100\n2 8 50\n3 7 120\n"),
        Source("address", "gcc.trace", "s 0x1FFF 1\nl 0x10 2\ns 0x1fff 1\n"),
        Source("arc", "p.lis", "10 3 0 1\n11 1 0 2\n5 0 0 3\n"),
    ]

    static let sources =
        texts + ClassicBinaryFormatTests.files.map { Source(format: $0.format, name: $0.name, bytes: $0.bytes) } + [
            Source(format: "oracleGeneral", name: "a.oracleGeneral", bytes: OracleGeneralFormatTests.aba)
        ]

    private static let targets = ["b.csv", "b.oracleGeneral", "b.jsonl", "b.crtrace", "b.csv.gz", "b.crtrace.gz"]

    /// Writes a file as `trace convert` does, and returns its content and all warnings.
    private static func transferred(
        _ path: String, to name: String, in folder: TemporaryFolder, window: Int
    ) throws -> (bytes: [UInt8], warnings: [String]) {
        let target = try #require(TraceFormat.writable(for: name))
        let output = "\(folder.path)/new-\(name)"
        var warnings: [String] = []
        switch try TransferredTrace(contentsOf: path, format: nil, to: target, window: window) {
        case .session: Issue.record("\(path) holds requests alone")
        case .columns(let columns, let found):
            warnings = found
            try columns.write(compressedTo: output)
        case .requests(let requests):
            warnings = requests.warnings
            warnings += try requests.write(to: output, format: target)
        }
        return (try folder.bytes("new-\(name)"), warnings)
    }

    @Test("Every window gives the bytes and the warnings of the whole session", arguments: sources, [1, 2, 7, 1 << 18])
    func equal(source: Source, window: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(source.name, source.bytes)
        var notes = ReadingNotes()
        let dense = try DenseTrace(contentsOf: path, .init(varying: .insertion), &notes)
        for name in Self.targets {
            let reading = try TraceReading(contentsOf: path)
            #expect(reading.format.name == source.format)
            let target = try #require(TraceFormat.writable(for: name))
            let losses = try reading.trace.write(to: "\(folder.path)/\(name)", format: target)
            let whole = try folder.bytes(name)
            let new = try Self.transferred(path, to: name, in: folder, window: window)
            if name.hasSuffix("jsonl") {
                #expect(new.bytes == whole, "\(name)")
                let moved = RequestTransfer.movedTimes(from: reading.start)
                #expect(new.warnings == reading.warnings + moved + losses, "\(name)")
            } else if reading.start == 0, dense.requestSizes == nil {
                // Otherwise a session does not have the times or sizes of the source.
                #expect(new.bytes == whole, "\(name)")
                let kept = reading.warnings.filter { !$0.contains("different size") }
                #expect(new.warnings.filter { !$0.contains("size 0, which") } == kept + losses, "\(name)")
            }
        }
    }

    @Test("What is written simulates as its source, and has its times", arguments: sources, [1, 7, 1 << 18])
    func simulatesAlike(source: Source, window: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(source.name, source.bytes)
        // A file that is converted once more is the same as one that is converted at once.
        _ = try Self.transferred(path, to: "b.crtrace", in: folder, window: window)
        for first in [path, "\(folder.path)/new-b.crtrace"] {
            for name in ["c.csv", "c.crtrace", "c.crtrace.gz"] {
                _ = try Self.transferred(first, to: name, in: folder, window: window)
                for varying in VaryingSizes.allCases {
                    var notes = [ReadingNotes(), ReadingNotes()]
                    let old = try DenseTrace(contentsOf: path, .init(varying: varying), &notes[0])
                    let new = try DenseTrace(
                        contentsOf: "\(folder.path)/new-\(name)", .init(varying: varying), &notes[1])
                    #expect(new.isEqual(to: old), "\(name)")
                    #expect(notes[1].hasSizesByRequest)
                }
                #expect(
                    try TraceReading(contentsOf: "\(folder.path)/new-\(name)").start
                        == TraceReading(contentsOf: path).start, "\(name)")
            }
        }
    }

    /// A has 10, then 30 bytes. The clock does not begin at 0.
    @Test("Sizes and times of requests by hand, and the first sizes on request", arguments: [1, 2, 7])
    func sizesAndTimes(window: Int) throws {
        let folder = try TemporaryFolder()
        let text = "time_us,key,size\n5000000,1,10\n6000000,2,20\n7000000,1,30\n"
        let path = try folder.file("a.csv", text.utf8)
        _ = try Self.transferred(path, to: "b.crtrace", in: folder, window: window)
        for source in [path, "\(folder.path)/new-b.crtrace"] {
            let csv = try Self.transferred(source, to: "b.csv", in: folder, window: window)
            #expect(String(decoding: csv.bytes, as: UTF8.self) == text)
            #expect(csv.warnings.isEmpty)
            let records = try Self.transferred(source, to: "b.oracleGeneral", in: folder, window: window)
            #expect(
                records.bytes
                    == OracleGeneralFormatTests.record(5, 1, 10, 3) + OracleGeneralFormatTests.record(6, 2, 20, -1)
                    + OracleGeneralFormatTests.record(7, 1, 30, -1))
            // A session has neither.
            let session = try Self.transferred(source, to: "b.jsonl", in: folder, window: window)
            #expect(
                session.warnings == [
                    "1 requests have a different size than the first of their object; each object keeps its first size",
                    "the first request is at 5000000 µs of the clock of the file; times are written as counted from it",
                ])
            guard
                case .requests(let requests) = try TransferredTrace(
                    contentsOf: source, format: nil, to: .csv, firstSizes: true, window: window)
            else {
                Issue.record("the source holds requests alone")
                continue
            }
            _ = try requests.write(to: "\(folder.path)/first.csv", format: .csv)
            #expect(
                try String(decoding: folder.bytes("first.csv"), as: UTF8.self)
                    == text.replacingOccurrences(of: "1,30", with: "1,10"))
            var notes = ReadingNotes()
            try CompiledTrace(contentsOf: source, firstSizes: true, &notes).write(to: "\(folder.path)/first.crtrace")
            #expect(notes.warnings == Array(session.warnings.prefix(1)))
            let first = try DenseTrace(contentsOf: "\(folder.path)/first.crtrace", .init(varying: .insertion), &notes)
            #expect(first.requestSizes == nil && first.requestBytes == 40)
        }
    }

    @Test(
        "Times that oracleGeneral cannot store count from the first, with a warning",
        arguments: [1 << 32, 5_000_000_000])
    func foreignClock(seconds: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.csv", "time,key,size\n\(seconds),1,10\n\(seconds + 2),2,20\n".utf8)
        let reading = try TransferredTrace(
            contentsOf: path, format: .csv(.init(timeUnit: .seconds)), to: .oracleGeneral)
        guard case .requests(let requests) = reading else {
            Issue.record("the source holds requests alone")
            return
        }
        let warnings = try requests.write(to: "\(folder.path)/b.oracleGeneral", format: .oracleGeneral)
        #expect(warnings == RequestTransfer.movedTimes(from: Int64(seconds) * 1_000_000))
        #expect(
            try folder.bytes("b.oracleGeneral")
                == OracleGeneralFormatTests.record(0, 1, 10, -1) + OracleGeneralFormatTests.record(2, 2, 20, -1))
    }

    @Test("Keys that a spreadsheet could take for formulas are marked, as in a session", arguments: [2, 1 << 18])
    func safeKeys(window: Int) throws {
        let folder = try TemporaryFolder()
        for source in Self.texts where source.format == "csv" {
            let path = try folder.file(source.name, source.bytes)
            var trace = try Trace(contentsOf: path)
            for object in trace.objects.indices {
                trace.objects[object].key = CSVStyle.safe.written(trace.objects[object].key)
            }
            try trace.write(to: "\(folder.path)/whole.csv", format: .csv)
            let transferred = try TransferredTrace(contentsOf: path, format: nil, to: .csv, window: window)
            guard case .requests(let requests) = transferred else {
                Issue.record("\(source.name) holds requests alone")
                continue
            }
            requests.style = .safe
            _ = try requests.write(to: "\(folder.path)/new.csv", format: .csv)
            #expect(try Self.keys("new.csv", in: folder) == Self.keys("whole.csv", in: folder), "\(source.name)")
        }
    }

    /// Returns what is between the time and the size of each line: a session has neither the clock nor the sizes of
    /// requests.
    private static func keys(_ name: String, in folder: TemporaryFolder) throws -> [Substring] {
        String(decoding: try folder.bytes(name), as: UTF8.self).split(separator: "\n").map { line in
            let start = line.firstIndex(of: ",") ?? line.startIndex
            return line[start..<(line.lastIndex(of: ",") ?? line.endIndex)]
        }
    }

    @Test("Many requests in small windows give the files of one window", arguments: [3, 64, 1000])
    func manyRequests(window: Int) throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 5)
        var (text, time) = ("time_us,key,size\n", UInt64(0))
        for _ in 0..<3000 {
            // Some pauses are longer than an epoch.
            time += random.next() % 200 == 0 ? 6_000_000_000 : random.next() % 1000
            let key = random.next() % 700
            text += "\(time),\(key),\(key % 5 == 0 ? "" : "\(1 + key * 977)")\n"
        }
        let path = try folder.file("a.csv", text.utf8)
        for name in ["b.csv", "b.oracleGeneral", "b.crtrace"] {
            let whole = try Self.transferred(path, to: name, in: folder, window: 1 << 18)
            let windowed = try Self.transferred(path, to: name, in: folder, window: window)
            #expect(windowed.bytes == whole.bytes, "\(name)")
            #expect(windowed.warnings == whole.warnings, "\(name)")
        }
        let compiled = try DenseTrace(contentsOf: "\(folder.path)/new-b.crtrace")
        #expect(compiled.epochs.count > 1)
        #expect(compiled.nextAccesses == compiled.computedNextAccesses())
    }

    @Test("A column in windows is read from both ends, also while it grows", arguments: [1, 2, 3, 4, 5, 100])
    func spooledColumn(window: Int) throws {
        let column = SpooledColumn(path: "a", window: window)
        for element in 0..<3 as Range<UInt32> { try column.append(element) }
        try [3, 4, 5, 6, 7, 8, 9].withUnsafeBufferPointer { try column.append($0) }
        #expect(column.count == 10)
        try column.replaceFromEnd { elements, start in
            for index in elements.indices { elements[index] += UInt32(100 * (start + index)) }
        }
        var elements: [UInt32] = []
        try column.forEachWindow { elements += $0 }
        #expect(elements == (0..<10).map { UInt32(101 * $0) })
        var reader = SpooledColumn.Reader(column)
        let read = try (0..<10).map { _ in try reader.next() }
        #expect(read == elements)
    }

    /// The first request has no size of its own, and gets the size of the second.
    @Test("CSV by hand", arguments: [1, 2, 7])
    func byHand(window: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.csv", "time_us,key,size\n10,a,\n20,3,5\n30,a,7\n".utf8)
        let csv = try Self.transferred(path, to: "b.csv", in: folder, window: window)
        #expect(String(decoding: csv.bytes, as: UTF8.self) == "time_us,key,size\n10,a,7\n20,3,5\n30,a,7\n")
        let records = try Self.transferred(path, to: "b.oracleGeneral", in: folder, window: window)
        // The keys are not all numbers, so the objects have their own.
        #expect(
            records.bytes
                == OracleGeneralFormatTests.record(0, 0, 7, 3) + OracleGeneralFormatTests.record(0, 1, 5, -1)
                + OracleGeneralFormatTests.record(0, 0, 7, -1))
    }

    @Test("A size of more than 32 bits is written as the largest number of 32 bits, with a warning")
    func largeSize() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.csv", "time_us,key,size\n0,1,5000000000\n5,2,7\n9,1,5000000000\n".utf8)
        let records = try Self.transferred(path, to: "b.oracleGeneral", in: folder, window: 2)
        #expect(
            records.bytes
                == OracleGeneralFormatTests.record(0, 1, .max, 3) + OracleGeneralFormatTests.record(0, 2, 7, -1)
                + OracleGeneralFormatTests.record(0, 1, .max, -1))
        let warning = "2 requests have sizes above 4294967295 bytes, which are written as 4294967295 bytes"
        #expect(records.warnings == [warning])
    }

    @Test("A session is read as a session")
    func sessions() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.csv", "time_us,key,size\n0,a,1\n1,b,2\n".utf8)
        let trace = try Trace(contentsOf: path)
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let target = try #require(TraceFormat.writable(for: name))
            try trace.write(to: "\(folder.path)/\(name)", format: target)
            let found = try TransferredTrace(contentsOf: "\(folder.path)/\(name)", format: nil, to: .csv)
            guard case .session(let reading) = found else {
                Issue.record("\(name) is no file of requests")
                continue
            }
            #expect(reading.trace == trace)
        }
    }

    @Test("Errors are those of reading the whole file, and leave the file that was there")
    func errors() throws {
        let folder = try TemporaryFolder()
        let output = try folder.file("b.csv", "old".utf8)
        for (name, text) in [("a.csv", "time_us,key,size\n0,a,1\n1,b,many\n"), ("empty.csv", "time_us,key,size\n")] {
            let path = try folder.file(name, text.utf8)
            let whole = #expect(throws: TraceError.self) { try Trace(contentsOf: path) }
            let windowed = #expect(throws: TraceError.self) {
                try Self.transferred(path, to: "b.csv", in: folder, window: 1)
            }
            #expect(whole?.description == windowed?.description)
        }
        #expect(try folder.bytes("b.csv") == Array("old".utf8))
        #expect(FileManager.default.fileExists(atPath: output))
    }

    @Test("A file is compressed as it is written", arguments: Compression.allCases.filter { $0 != .zlib })
    func compressed(compression: Compression) throws {
        let content = (0..<40_000).map { "\($0 * $0 % 7919),line\n" }.joined()
        let collected = Collected()
        let output = try CompressedOutput(compression, file: "a") { collected.bytes.append(contentsOf: $0) }
        var rest = Array(content.utf8)[...]
        var length = 1
        while !rest.isEmpty {
            try Array(rest.prefix(length)).withUnsafeBytes { try output.append($0) }
            rest = rest.dropFirst(length)
            length = length * 3 % 70_001
        }
        try output.finish()
        let stream = try TraceStream(contents: collected.bytes, path: "a")
        #expect(stream.compression == compression)
        #expect(try TraceInput(stream).withBytes { Array($0) } == Array(content.utf8))
        if compression == .gzip {
            #expect(try compression.compress(Array(content.utf8), file: "a") == collected.bytes)
        }
    }

    @Test("The error of the receiver ends a compressed file, and an unfinished one leaves nothing behind")
    func unfinished() throws {
        struct Full: Error {}
        let output = try CompressedOutput(.gzip, file: "a") { _ in throw Full() }
        var random = SystemRandomNumberGenerator()
        let noise = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(throws: Full.self) {
            try noise.withUnsafeBytes { try output.append($0) }
            try output.finish()
        }
        let given = try CompressedOutput(.zstd, file: "a") { _ in }
        try noise.withUnsafeBytes { try given.append($0) }
    }

    @Test("Numbers in decimal digits")
    func decimals() throws {
        let collected = Collected()
        var writer = BlockWriter { collected.bytes.append(contentsOf: $0) }
        for value in [0, 9, 10, 99, 100, UInt64.max] {
            try writer.append(decimal: value)
            try writer.append(UInt8(ascii: " "))
        }
        try writer.append(decimal: Int64.min)
        try writer.flush()
        #expect(
            String(decoding: collected.bytes, as: UTF8.self)
                == "0 9 10 99 100 18446744073709551615 -9223372036854775808")
    }

    @Test("Blocks follow each other without a gap, also those larger than a block")
    func blocks() throws {
        let collected = Collected()
        var writer = BlockWriter { collected.bytes.append(contentsOf: $0) }
        var expected: [UInt8] = []
        for length in [1, 65_535, 3, 65_536, 2, 65_537, 5, 200_000] {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length)
            expected += bytes
            try bytes.withUnsafeBytes { try writer.append($0) }
        }
        try writer.flush()
        #expect(collected.bytes == expected)
    }

    private final class Collected {
        var bytes: [UInt8] = []
    }
}
