import Basics
import TestSupport
import Testing

@testable import CacheTraces
@testable import SessionModel

/// What a trace asks for, as a line of text: keys in order, seconds, sizes by object.
private func story(_ trace: Trace) -> String {
    let requests = trace.events.map { event in
        let object = event.action.object.map { trace.objects[Int($0)].key } ?? "?"
        return "\(object)@\(Double(event.time) / 1e6)"
    }
    let sizes = trace.objects.map { "\($0.key)=\($0.bytes.map(String.init) ?? "?")" }
    return requests.joined(separator: " ") + " | " + sizes.joined(separator: " ")
}

private func little(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
private func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }

@Suite("Classic text formats")
struct ClassicTextFormatTests {
    @Test(
        "Small files are recognised and tell their story",
        arguments: [
            ("lirs", "a.trace", "5\r\n*\r\n\r\n7\r\n5\r\n", "5@0.0 7@0.001 5@0.002 | 5=? 7=?"),
            (
                "text", "a.dat", "18446744073709551615\n3\n3\n",
                "18446744073709551615@0.0 3@0.001 3@0.002 | 18446744073709551615=? 3=?"
            ),
            (
                "text", "a.txt", "cat.jpg\n dog.jpg \ncat.jpg",
                "cat.jpg@0.0 dog.jpg@0.001 cat.jpg@0.002 | cat.jpg=? dog.jpg=?"
            ),
            ("arc", "p.lis", "10 3 0 1\n11 1 0 2\n5 0 0 3\n", "10@0.0 11@0.001 12@0.002 11@0.003 | 10=? 11=? 12=?"),
            ("webcachesim", "a.tr", "1 7 100\n2 8 50\n3 7 120\n", "7@0.0 8@0.001 7@0.002 | 7=100 8=50"),
            ("webcachesim", "a.tr", "10 7 100\n10 8 50\n13 7 100\n", "7@0.0 8@0.0 7@3.0 | 7=100 8=50"),
            (
                "address", "gcc.trace", "s 0x1FFF 1\nl 0x10 2\ns 0x1fff 1\n",
                "0x1fff@0.0 0x10@0.001 0x1fff@0.002 | 0x1fff=? 0x10=?"
            ),
            (
                "twitter", "cluster52", "0,k1,2,0,4,get,0\n1,k1,2,98,4,set,60\n2,k1,2,98,4,gets,0\n4,k2,2,8,1,get,0\n",
                "k1@0.0 k1@2.0 k2@4.0 | k1=100 k2=10"
            ),
            (
                "meta-kv", "kv.csv", "key,op,size,op_count,key_size\n9,GET,10,2,4\n8,SET,1,1,1\n8,GET_LEASE,0,1,1\n",
                "9@0.0 9@0.001 8@0.002 | 9=14 8=?"
            ),
            (
                "meta-kv", "kv.csv",
                "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n50,9,4,GET,1,10,1,0\n53,9,4,GET,1,10,1,0\n",
                "9@0.0 9@3.0 | 9=14"
            ),
            (
                "meta-block", "b.txt",
                """
                # block_id io_offset io_size op_time op_name user\n4 131072 131073 10.5 1 u\n4 0 9 11 3 u\n4 262144 1 \
                12 5 u\n
                """,
                "4/1@0.0 4/2@0.0 4/2@1.5 | 4/1=131072 4/2=131072"
            ),
        ])
    func stories(format: String, name: String, text: String, expected: String) throws {
        let reading = try TraceReading(TraceInput(bytes: Array(text.utf8), path: name))
        #expect(reading.format.name == format)
        #expect(story(reading.trace) == expected)
    }

    @Test(
        "Files that look alike are distinguished",
        arguments: [
            ("1 2 3\n2 3 4 5\n", "a.tr"), ("3 1 1\n2 1 1\n", "a.tr"), ("read me first\n", "readme.txt"),
            ("s 1fff 1\n", "a.trace"),
            ("0,k1,2,0,4,steal,0\n", "cluster52"), ("# block_id io_offset\n1 2\n", "b"),
        ])
    func notRecognised(text: String, name: String) {
        #expect(throws: TraceError.self) { try TraceFormat.sniffed(TraceInput(bytes: Array(text.utf8), path: name)) }
    }

    @Test("Operations that read nothing are left out and counted")
    func writes() throws {
        let text = "0,a,1,9,4,get,0\n1,a,1,9,4,set,0\n2,a,1,9,4,delete,0\n"
        let reading = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "c"))
        #expect(
            reading.warnings == [
                "2 operations that read nothing (set, delete and the like) are left out",
                "1 of these operations delete a value, which every cache then loses",
            ])
    }

    @Test(
        "Bad lines name themselves, and no number grows without bounds",
        arguments: [
            (TraceFormat.lirs, "5\nx\n", "2: expected a block number or '*', found 'x'"),
            (.lirs, "5 6\n", "1: expected a block number"),
            (.lirs, "18446744073709551616\n", "1: expected a block number"),
            (.lirs, "\n\n", "the file holds no requests"),
            (.plainText, "a\n\u{0}b\n", ""),
            (
                .arc, "1 1000000000000000000 0 1\n",
                "1: a run of 1000000000000000000 blocks from 1; expected at most 65536"
            ),
            (.arc, "18446744073709551615 65536 0 1\n", "1: a run of"),
            (.arc, "1 -1 0 1\n", "1: expected the whole numbers start and count"),
            (.webCacheSim, "1 2\n", "1: expected the whole numbers time, id and size"),
            (.webCacheSim, "1 2 18446744073709551615\n", "1: a size of 18446744073709551615 bytes"),
            (.webCacheSim, "9 2 1\n18446744073709551615 2 1\n", "2: the time 18446744073709551615"),
            (.address, "s 0x12345678901234567 1\n", "1: expected s or l"),
            (.address, "l 0x 1\n", "1: expected s or l"),
            (.twitterCSV, "0,k,1,1,1,get\n", "1: expected time, key, key size"),
            (.twitterCSV, "0,k,1,18446744073709551615,1,get,0\n", "1: expected time"),
            (.twitterCSV, "0,k,1,5,1,set,0\n", "the file holds no requests"),
            (
                .metaKeyValue, "key,op,size,op_count,key_size\n1,GET,1,1000000000000,1\n",
                "2: expected op_count as a whole number up to 65536, found '1000000000000'"
            ),
            (.metaKeyValue, "key,op,size,op_count,key_size\n1,GET\n", "2: the row has 2 fields; expected 5"),
            (.metaKeyValue, "a,b\n1,2\n", "1: expected a header with the columns key, op and size"),
            (.metaBlock, "1 0 18446744073709551615 1 1\n", "1: 18446744073709551615 bytes from 0"),
            (.metaBlock, "1 18446744073709551615 1 1 1\n", "1: 1 bytes from 18446744073709551615"),
            (.metaBlock, "1 0 1 1e300 1\n", "1: expected block_id"),
            (.metaBlock, "1 0 1 nan 1\n", "1: expected block_id"),
        ])
    func bad(format: TraceFormat, text: String, expected: String) {
        do {
            _ = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "f"), format: format)
            #expect(expected.isEmpty)
        } catch {
            #expect("\(error)".contains(expected) && !expected.isEmpty, "\(error)")
        }
    }

    @Test("Validation goes on behind a bad line")
    func validation() throws {
        let folder = try TemporaryFolder()
        let (reading, errors) = try TraceReading.validate(
            contentsOf: folder.file("a.trace", "1\nx\n2\ny z\n"), format: .lirs, limit: 10)
        #expect(reading == nil)
        #expect(errors.compactMap { ($0 as? TraceError)?.place } == [.line(2), .line(4)])
    }
}

@Suite("Classic binary formats")
struct ClassicBinaryFormatTests {
    static func opNS(_ seconds: UInt32, _ id: UInt64, _ size: UInt32) -> [UInt8] {
        little(seconds) + little(id) + little(size) + [1] + little(UInt16(7)) + little(Int64(-1))
    }

    static func vscsi1(_ block: UInt64, _ microseconds: UInt64) -> [UInt8] {
        little(UInt32(1)) + little(UInt32(512)) + little(UInt32(1)) + little(UInt16(0x2A)) + little(UInt16(0x0100))
            + little(block) + little(microseconds)
    }

    static func vscsi2(_ block: UInt64, _ microseconds: UInt64) -> [UInt8] {
        little(UInt16(0x2A)) + little(UInt16(0x0200)) + little(UInt32(1)) + little(UInt32(512)) + little(UInt32(1))
            + little(block)
            + little(microseconds) + little(UInt64(80))
    }

    static func twr(_ seconds: UInt32, _ id: UInt64, key: UInt32, value: UInt32, op: UInt32) -> [UInt8] {
        little(seconds) + little(id) + little(key << 22 | value) + little(op << 24 | 60)
    }

    /// A header for records of time, id, size and next access.
    static let lcsHeader: [UInt8] = {
        var header = [UInt8](repeating: 0, count: 1024)
        header.replaceSubrange(0..<8, with: little(LCSFormat.magic))
        header.replaceSubrange(8..<13, with: Array("<IQIq".utf8))
        header.replaceSubrange(248..<251, with: [2, 3, 1])
        header.replaceSubrange(1000..<1008, with: little(UInt32(4)) + little(UInt32(24)))
        header.replaceSubrange(1016..<1024, with: little(LCSFormat.magic))
        return header
    }()

    static let files: [(format: String, name: String, bytes: [UInt8], story: String)] = [
        (
            "oracleGeneralOpNS", "a.oracleGeneralOpNS.bin", opNS(5, 9, 10) + opNS(7, .max, 20) + opNS(7, 9, 10),
            "9@0.0 18446744073709551615@2.0 9@2.0 | 9=10 18446744073709551615=20"
        ),
        (
            "vscsi", "a.vscsi", vscsi1(9, 1_000_005) + vscsi1(8, 1_000_025) + vscsi1(9, 2_000_005),
            "9@0.0 8@2e-05 9@1.0 | 9=512 8=512"
        ),
        (
            "vscsi", "a.bin", vscsi2(9, 1_000_005) + vscsi2(8, 1_000_025) + vscsi2(9, 2_000_005),
            "9@0.0 8@2e-05 9@1.0 | 9=512 8=512"
        ),
        (
            "twr", "a.twr",
            twr(1, 9, key: 10, value: 90, op: 1) + twr(2, 9, key: 10, value: 90, op: 3)
                + twr(4, 8, key: 1, value: 0, op: 2), "9@0.0 8@3.0 | 9=100 8=?"
        ),
        (
            "twrNS", "a.twrNS",
            twr(1, 9, key: 10, value: 90, op: 1) + [5, 0] + twr(2, 9, key: 10, value: 90, op: 1) + [5, 0],
            "9@0.0 9@1.0 | 9=100"
        ),
        (
            "lcs", "a.bin", lcsHeader + OracleGeneralFormatTests.aba,
            "7@0.0 18446744073709551615@0.0 7@3.0 | 7=512 18446744073709551615=0"
        ),
        (
            "cache2k", "cache2k_a.trace", big(Int32(-5)) + big(Int32(7)) + big(Int32(-5)),
            "-5@0.0 7@0.001 -5@0.002 | -5=? 7=?"
        ),
        (
            "corda", "corda_a", big(Int64.min) + big(Int64(7)) + big(Int64.min),
            "-9223372036854775808@0.0 7@0.001 -9223372036854775808@0.002 | -9223372036854775808=? 7=?"
        ),
    ]

    @Test("Small files are recognised and tell their story", arguments: files.indices)
    func stories(index: Int) throws {
        let file = Self.files[index]
        let reading = try TraceReading(TraceInput(bytes: file.bytes, path: file.name))
        #expect(reading.format.name == file.format)
        #expect(story(reading.trace) == file.story)
    }

    @Test("A file cut within a record is refused at that record", arguments: files.indices)
    func cut(index: Int) throws {
        let file = Self.files[index]
        let error = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: file.bytes.dropLast(), path: file.name), format: .named(file.format))
        }
        #expect(error?.message.contains("is incomplete") == true)
        guard case .byte(let offset)? = error?.place else { throw error ?? TraceError(file: file.name, "no error") }
        #expect(offset < file.bytes.count - 1)
    }

    @Test("Cut anywhere, or with any byte changed, no format crashes", arguments: files.indices)
    func damaged(index: Int) throws {
        let file = Self.files[index]
        let format = try TraceFormat.named(file.format)
        for length in 0..<file.bytes.count {
            _ = try? Trace(TraceInput(bytes: file.bytes.prefix(length), path: file.name), format: format)
        }
        for place in file.bytes.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var bytes = file.bytes
                bytes[place] = value
                var notes = ReadingNotes()
                _ = try? DenseTrace(TraceInput(bytes: bytes, path: file.name), .init(format: format), &notes)
            }
        }
    }

    @Test(
        "Headers that do not fit are refused in words",
        arguments: [
            (0, UInt8(1), "the file is not lcs"), (1016, 1, "another revision of lcs"),
            (8, 0, "the header is cut short; expected 8192 bytes"),
            (9, UInt8(ascii: "x"), "the type 'x' is not known"), (1004, 9, "the header says 4 fields in 9 bytes"),
            (248, 9, "field 9 of a record of 4"),
            (248, 0, "no field holds the id"),
        ])
    func lcsHeaders(place: Int, value: UInt8, expected: String) {
        var bytes = Self.lcsHeader + OracleGeneralFormatTests.aba
        bytes[place] = value
        let error = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: bytes, path: "a.lcs"), format: .lcs)
        }
        #expect(error?.message.contains(expected) == true)
    }

    @Test("A time centuries from the first, and an unknown operation, are refused at their offset")
    func absurd() {
        let late = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: Self.vscsi1(1, 5) + Self.vscsi1(1, 1 << 62), path: "a.vscsi"))
        }
        #expect(late?.place == .byte(56))
        let odd = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: Self.twr(1, 9, key: 1, value: 1, op: 12), path: "a.twr"))
        }
        #expect(odd?.place == .byte(16))
    }
}

@Suite("Reading straight into columns")
struct DenseReadingTests {
    @Test(
        "A file of any format gives what its trace gives",
        arguments: [
            ("a.csv", "time,key,size\n1,\"a\"\"b\",5\n2,c,\n3,\"a\"\"b\",7\n2,d,9\n"), ("a.txt", "1\n2\n1\n"),
            (
                "a.jsonl",
                """
                {"cachereplay_trace":1}\n{"t":0,"e":"appear","key":"a"}\n{"t":5,"e":"prefetch","key":"b"}\n
                """
            ),
        ])
    func same(name: String, text: String) throws {
        let input = TraceInput(bytes: Array(text.utf8), path: name)
        for usesSizes in [true, false] {
            var notes = ReadingNotes()
            let dense = try DenseTrace(input, .init(usesSizes: usesSizes), &notes)
            let reading = try TraceReading(input)
            #expect(dense.isEqual(to: DenseTrace(reading.trace, usesSizes: usesSizes)))
            #expect(notes.warnings == reading.warnings)
            #expect(dense.objectCount >= 2)
        }
    }

    @Test("A large file is mapped and tells what its bytes in memory tell")
    func mapped() throws {
        let folder = try TemporaryFolder()
        var bytes: [UInt8] = []
        for index in 0..<200_000 {
            let id = UInt64(index * 7 % 4099)
            bytes += OracleGeneralFormatTests.record(UInt32(index / 100), id, UInt32(index % 5), -1)
        }
        let large = bytes + bytes + bytes + bytes
        let path = try folder.file("large.oracleGeneral.bin", large)
        var notes = ReadingNotes()
        let dense = try DenseTrace(TraceInput(bytes: large, path: path), .init(), &notes)
        #expect(dense.objects.count == 800_000)
        #expect(dense.objectCount == 4099)
        // The second copy begins earlier than the first ended.
        #expect(notes.warnings.count == 2)
        #expect(try DenseTrace(contentsOf: path).isEqual(to: dense))
    }

    @Test(
        "Sizes that 32 bits do not hold are kept and compared",
        arguments: [4_294_967_292, 4_294_967_293, 4_294_967_294, 4_294_967_295, 5_000_000_000])
    func largeSizes(size: Int) throws {
        var text = "time,key,size\n"
        for index in 0..<300 { text += "\(index),\(index % 3),\(index == 250 ? size + 1 : size)\n" }
        var notes = ReadingNotes()
        let dense = try DenseTrace(TraceInput(bytes: Array(text.utf8), path: "a.csv"), .init(), &notes)
        #expect(dense.sizes.map(Array.init) == [size, size, size])
        #expect(dense.requestBytes == 300 * size)
        #expect(
            notes.warnings == [
                "1 requests have a different size than the first of their object; each object keeps its first size"
            ])
    }

    @Test("Many ids, also those that hash alike, are numbered in order of first appearance")
    func manyNumbers() {
        var table = NumberTable()
        let ids = (0..<50_000).map { UInt64($0) << 40 | UInt64($0 % 7) }
        #expect(ids.map { table.number(of: $0) } == (0..<50_000).map { UInt32($0) })
        #expect(ids.reversed().map { table.number(of: $0) } == (0..<50_000).reversed().map { UInt32($0) })
        var all = [UInt64](repeating: 0, count: ids.count)
        table.forEach { id, number in all[Int(number)] = id }
        #expect(all == ids)
    }

    /// 2,000 requests fill several batches. A dictionary numbers the same ids one by one.
    @Test(
        "Batches number ids, and keep sizes, as a dictionary does", arguments: ["lirs", "arc", "webcachesim", "corda"])
    func batches(format: String) throws {
        var random = SplitMix64(seed: 37)
        let ids = (0..<2_000).map { UInt64(random.next(below: $0 < 300 ? 10 : 700)) }
        // Each object's size is mostly 10 times its id; some are larger than 32 bits.
        let sizes = ids.map { id in random.next(below: 9) == 0 ? 5_000_000_000 : Int(id) * 10 }
        let bytes: [UInt8] =
            switch format {
            case "lirs": Array(("*\n" + ids.map { "\($0)\n" }.joined()).utf8)
            case "arc": Array(ids.map { "\($0) 1 0 0\n" }.joined().utf8)
            case "webcachesim": Array(zip(ids, sizes).map { "5 \($0) \($1)\n" }.joined().utf8)
            default: ids.flatMap { big(Int64($0)) }
            }
        var numbers: [UInt64: UInt32] = [:]
        let expected = ids.map { id in
            let number = numbers[id] ?? UInt32(numbers.count)
            numbers[id] = number
            return number
        }
        var notes = ReadingNotes()
        let name = ["lirs": "a.lirs", "arc": "a.lis", "webcachesim": "a.tr", "corda": "a.corda"][format] ?? ""
        let dense = try DenseTrace(TraceInput(bytes: bytes, path: name), .init(), &notes)
        #expect(Array(dense.objects) == expected)
        guard format == "webcachesim" else { return }
        var first: [UInt64: Int] = [:]
        for (id, size) in zip(ids, sizes) where first[id] == nil { first[id] = size }
        #expect(dense.sizes.map(Array.init) == numbers.sorted { $0.value < $1.value }.map { first[$0.key] ?? -1 })
    }
}
