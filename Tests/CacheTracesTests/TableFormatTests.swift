import Basics
import Foundation
import TestSupport
import Testing

@testable import CacheTraces

/// Tables whose columns have a fixed order: block traces, and traces of objects and photos.
@Suite("Tables without names of columns")
struct TableFormatTests {
    /// A word for each request, its microseconds, its key and its size, and then the warnings; or the error.
    private func story(_ bytes: [UInt8], name: String, format: String? = nil) -> String {
        do {
            let input = TraceInput(bytes: bytes, path: name)
            let reading = try TraceReading(input, format: format.map(TraceFormat.named))
            let requests = reading.trace.events.compactMap { event -> String? in
                guard case .appear(let object, _) = event.action else { return nil }
                let known = reading.trace.objects[Int(object)]
                return "\(event.time) \(known.key) \(known.bytes.map(String.init) ?? "?")"
            }
            return "\(reading.format.name): " + (requests + reading.warnings).joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }

    private func story(_ text: String, name: String, format: String? = nil) -> String {
        story(Array(text.utf8), name: name, format: format)
    }

    static let msr = "128166372003061629,hm,0,Read,383496192,32768,413\n"
    static let other = "requests have a different size than the first of their object; each object keeps its first size"

    @Test("The report's trace of MSR Cambridge", .enabled(if: SharedData.isPresent))
    func report() throws {
        let path = SharedData.path("public-reports/formats/71-trace-msr-cambridge/hm_0.csv")
        let reading = try TraceReading(contentsOf: path)
        #expect(reading.format.name == "msr")
        #expect(reading.trace.events.map(\.time) == [0, 1_332_053, 2_332_062, 2_334_062])
        #expect(reading.trace.objects.map(\.key) == ["hm/0/383496192", "hm/0/310983680", "hm/1/500000"])
        #expect(reading.trace.objects.map(\.bytes) == [32_768, 16_384, 4_096])
        #expect(reading.warnings == ["1 writes are requests, as reads are"])
    }

    /// The rows of the formats' own documentation, and variants of them.
    @Test(
        "Rows are recognised, and tell their story",
        arguments: [
            // 10,000 units of 100 ns are a millisecond.
            ("a.csv", msr, "msr: 0 hm/0/383496192 32768"),
            ("a", msr + "128166372003071629,hm,0,read,7,1,9\r\n", "msr: 0 hm/0/383496192 32768; 1000 hm/0/7 1"),
            (
                "a.csv", "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n" + msr,
                "msr: 0 hm/0/383496192 32768"
            ),
            ("a.csv", "\u{FEFF}" + msr + "\n \n", "msr: 0 hm/0/383496192 32768"),
            (
                "a.csv", msr + "128166372003061629,hm,0,Write,383496192,512,413\n",
                "msr: 0 hm/0/383496192 32768; 0 hm/0/383496192 32768; 1 writes are requests, as reads are; 1 \(other)"
            ),
            ("a.csv", "128166372003061629,usr web,10,Read,281474976710655,0,0", "msr: 0 usr web/10/281474976710655 0"),
            (
                "io_traces.csv", "0,R,126703661056,4096,1577808000000046\n1,W,126703661056,77824,1577808000000426\n",
                "alibaba-block: 0 0/126703661056 4096; 380 1/126703661056 77824; 1 writes are requests, as reads are"
            ),
            (
                "a.csv", "device_id,opcode,offset,length,timestamp\n 7 , R , 0 , 512 , 1577808000000046 \n",
                "alibaba-block: 0 7/0 512"
            ),
            (
                "a",
                "419,R,8,16384,1577808144360767\r\n725,R,8,1,1577808144360767\r\n419,R,8,16384,1577808144360768\r\n",
                "alibaba-block: 0 419/8 16384; 0 725/8 1; 1 419/8 16384"
            ),
            (
                "a.csv", "Timestamp,Offset,Size,IOType,VolumeID\n1538323200,12910952,128,0,1283\n",
                "tencent-block: 0 1283/12910952 65536"
            ),
            (
                "cbs_2018-10-01-01.csv", "1538323200,1,8,1,5\n1538323202,1,8,0,6\n1538323203,1,8,0,5\n",
                "tencent-block: 0 5/1 4096; 2000000 6/1 4096; 3000000 5/1 4096; 1 writes are requests, as reads are"
            ),
            (
                "Financial1.spc", "0,303567,3584,w,0.000000\n1,55590,3072,R,0.026214\n1,55590,3072,r,0.5\n",
                "spc: 0 0/303567 3584; 26214 1/55590 3072; 500000 1/55590 3072; 1 writes are requests, as reads are"
            ),
            ("a", "0, 2094, 8192, W, 0.5517069, x, y\n", "spc: 0 0/2094 8192; 1 writes are requests, as reads are"),
            (
                "a", "0,1,0,R,9007199253.9999999\n1,1,512,R,9007199253\n",
                "spc: 0 0/1 0; 0 1/1 512; the times of 1 requests are before"
            ),
            (
                "IBMObjectStoreTrace000Part0",
                """
                1219008 REST.PUT.OBJECT 8d4fcda3d675bac9 1056\n1221974 REST.HEAD.OBJECT 39d177fb735ac5df 528
                1232488 REST.GET.OBJECT 95d363d3fbdc0b03 1168 0 1167\n1234545 REST.GET.OBJECT bfc07f9981aa6a5a 528 0 527
                """,
                """
                ibm-object: 0 95d363d3fbdc0b03 1168; 2057000 bfc07f9981aa6a5a 528; 2 rows with another operation than \
                rest.get.object are left out
                """
            ),
            (
                "a",
                "1 REST.GET.OBJECT a 9 0 8\n1 REST.GET.OBJECT a 9 0 3\n"
                    + "2\tREST.GET.OBJECT  b\n3 REST.GET.OBJECT c 0 0 0",
                """
                ibm-object: 0 a 9; 0 a 9; 1000 b ?; 2000 c 0; 1 requests for a part of an object count as requests for \
                all of it
                """
            ),
            (
                "photo.txt",
                """
                20160201164604 085abb02a06850729bb01479466420d9e102d325 5 m 12903 1 PHONE 1
                20160201164604 085abb02a06850729bb01479466420d9e102d325 5 l 903 1 PC 0
                20160201164605 085abb02a06850729bb01479466420d9e102d325 9 l 903 1 PC 0
                20160201170000 085abb02a06850729bb01479466420d9e102d325 5 m 12903 0 PC 0
                """,
                """
                tencent-photo: 0 085abb02a06850729bb01479466420d9e102d325 5 m 12903; \
                0 085abb02a06850729bb01479466420d9e102d325 5 l 903; \
                836000000 085abb02a06850729bb01479466420d9e102d325 5 m 12903; \
                1 rows with another format than 0, 5 are left out
                """
            ),
        ])
    func stories(name: String, text: String, expected: String) {
        let found = story(text, name: name)
        #expect(found == expected || found.hasPrefix(expected))
    }

    @Test("Compressed tables", arguments: [".gz", ".zst", ".xz"])
    func compressed(ending: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv\(ending)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let compression = try #require(Compression(fileName: path))
        let rows = (0..<50_000).map { "\($0 % 7),R,\($0 % 1_000 * 4_096),4096,\(1_577_808_000_000_046 + $0)\n" }
        try AtomicFile.write(compression.compress(Array(rows.joined().utf8), file: "a"), to: path)
        let reading = try TraceReading(contentsOf: path)
        #expect(reading.format.name == "alibaba-block" && reading.warnings.isEmpty)
        #expect(reading.trace.events.count == 50_000 && reading.trace.objects.count == 7_000)
        #expect(reading.trace.objects[6_999].key == "6/4091904")
        #expect(try TraceFormat.canReadInWindows(path: path))
    }

    @Test(
        "Bad rows name their line, their column and what is expected",
        arguments: [
            ("msr", msr + "128166372003061629,hm,0,Trim,1,1,1\n", "a:2: expected one of [\"read\", \"write\"] as Type"),
            ("msr", "1,hm,0,Read,1,1,1\n", "a:1: expected a file time of Windows, in 100 ns since 1601 as Timestamp"),
            ("msr", "128166372003061629,hm,0,Read,1,1\n", "a:1: expected Timestamp,Hostname,DiskNumber,Type,Offset"),
            ("msr", "128166372003061629,hm,0,Read,-1,1,1\n", "a:1: expected a whole number up to 281474976710655"),
            ("msr", "128166372003061629,hm,0,Read,281474976710656,1,1\n", "as Offset (column 5), found '2814"),
            ("msr", "128166372003061629,hm,0,Read,1,,1\n", "as Size (column 6), found ''"),
            ("msr", "99999999999999999999,hm,0,Read,1,1,1\n", "a:1: expected a whole number up to"),
            ("msr", "\n\n", "the file holds no requests; expected rows of Timestamp,Hostname"),
            ("alibaba-block", "1,X,0,1,1\n", "a:1: expected one of [\"r\", \"w\"] as opcode (column 2), found 'X'"),
            ("alibaba-block", "1,R,0,1,9007199254740993\n", "a:1: expected a whole number up to 9007199254740992"),
            ("alibaba-block", "1,R,0,18446744073709551615,1\n", "a:1: expected a whole number up to 1099511627776"),
            ("alibaba-block", "1,R,0,1,-5\n", "as timestamp (column 5), found '-5'"),
            ("tencent-block", "1,0,2147483649,0,5\n", "a:1: expected a whole number up to 2147483648 as Size"),
            ("tencent-block", "1,0,1,2,5\n", "a:1: expected one of [\"0\", \"1\"] as IOType"),
            ("tencent-block", "1,0,1,0\n", "a:1: expected Timestamp,Offset,Size,IOType,VolumeID, found 4 fields"),
            ("spc", "0,1,512,r,1e3\n", "a:1: expected seconds up to 9007199254 as Timestamp (column 5), found '1e3'"),
            ("spc", "0,1,512,r,-1.5\n", "a:1: expected seconds"), ("spc", "0,1,512,r,.5\n", "a:1: expected seconds"),
            ("spc", "0,1,512,r,nan\n", "a:1: expected seconds"), ("spc", "0,1,512,r,\n", "a:1: expected seconds"),
            ("ibm-object", "1 REST.PUT.OBJECT a 5\n", "the file holds no requests"),
            ("ibm-object", "1 GET a 5\n", "a:1: expected one of [\"rest.get.object\"] as operation"),
            ("ibm-object", "1 REST.GET.OBJECT a x\n", "as size (column 4), found 'x'"),
            ("ibm-object", "1 REST.GET.OBJECT a 5 -1 4\n", "as begin (column 5), found '-1'"),
            ("ibm-object", "1 REST.GET.OBJECT\n", "a:1: expected timestamp operation object size begin end, found 2"),
            ("tencent-photo", "20160231164604 0a 5 m 1 1 PC 1\n", "a:1: expected a time as YYYYMMDDhhmmss, since 1970"),
            ("tencent-photo", "2016020116460 0a 5 m 1 1 PC 1\n", "a:1: expected a time as YYYYMMDDhhmmss"),
            ("tencent-photo", "00000101000000 0a 5 m 1 1 PC 1\n", "a:1: expected a time as YYYYMMDDhhmmss"),
            ("tencent-photo", "20160201164604 0a 5 m 1 1 PC\n", "found 7 fields"),
            ("tencent-photo", "20160201164604 0a 7 m 1 1 PC 1\n", "the file holds no requests"),
        ])
    func bad(format: String, text: String, expected: String) {
        let found = story(text, name: "a", format: format)
        #expect(found.contains(expected), "\(found)")
    }

    @Test("Keys and volumes that are not UTF-8 are errors")
    func notUTF8() {
        let rows = [("msr", "128166372003061629,h\u{1},0,Read,1,1,1"), ("ibm-object", "1 REST.GET.OBJECT \u{1} 5")]
        for (format, row) in rows {
            let bytes = row.utf8.map { $0 == 1 ? 0xFF : $0 }
            #expect(story(bytes, name: "a", format: format).contains("is not UTF-8"))
        }
    }

    @Test("More than 65,536 volumes are refused")
    func volumes() {
        let text = (0...65_536).map { "\($0),R,1,1,1577808000000046\n" }.joined()
        #expect(story(text, name: "a").contains("a:65537: more than 65536 volumes; split the file by volume"))
    }

    /// Five whole numbers can be anything, and so can rows whose times no clock has.
    @Test(
        "What looks alike is refused, and the error names the format",
        arguments: [
            ("1538323200,12910952,128,0,1283\n", "rows of tencent-block look so: --format tencent-block reads them"),
            ("5,R,10,20,30\n", "rows of alibaba-block look so: --format alibaba-block reads them"),
            ("1,2,3,4,5\n", ""), ("a,b,c,d\n", ""),
        ])
    func alike(text: String, expected: String) {
        for name in ["a.csv", "a"] {
            let found = story(text, name: name)
            #expect(expected.isEmpty ? !found.contains("look so") : found.contains(expected), "\(found)")
        }
    }

    @Test("Other tables, and a file in which a later line differs, are not taken for these")
    func others() {
        #expect(story("0,k1,2,0,4,get,0\n", name: "a").hasPrefix("twitter"))
        #expect(story("time,key,size\n1,a,2\n", name: "a.csv").hasPrefix("csv"))
        #expect(story(Self.msr + "1,2,3\n", name: "a.csv").contains("7 columns and no names"))
        #expect(story("1 7 100\n2 8 50\n", name: "a.tr").hasPrefix("webcachesim"))
        for text in ["a b c d e f g h\n", "1 2 3 4 5 6 7 8\n", "1 REST a\n", "REST.GET.OBJECT REST.GET.OBJECT a\n"] {
            #expect(story(text, name: "a").contains("the format is not recognised"))
        }
    }

    /// Three requests for two objects, of which the last is for the first object and two seconds later.
    static let small: [(name: String, rows: [String], keys: [String], sizes: [Int])] = [
        (
            "msr",
            [
                "128166372003061629,hm,0,Read,8,512,1", "128166372003061629,hm,1,Write,8,1,2",
                "128166372023061629,hm,0,Read,8,512,3",
            ], ["hm/0/8", "hm/1/8"], [512, 1]
        ),
        (
            "alibaba-block", ["3,R,8,512,1577808000000046", "4,W,8,1,1577808000000046", "3,R,8,512,1577808002000046"],
            ["3/8", "4/8"], [512, 1]
        ),
        (
            "tencent-block", ["1538323200,8,1,0,3", "1538323200,8,2,1,4", "1538323202,8,1,0,3"], ["3/8", "4/8"],
            [512, 1024]
        ),
        ("spc", ["3,8,512,r,0.5", "4,8,1,W,0.5", "3,8,512,R,2.500000"], ["3/8", "4/8"], [512, 1]),
        (
            "ibm-object", ["5 REST.GET.OBJECT a 512", "5 REST.GET.OBJECT b 1 0 0", "2005 REST.GET.OBJECT a 512 0 511"],
            ["a", "b"], [512, 1]
        ),
        (
            "tencent-photo",
            [
                "20160228235959 0a 5 m 512 1 PC 0", "20160228235959 0a 0 m 1 0 PHONE 9",
                "20160229000001 0a 5 m 512 1 PC 0",
            ], ["0a 5 m", "0a 0 m"], [512, 1]
        ),
    ]

    @Test("Line ends, blank lines, marks, blanks and order are read as in other texts", arguments: 0..<6, 0..<10)
    func variants(format: Int, variant: Int) throws {
        let table = Self.small[format]
        let isCSV = !table.name.hasPrefix("ibm") && table.name != "tencent-photo"
        let (rows, between) = (table.rows, isCSV ? "," : " ")
        let text =
            switch variant {
            case 0: rows.joined(separator: "\n")
            case 1: rows.joined(separator: "\r\n") + "\r\n"
            case 2: "\u{FEFF}" + rows.joined(separator: "\n") + "\n"
            case 3: rows.joined(separator: "\n\n \n") + "\n\n\n"
            case 4: rows.map { " \($0)\t" }.joined(separator: "\n")
            case 5: rows.map { $0.replacing(between, with: isCSV ? " ,\t" : "\t  ") }.joined(separator: "\n")
            case 6: rows.map { $0.uppercased() }.joined(separator: "\n")
            case 7: rows.map { $0.lowercased() }.joined(separator: "\n")
            case 8: [rows[2], rows[1], rows[0]].joined(separator: "\n")
            default: rows.joined(separator: "\n") + "\n" + rows[2] + "\n" + rows[2]
            }
        let input = TraceInput(bytes: Array(text.utf8), path: "cbs")
        let reading = try TraceReading(input)
        #expect(reading.format.name == table.name)
        let times = reading.trace.events.map(\.time)
        let expected: [Int64] = variant == 8 ? [0, 0, 0] : [0, 0, 2_000_000]
        #expect(times == expected + (variant == 9 ? [2_000_000, 2_000_000] : []))
        #expect(reading.trace.objects.map { $0.bytes ?? 0 } == table.sizes)
        let keys = reading.trace.objects.map { $0.key.lowercased().filter { !"\t\r ".contains($0) } }
        #expect(keys.map { $0.replacing(",", with: "/") } == table.keys.map { $0.filter { $0 != " " } })
        let warnings = reading.warnings.filter { !$0.hasPrefix("1 writes") }
        #expect(warnings.count == (variant == 8 ? 1 : 0), "\(reading.warnings)")
    }
}
