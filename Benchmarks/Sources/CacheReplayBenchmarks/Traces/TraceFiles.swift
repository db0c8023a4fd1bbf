import Basics
import CacheTraces
import Foundation
import SessionModel

/// The files of the benchmark, created from a fixed seed for each run, in a scratch folder.
final class TraceFiles {
    static let requests = 20_000_000
    /// The number of popularities; somewhat fewer are drawn.
    static let ranks = 1_000_000

    let oracleGeneral: String
    let csv: String
    let textCSV: String
    let jsonLines: String
    let har: String
    let compiled: String
    private let folder: ScratchFolder

    init(_ progress: (String) -> Void) throws {
        let folder = try ScratchFolder(prefix: "cachereplay-bench")
        self.folder = folder
        func path(_ name: String) -> String { [folder.path, name].joined(separator: "/") }
        oracleGeneral = path("zipf.oracleGeneral.bin")
        csv = path("zipf.csv")
        textCSV = path("urls.csv")
        jsonLines = path("session.jsonl")
        har = path("pages.har")
        compiled = path("zipf.crtrace")
        progress("making \(Self.requests) requests, as oracleGeneral and CSV, and compiled")
        try Self.writeRequests(oracleGeneral: oracleGeneral, csv: csv, textCSV: textCSV)
        var notes = ReadingNotes()
        try CompiledTrace(TraceInput(path: oracleGeneral), &notes).write(to: compiled)
        progress("making a session of 2 million events, and a HAR of 100 MB")
        try Self.session(events: 2_000_000).write(to: jsonLines)
        try Self.writeHAR(har, entries: 5_000)
    }

    static func length(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Writes requests with probability 1/rank (Zipf), a thousand per second, with unordered ids of 44 bits and sizes
    /// around 13 kB. The third file has a tenth of the requests, with URLs as keys.
    private static func writeRequests(oracleGeneral: String, csv: String, textCSV: String) throws {
        var random = Generator(state: 42)
        var cumulative: [Double] = []
        var sum = 0.0
        for rank in 0..<ranks {
            sum += 1 / Double(rank + 1)
            cumulative.append(sum)
        }
        let ids = (0..<ranks).map { (UInt64($0 + 1) &* 0x9E37_79B9_7F4A_7C15) >> 20 }
        let sizes = (0..<ranks).map { _ in UInt32(exp(9.5 + 1.2 * random.normal())) + 1 }
        var binary = try FileWriter(oracleGeneral)
        var text = try FileWriter(csv)
        var urls = try FileWriter(textCSV)
        text.append("time,key,size\n")
        urls.append("time,url,size\n")
        for request in 0..<requests {
            let rank = cumulative.firstRank(reaching: random.unit() * sum)
            let seconds = UInt32(request / 1000)
            binary.append(little: seconds)
            binary.append(little: ids[rank])
            binary.append(little: sizes[rank])
            binary.append(little: Int64(-1))
            text.append("\(seconds),\(ids[rank]),\(sizes[rank])\n")
            if request % 10 == 0 {
                urls.append("\(seconds),https://images.example.com/\(ids[rank])/thumb.jpg,\(sizes[rank])\n")
            }
        }
        try binary.finish()
        try text.finish()
        try urls.finish()
    }

    /// Returns a session of cells that appear, are fetched and disappear, with scrolling in between.
    private static func session(events: Int) -> Trace {
        var random = Generator(state: 7)
        var builder = TraceBuilder()
        for number in 0..<2_000 {
            let object = builder.object("https://images.example.com/photos/\(number)/640.jpg")
            builder.update(object) { $0.bytes = 20_000 + number }
        }
        for index in 0..<events {
            let object = ObjectID(random.next() % 2_000)
            let time = Int64(index) * 4_000
            switch index % 4 {
            case 0: builder.append(TraceEvent(time: time, .appear(object, .full)))
            case 1:
                builder.append(
                    TraceEvent(
                        time: time, .fetch(object, Fetch(bytes: 20_000, timeToFirstByte: 31_000, transferTime: 12_000)))
                )
            case 2:
                builder.append(TraceEvent(time: time, .scroll(.dragged, offset: Double(index) * 1.5, velocity: 312.25)))
            default: builder.append(TraceEvent(time: time, .disappear(object, .full)))
            }
        }
        return builder.finish()
    }

    /// Writes entries like Chrome's, each with a body of about 15 kB in base64.
    private static func writeHAR(_ path: String, entries: Int) throws {
        var random = Generator(state: 9)
        var file = try FileWriter(path)
        file.append(
            #"{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":["#)
        for entry in 0..<entries {
            let body = Data((0..<15_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }).base64EncodedString()
            let time = String(
                format: "2026-01-01T%02d:%02d:%02d.%03dZ", entry / 3600, entry / 60 % 60, entry % 60, entry % 1000)
            file.append(
                """
                \(entry > 0 ? "," : ""){"startedDateTime":"\(time)","time":87.5,"_resourceType":"image",\
                "request":{"method":"GET","url":"https://images.example.com/\(entry % 1500).jpg",\
                "httpVersion":"http/2.0","headers":[{"name":"accept","value":"image/webp,*/*"}],\
                "queryString":[],"cookies":[],"headersSize":-1,"bodySize":0},\
                "response":{"status":200,"statusText":"","httpVersion":"http/2.0",\
                "headers":[{"name":"content-type","value":"image/jpeg"},\
                {"name":"cache-control","value":"max-age=3600"}],"cookies":[],\
                "content":{"size":15000,"mimeType":"image/jpeg","text":"\(body)","encoding":"base64"},\
                "redirectURL":"","headersSize":-1,"bodySize":-1,"_transferSize":15210},"cache":{},\
                "timings":{"blocked":1.5,"dns":-1,"ssl":-1,"connect":-1,"send":0.5,"wait":62.5,"receive":23}}
                """)
        }
        file.append("]}}")
        try file.finish()
    }
}

/// Pseudorandom numbers, the same in every run (Knuth's MMIX linear congruential generator).
private struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 16
    }

    mutating func unit() -> Double { Double(next()) / 0x1p48 }

    mutating func normal() -> Double { (-2 * log(max(unit(), 1e-12))).squareRoot() * cos(2 * .pi * unit()) }
}

extension [Double] {
    fileprivate func firstRank(reaching target: Double) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < target { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
