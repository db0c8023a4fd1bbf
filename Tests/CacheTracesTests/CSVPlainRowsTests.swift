import Basics
import CacheTraces
import SessionModel
import Testing

/// Rows of digits are read by another way than quoted ones; both must tell the same.
@Suite("CSV rows of numbers")
struct CSVPlainRowsTests {
    func read(_ text: String, _ options: CSVFormat.Options = .init()) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "requests.csv"), format: .csv(options))
    }

    /// Every field in quotes, times too, which keeps rows from being read as plain.
    func quoted(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.isEmpty
                ? ""
                : line.split(separator: ",", omittingEmptySubsequences: false).map { "\"\($0)\"" }.joined(
                    separator: ",")
        }.joined(separator: "\n")
    }

    @Test(
        "Plain and quoted rows tell the same",
        arguments: [
            "time,key,size\n5,7,100\n6,8,\n4,7,101\n9,8,50\n",
            "time,key,size\n1,007,1\n2,7,2\n3,0,3\n4,00,4\n5,123456789012345678,5\n6,1234567890123456789,6\n7,é,7",
            "op,time_ms,id,bytes,note\nget,5,1,10,a b\nget,15,2,20,c\n,25,1,10,\n",
            "time,key,size\n1,7,5000000000\n2,7,5000000001\n3,8,4294967293\n4,8,4294967294\n"
                + "5,9,4294967295\n6,9,4294967295\n",
            "time,key,size\n1,2,3\n\n2,2,3\n\n3,4,5\n",
            "time,key,size\n1.5,a.jpg,1\n1700000000.123456,b,2\n1700000001.000001,b,2\n"
                + "1700000001.0000015,b,2\n1700000002.,b,2\n3999999999.9,b,\n",
            "time,url,size\n1700000000000,https://example.com/a?b=c;d,1\n1700000000001,12345678,22\n"
                + "1700000000002,1234567812345678,333\n1700000000003,123456781234567,4444\n1700000000004,x y z,5\n",
            "size,time_us,key\n12345678,123456789,99999999\n1,1234567890123456,0\n1,2,\n",
            "time,key,size\n1700000000000,1,1\n1700000000005,2,1\n1.5,3,1\n",
        ])
    func same(text: String) throws {
        let plain = try read(text)
        let slow = try read(quoted(text))
        #expect(plain.trace == slow.trace)
        #expect(plain.warnings == slow.warnings)
        #expect(try read(text.replacing("\n", with: "\r\n")).trace == slow.trace)
    }

    /// The same rows as in the middle of a long file: the last bytes of a file are read otherwise.
    @Test("Plain rows of all lengths tell the same", arguments: [",", ";", "\t"])
    func lengths(delimiter: String) throws {
        var text = "time,key,size\n"
        for digits in 1...18 {
            for first in ["1", "9"] {
                let number = first + String("23456789012345678".prefix(digits - 1))
                text +=
                    "\(number.prefix(9)),\(number),\(number.prefix(12))\n\(digits).\(number.prefix(6)),k\(number),\n"
            }
        }
        text += String(repeating: "1700000000,1,1\n", count: 10)
        let expected = try read(quoted(text))
        #expect(expected.trace.events.count == 82)
        #expect(try read(text.replacing(",", with: delimiter)).trace == expected.trace)
        #expect(try read(text.replacing(",", with: delimiter).replacing("\n", with: "\r\n")).trace == expected.trace)
    }

    /// Texts are searched 64 bytes at a time.
    @Test("Keys of all lengths tell the same, also beside others that are not ASCII", arguments: ["", "é", "k"])
    func keyLengths(last: String) throws {
        var text = "time,key,size\n"
        for length in 0...200 {
            let key = String(repeating: "x", count: length) + last
            text += "\(length),\(key),\(length % 7)\n\(length),k\(length),3\n\(length),\(key),\(length % 7)\n"
        }
        text += String(repeating: "1700000000,k,1\n", count: 20)
        let expected = try read(quoted(text))
        for plain in [text, text.replacing("\n", with: "\r\n")] {
            let found = try read(plain)
            #expect(found.trace == expected.trace)
            #expect(found.warnings == expected.warnings)
        }
        let inQuotes = text.split(separator: "\n").map { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return "\(fields[0]),\"\(fields[1])\",\(fields[2])\n"
        }.joined()
        #expect(try read(inQuotes).trace == expected.trace)
    }

    /// The general reader changes sizes that batches have found before, and batches find sizes that it has set.
    @Test("Sizes of keys and of numbers are kept and counted as the general reader does", arguments: ["k", "1"])
    func sizes(prefix: String) throws {
        let sizes = ["", "0", "0", "7", "7", "5000000000", "5000000000", "4294967293", "4294967294", "4294967295", "0"]
        var random = SplitMix64(seed: 11)
        var rows = ["time,key,size"]
        for index in 0..<2_000 {
            let size = sizes[random.next(below: sizes.count)]
            // A date is not plain.
            let time = index % 9 == 8 ? "1970-01-01T00:\(10 + index / 60):\(10 + index % 50)Z" : "\(index)"
            rows.append("\(time),\(prefix)\(random.next(below: 150)),\(size)")
        }
        let text = rows.joined(separator: "\n") + "\n"
        var (plain, slow) = (ReadingNotes(), ReadingNotes())
        let found = try DenseTrace(input(text), .init(varying: .insertion), &plain)
        let expected = try DenseTrace(input(quoted(text)), .init(varying: .insertion), &slow)
        #expect(found.objects == expected.objects && found.ticks == expected.ticks)
        #expect(found.sizes == expected.sizes && found.requestSizes == expected.requestSizes)
        #expect(found.requestBytes == expected.requestBytes && found.uniqueBytes == expected.uniqueBytes)
        #expect(plain.warnings == slow.warnings)
        #expect(plain.warnings.count == 3)
    }

    func input(_ text: String) -> TraceInput { TraceInput(bytes: Array(text.utf8), path: "requests.csv") }

    @Test("Thousands of plain rows around others keep their order, and errors their line")
    func mixed() throws {
        var rows = ["time,key,size"]
        for index in 0..<3000 {
            rows.append(
                index % 700 == 699 ? "\(index),\"k\(index % 7)\",9" : "\(index),\(index * 7919 % 512),\(index % 3)")
        }
        let text = rows.joined(separator: "\n") + "\n"
        let plain = try read(text)
        let slow = try read(quoted(text.replacing("\"", with: "")))
        #expect(plain.trace == slow.trace)
        #expect(plain.warnings == slow.warnings)
        #expect(plain.trace.events.count == 3000)
        let error = #expect(throws: TraceError.self) { try read(text + "3000,5,-1\n") }
        #expect(error?.place == .line(3002))
    }
}
