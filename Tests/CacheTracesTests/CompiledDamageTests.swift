import Basics
import Testing

@testable import CacheTraces
@testable import SessionModel

@Suite("Damaged and hostile compiled traces")
struct CompiledDamageTests {
    private static let file: [UInt8] = (try? CompiledTrace(CompiledFormatTests.session).bytes(file: "t")) ?? []

    /// Reads it by both ways; nil where both refuse.
    private func read(_ bytes: [UInt8]) throws -> (DenseTrace?, Trace?) {
        let input = TraceInput(bytes: bytes, path: "t.crtrace")
        var notes = ReadingNotes()
        var dense: DenseTrace?
        var trace: Trace?
        do { dense = try DenseTrace(input, .init(format: .compiled), &notes) } catch is TraceError {}
        do { trace = try TraceReading(input, format: .compiled).trace } catch is TraceError {}
        return (dense, trace)
    }

    @Test("Cut anywhere it is refused")
    func cut() throws {
        #expect(Self.file.count > 1_000)
        for length in 0..<Self.file.count {
            let (dense, trace) = try read(Array(Self.file.prefix(length)))
            #expect(dense == nil && trace == nil)
        }
        let (dense, trace) = try read(Self.file + [0])
        #expect(dense == nil && trace == nil)
    }

    @Test("With any byte changed it is refused, or the byte meant nothing")
    func flipped() throws {
        let whole = DenseTrace(CompiledFormatTests.session)
        for place in Self.file.indices {
            for flip: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = Self.file
                bytes[place] ^= flip
                let (dense, trace) = try read(bytes)
                if let dense { #expect(dense.isEqual(to: whole), "byte \(place)") }
                if let trace { #expect(trace == CompiledFormatTests.session, "byte \(place)") }
            }
        }
    }

    @Test("Sizes of requests with any byte changed are refused, or the byte meant nothing")
    func flippedSizes() throws {
        let text = "time_us,key,size\n7,a,10\n8,b,20\n9,a,30\n"
        var notes = ReadingNotes()
        let source = TraceInput(bytes: Array(text.utf8), path: "a.csv")
        let file = try CompiledTrace(source, &notes).bytes(file: "t")
        let whole = try DenseTrace(source, .init(varying: .insertion), &notes)
        #expect(whole.requestSizes.map(Array.init) == [10, 20, 30])
        for place in file.indices {
            var bytes = file
            bytes[place] ^= 0x80
            let input = TraceInput(bytes: bytes, path: "t.crtrace")
            do {
                let dense = try DenseTrace(input, .init(format: .compiled, varying: .insertion), &notes)
                #expect(dense.isEqual(to: whole), "byte \(place)")
            } catch is TraceError {}
        }
    }

    @Test("Columns that are not asked for are not opened, and the others are the same")
    func columnsAsNeeded() throws {
        let (entries, _) = Self.table(Self.file)
        var bytes = Self.file
        for column in [CompiledFormat.Column.ticks, .next, .sizes] {
            bytes[try #require(entries[column]).offset] ^= 0xFF
        }
        var notes = ReadingNotes()
        let input = TraceInput(bytes: bytes, path: "t.crtrace")
        let dense = try DenseTrace(input, .init(usesSizes: false, columns: []), &notes)
        let whole = try DenseTrace(TraceInput(bytes: Self.file, path: "t.crtrace"), .init(usesSizes: false), &notes)
        #expect(dense.objects == whole.objects && dense.variants == whole.variants && dense.epochs == whole.epochs)
        #expect(dense.exceptions == whole.exceptions && dense.requestBytes == whole.requestBytes)
        #expect(!dense.hasTimes && dense.nextAccesses == nil && whole.hasTimes && whole.nextAccesses != nil)
        #expect(dense.withNextAccesses().nextAccesses == whole.nextAccesses)
        for columns: DenseTrace.Columns in [.times, .nextAccesses] {
            #expect(throws: TraceError.self) {
                try DenseTrace(input, .init(usesSizes: false, columns: columns), &notes)
            }
        }
        #expect(throws: TraceError.self) { try DenseTrace(input, .init(usesSizes: true, columns: []), &notes) }
    }

    /// The file with `bytes` in `column` from byte `within` on, and every checksum right.
    private func forged(_ column: CompiledFormat.Column?, _ within: Int, _ bytes: [UInt8]) -> [UInt8] {
        var file = Self.file
        let (entries, length) = Self.table(file)
        let start = column.flatMap { entries[$0]?.offset } ?? 0
        file.replaceSubrange(start + within..<start + within + bytes.count, with: bytes)
        for (entry, count) in entries.values.map({ ($0, $0.length) }) {
            let sum = file.withUnsafeBytes {
                XXHash64.checksum(UnsafeRawBufferPointer(rebasing: $0[entry.offset..<entry.offset + count]))
            }
            file.replaceSubrange(entry.entry + 24..<entry.entry + 32, with: little(sum))
        }
        let sum = Array(file[..<length]).withUnsafeBytes(CompiledFormat.headerChecksum)
        file.replaceSubrange(CompiledFormat.checksumPlace, with: little(sum))
        return file
    }

    private static func table(_ file: [UInt8]) -> ([CompiledFormat.Column: (entry: Int, offset: Int, length: Int)], Int)
    {
        file.withUnsafeBytes { bytes in
            var entries: [CompiledFormat.Column: (entry: Int, offset: Int, length: Int)] = [:]
            let end = 64 + 32 * Int(bytes.little(12, as: UInt32.self))
            for entry in stride(from: 64, to: end, by: 32) {
                guard let column = CompiledFormat.Column(rawValue: bytes.little(entry)) else { continue }
                entries[column] = (
                    entry, Int(bytes.little(entry + 8, as: UInt64.self)),
                    Int(bytes.little(entry + 16, as: UInt64.self)) * column.width
                )
            }
            return (entries, end)
        }
    }

    private func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian, Array.init)
    }

    @Test("Numbers out of range are refused at their place, also where the checksums are right")
    func hostile() throws {
        let columns = Self.table(Self.file).0
        let cases: [(CompiledFormat.Column?, Int, [UInt8], Int, String)] = [
            (.objects, 8, little(UInt32(4)), 8, "expected an object below 4, found 4"),
            (.objects, 16, little(UInt32.max), 16, "expected an object below 4"),
            (.ticks, 4, little(UInt32(99)), 8, "the time falls here"),
            (.next, 0, little(UInt32(0)), 0, "expected the position of a later access, found 0"),
            (.next, 4, little(UInt32(5)), 4, "expected the position of a later access, found 5"),
            (.sizes, 8, little(Int64(-1)), 8, "expected a size from 0"),
            (.sizes, 8, little(Int64.max), 8, "expected a size from 0"),
            (.variants, 1, [2], 1, "expected the variant 0 or 1"),
            (.epochs, 0, little(UInt64(1)), 0, "epochs must begin with the first access"),
            (.epochs, 16, little(UInt64(0)), 16, "one behind the other"),
            (.epochs, 16, little(UInt64.max), 16, "one behind the other"),
            (.epochs, 24, little(Int64(7)), -1, "the time falls here"),
            (.epochs, 24, little(Int64.max), 24, "is out of range"),
            (.exceptions, 24, little(UInt64(0)), 24, "out of order"),
            (.exceptions, 24, little(UInt64.max), 24, "behind the last access"),
            (.exceptions, 8, little(UInt32(5)), 8, "the kind 5 is unknown"),
            (.exceptions, 12, little(UInt32.max), 12, "the key 4294967295 is out of range"),
            (.exceptions, 16, little(UInt32(1)), 16, "the outcomes do not follow"),
            (.exceptions, 20, little(UInt32.max), 16, "the outcomes do not follow"),
            (nil, 8, little(UInt32(1)), 8, "the compiled trace has version 1"),
            (nil, 12, little(UInt32(99)), 12, "a table of 99 columns"),
            (nil, 24, little(UInt64.max), 24, "more accesses than"),
            (nil, 32, little(UInt64(6)), 32, "more objects than accesses"),
            (nil, 56, little(Int64.min), 56, "is out of range"),
            (nil, 64, little(UInt32(77)), 64, "column 77 is unknown"),
            (nil, 96, little(UInt32(1)), 96, "unknown or occurs twice"),
            (nil, 64 + 4, little(UInt32(8)), 68, "expected 4 bytes per element of objects"),
            (nil, 64 + 8, little(UInt64(64)), 72, "not within the file"),
            (nil, 64 + 8, little(UInt64.max - 63), 72, "not within the file"),
            (nil, 64 + 16, little(UInt64.max), 72, "not within the file"),
            (nil, 64 + 16, little(UInt64(4)), 80, "has 4 elements; expected 5"),
        ]
        for (column, within, bytes, offset, message) in cases {
            var notes = ReadingNotes()
            let input = TraceInput(bytes: forgedTable(column, within, bytes), path: "t.crtrace")
            let error = #expect(throws: TraceError.self, "\(message)") {
                try DenseTrace(input, .init(format: .compiled), &notes)
            }
            #expect(error?.message.contains(message) == true, "\(String(describing: error))")
            if offset >= 0 {
                #expect(error?.place == .byte((column.flatMap { columns[$0]?.offset } ?? 0) + offset), "\(message)")
            }
        }
    }

    /// As ``forged(_:_:_:)``, where only the header's checksum is put right for changes of the header or table.
    private func forgedTable(_ column: CompiledFormat.Column?, _ within: Int, _ bytes: [UInt8]) -> [UInt8] {
        guard column == nil else { return forged(column, within, bytes) }
        var file = Self.file
        let length = Self.table(file).1
        file.replaceSubrange(within..<within + bytes.count, with: bytes)
        let sum = Array(file[..<length]).withUnsafeBytes(CompiledFormat.headerChecksum)
        file.replaceSubrange(CompiledFormat.checksumPlace, with: little(sum))
        return file
    }

    @Test("Columns that contradict the session are found when the session is read")
    func contradiction() throws {
        let (dense, trace) = try read(forged(.objects, 16, little(UInt32(1))))
        #expect(dense != nil)
        #expect(trace == nil)
    }
}
