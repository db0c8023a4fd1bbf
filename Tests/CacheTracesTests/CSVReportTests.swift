import Basics
import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

/// What people reported of tables of requests and of libCacheSim's files, in public, and what is right.
@Suite("CSV and binary traces: what other programs write")
struct CSVReportTests {
    private func read(_ bytes: [UInt8], name: String, _ options: CSVFormat.Options? = nil) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: bytes, path: name), format: options.map { .csv($0) })
    }

    private func read(_ text: String, name: String = "a.csv", _ options: CSVFormat.Options? = nil) throws
        -> TraceReading
    {
        try read(Array(text.utf8), name: name, options)
    }

    /// The error of a file, with its place.
    private func refusal(_ text: String, name: String = "a.csv", _ options: CSVFormat.Options? = nil) -> String {
        do { return "read as \(try read(text, name: name, options).format.name)" } catch { return "\(error)" }
    }

    /// A word for each request: its seconds, its key and its size.
    private func story(_ reading: TraceReading) -> [String] {
        reading.trace.events.compactMap { event in
            guard case .appear(let object, _) = event.action else { return nil }
            let known = reading.trace.objects[Int(object)]
            return "\(event.time / 1_000_000) \(known.key) \(known.bytes.map(String.init) ?? "?")"
        }
    }

    @Test(
        "Comments, sep= and a title before a header are skipped and counted",
        arguments: [
            ("# made by x\ntime,key,size\n", 1), ("# a, b\n# c\n\ntime,key,size\n", 2), ("sep=,\ntime,key,size\n", 1),
            ("Exported by tool\n\ntime,key,size\n", 1), ("Title\nMore\n# note\ntime,key,size\n", 3),
            ("#time,key,size\n", 0), ("time,key,size\n", 0), ("\u{FEFF}# made by x\r\ntime,key,size\r\n", 1),
        ])
    func preamble(head: String, skipped: Int) throws {
        let reading = try read(head + "1,a,10\n3,a,10\n")
        #expect(story(reading) == ["0 a 10", "2 a 10"])
        let warning = reading.warnings.first { $0.contains("lines before the table") }
        #expect(warning.map { $0.hasPrefix("\(skipped) ") } ?? (skipped == 0))
    }

    @Test("The character of sep= counts, and lines in errors are lines of the file")
    func separator() throws {
        #expect(story(try read("sep=;\ntime;key;size\n1;a,b;10\n")) == ["0 a,b 10"])
        #expect(refusal("# made by x\ntime,key,size\n1,a,ten\n").contains("a.csv:3:"))
    }

    @Test("A title without a header is no table")
    func titleAlone() {
        #expect(
            refusal("Exported by tool\n1,a,10\n").contains("a.csv:2: expected 1 fields, as in the first row, found 3"))
    }

    @Test("Names between blanks are a header")
    func blanks() throws {
        #expect(story(try read("time key size\n5 a 10\n6 b 20\n", name: "a.txt")) == ["0 a 10", "1 b 20"])
    }

    @Test("Above three columns, names or options are needed")
    func wide() throws {
        let row = "128166372003061629,hm,0,Lookup,383496192,32768,413\n"
        let error = refusal(row)
        for words in ["a.csv:1:", "7 columns and no names", "2: hm, 3: 0, 4: Lookup", "--key-column", "--header"] {
            #expect(error.contains(words), "\(error)")
        }
        #expect(story(try read(row, .init(keyColumn: "5", sizeColumn: "6"))) == ["0 383496192 32768"])
        #expect(story(try read("1,a,10\n2,b,20\n")) == ["0 a 10", "1 b 20"])
    }

    @Test(
        "Without a header, a row of another width is refused by its line",
        arguments: [
            ("a,10\n1,b,20\n2,c,30\n", "a.csv:2: expected 2 fields, as in the first row, found 3"),
            ("1,a,10\n2,b\n", "a.csv:2: expected 3 fields, as in the first row, found 2"),
            (String(repeating: "1,a,10\n", count: 5_000) + "2,b,20,x\n", "a.csv:5001: expected 3 fields"),
        ])
    func widths(text: String, expected: String) {
        #expect(refusal(text).contains(expected))
    }

    @Test("Columns with other names are named by options, and make the row a header")
    func otherNames() throws {
        let text = "when,what,how_big\n1,a,10\n2,b,20\n"
        let options = CSVFormat.Options(timeColumn: "When", keyColumn: "what", sizeColumn: "how-big")
        #expect(story(try read(text, options)) == ["0 a 10", "1 b 20"])
        let numbers = CSVFormat.Options(timeColumn: "1", keyColumn: "2", sizeColumn: "3", hasHeader: true)
        #expect(story(try read(text, numbers)) == ["0 a 10", "1 b 20"])
        #expect(refusal(text, .init(hasHeader: true)).contains("--key-column with one of: when, what, how_big"))
    }

    @Test("Wikimedia's trace of images has its columns", .enabled(if: SharedData.isPresent))
    func wikimedia() throws {
        for name in ["cache-u.tsv", "cache-u-00"] {
            let path = SharedData.path("public-reports/formats/77-trace-wikimedia-cdn-2019/\(name)")
            let reading = try TraceReading(contentsOf: path)
            #expect(reading.format.name == "csv", "\(name)")
            guard name == "cache-u.tsv" else { continue }
            #expect(
                story(reading) == [
                    "0 833946053 9665", "0 -1679404160 17635", "0 -374822678 3333", "1 833946053 9665",
                ])
        }
    }

    @Test("The inputs of the reports are read or refused", .enabled(if: SharedData.isPresent))
    func reports() throws {
        let folder = SharedData.path("public-reports/formats")
        for name in ["comment", "sep", "title"] {
            let reading = try TraceReading(contentsOf: "\(folder)/83-csv-preamble-lines/\(name).csv")
            #expect(story(reading) == ["0 a 10", "1 a 10"], "\(name)")
        }
        #expect(throws: TraceError.self) { try TraceReading(contentsOf: "\(folder)/83-csv-preamble-lines/wide.csv") }
        for version in 1...3 {
            let reading = try TraceReading(contentsOf: "\(folder)/79-trace-lcs-2025/v\(version).lcs")
            #expect(story(reading) == ["0 11 1000", "1 12 500", "2 11 1000"], "\(version)")
        }
    }

    /// A file of today's lcs with three requests, the second of which has an operation from version 2 on.
    private func lcs(version: UInt64, operation: UInt8 = 1) -> [UInt8] {
        func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let magic = little(UInt64(0x1234_5678_9ABC_DEF0))
        var bytes = magic + little(version) + [UInt8](repeating: 0, count: 8192 - 24) + magic
        for (time, id, operation) in [(5, 7, 1), (6, 8, operation), (8, 7, 0)] as [(UInt32, UInt64, UInt8)] {
            bytes += little(time) + little(id) + (version < 3 ? little(UInt32(90)) : little(Int64(90)))
            if version > 1 { bytes += [operation, 1, 0, 0] }
            if version > 2 { bytes += little(UInt32(60)) }
            bytes += little(Int64(-1))
            let features = [0, 0, 0, 0, 1, 2, 4, 8, 16][Int(version)]
            bytes += [UInt8](repeating: 3, count: 4 * features)
        }
        return bytes
    }

    @Test("Every version of today's lcs", arguments: 1...8)
    func lcsVersions(version: UInt64) throws {
        #expect(story(try read(lcs(version: version), name: "a.lcs")) == ["0 7 90", "1 8 90", "3 7 90"])
        guard version > 1 else { return }
        let written = try read(lcs(version: version, operation: 9), name: "a.lcs")
        #expect(story(written) == ["0 7 90", "3 7 90"])
        #expect(written.warnings.contains { $0.hasPrefix("1 operations that read nothing") })
    }

    @Test("An unknown version, and a header or a record that is cut, are refused")
    func lcsErrors() {
        for (bytes, words) in [
            (Array(lcs(version: 8).prefix(8192)) + [1], "expected"),
            (Array(lcs(version: 1).prefix(4_000)), "cut short"),
        ] {
            #expect(throws: TraceError.self, "\(words)") { try read(bytes, name: "a.lcs") }
        }
        var other = lcs(version: 3)
        other[8] = 9
        let error = #expect(throws: TraceError.self) { try read(other, name: "a.lcs") }
        #expect(error?.description.contains("not a version of lcs that is known; expected 1 to 8") == true)
    }

    @Test("Parquet and lines that end with carriage returns alone are refused by what they are")
    func otherFiles() {
        #expect(refusal("PAR1\u{15}\u{4}\u{15}", name: "a.bin").contains("Python package"))
        for name in ["a.csv", "a.txt", "a.log"] {
            #expect(refusal("time,key,size\r1,a,10\r2,b,20\r", name: name).contains("carriage return alone"))
        }
        #expect(!refusal("time,key,size\r\n1,a,10\r\n").contains("carriage return"))
    }

    @Test("A stream of zstd that begins with a frame to skip")
    func skippableFrame() throws {
        let packed = try Compression.zstd.compress(Array("time,key\n1,a\n2,b\n".utf8), file: "a")
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("skippable-\(UUID()).csv.zst").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try AtomicFile.write([0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4] + packed, to: path)
        let reading = try TraceReading(contentsOf: path)
        #expect(story(reading) == ["0 a ?", "1 b ?"])
    }
}
