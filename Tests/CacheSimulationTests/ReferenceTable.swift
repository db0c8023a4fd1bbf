import CachePolicies
import CacheTraces
import Foundation
import TestSupport

/// Exact counts that other simulators gave for the shared traces.
///
/// `reference/reference.csv` (objects of size 1) and `reference/reference_bytes.csv` come from libCacheSim, and where
/// its algorithm is the textbook's from a second implementation as well, see the data's README.
/// `golden_libcachesim.csv` holds the expectations of libCacheSim's own tests at commit aa0fc409.
struct ReferenceCell: Sendable {
    var trace: String
    /// As the table names it.
    var policy: String
    var capacity: Int
    var countsObjects: Bool
    var requests: Int
    var misses: Int
    /// nil where sizes do not count.
    var missBytes: Int?

    static let unitSizes = read("reference/reference.csv") { fields in
        ReferenceCell(
            trace: fields[0], policy: fields[1], capacity: Int(fields[2]) ?? 0, countsObjects: true,
            requests: Int(fields[3]) ?? 0,
            misses: Int(fields[4]) ?? 0)
    }

    static let bytes = read("reference/reference_bytes.csv") { fields in
        ReferenceCell(
            trace: fields[0], policy: fields[1], capacity: Int(fields[2]) ?? 0, countsObjects: false,
            requests: Int(fields[3]) ?? 0,
            misses: Int(fields[4]) ?? 0, missBytes: Int(fields[7]))
    }

    /// Fields are counted from the end: parameters may contain commas.
    static let golden = read("../facts/golden_libcachesim.csv") { fields in
        let numbers = fields.suffix(5).map { Int($0) ?? 0 }
        return ReferenceCell(
            trace: "cloudPhysicsIO", policy: fields[0], capacity: numbers[0] << 20, countsObjects: false,
            requests: numbers[1],
            misses: numbers[2], missBytes: numbers[4])
    }

    private static func read(_ path: String, _ cell: ([String]) -> ReferenceCell) -> [ReferenceCell] {
        guard let text = try? String(contentsOfFile: SharedData.path(path), encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.dropFirst().map { line in
            cell(line.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
    }
}

extension ReferenceTrace {
    /// Runs a policy over the requests, with or without the sizes of the objects.
    func run(_ specification: String, capacity: Size? = nil, usesSizes: Bool = true) throws -> SimulationCounts {
        var policy = try PolicyContext(capacity: capacity).policy(specification)
        policy.reserve(sizes.count)
        var counts = SimulationCounts()
        objects.withUnsafeBufferPointer { objects in
            nexts.withUnsafeBufferPointer { nexts in
                sizes.withUnsafeBufferPointer { sizes in
                    guard let base = objects.baseAddress else { return }
                    let columns = RequestColumns(
                        objects: base, sizes: usesSizes ? sizes.baseAddress : nil, nexts: nexts.baseAddress)
                    policy.run(columns, 0..<objects.count, into: &counts)
                }
            }
        }
        return counts
    }
}

/// The requests of a shared trace. Where an object comes with several sizes, the tables count with its first.
struct ReferenceTrace: Sendable {
    var objects: [UInt32] = []
    /// By object.
    var sizes: [Int] = []
    /// By request.
    var nexts: [UInt32] = []

    /// `name` as the reference tables spell it.
    init(_ name: String) throws {
        switch name {
        case "log_nasa_jul95_4k": readLog("logs/nasa_clf_jul95_4k.log")
        case "log_apache_10k": readLog("logs/apache_combined_semicomplete_10k.log")
        case "adaptsize_key", "adaptsize_keysize": try readAdaptSize(keyedBySize: name.hasSuffix("keysize"))
        default: try readTrace(name)
        }
        var following = [UInt32](repeating: .max, count: sizes.count)
        nexts = [UInt32](repeating: .max, count: objects.count)
        for index in objects.indices.reversed() {
            nexts[index] = following[Int(objects[index])]
            following[Int(objects[index])] = UInt32(index)
        }
    }

    private mutating func append(_ key: String, _ size: Int, _ numbers: inout [String: Int]) {
        if numbers[key] == nil {
            numbers[key] = numbers.count
            sizes.append(size)
        }
        objects.append(UInt32(numbers[key] ?? 0))
    }

    /// GET, status 200, more than 0 bytes; the key is the path.
    private mutating func readLog(_ path: String) {
        var numbers: [String: Int] = [:]
        let text = (try? String(contentsOfFile: SharedData.path(path), encoding: .isoLatin1)) ?? ""
        for line in text.split(whereSeparator: \.isNewline) {
            let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
            guard quoted.count >= 3 else { continue }
            let request = quoted[1].split(separator: " ")
            let answer = quoted[2].split(separator: " ")
            guard request.count >= 2, request[0] == "GET", answer.count >= 2, answer[0] == "200",
                let size = Int(answer[1]), size > 0
            else { continue }
            append(String(request[1]), size, &numbers)
        }
    }

    private mutating func readAdaptSize(keyedBySize: Bool) throws {
        var numbers: [String: Int] = [:]
        let input = try TraceInput(path: SharedData.path("traces/adaptsize_request.trace.xz"))
        let text = input.withBytes { String(decoding: $0, as: UTF8.self) }
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 3, let size = Int(fields[2]) else { continue }
            append(keyedBySize ? "\(fields[1]) \(size)" : String(fields[1]), size, &numbers)
        }
    }

    private mutating func readTrace(_ name: String) throws {
        let endings = [".trace.gz", ".lis.zst", ".trace.xz", ".gz", ".oracleGeneral.bin"]
        let names = [name, name.replacingOccurrences(of: "corda_", with: "corda_trace_")]
        let paths = names.flatMap { name in endings.map { SharedData.path("traces/\(name)\($0)") } }
        let path = paths.first { FileManager.default.fileExists(atPath: $0) } ?? name
        let dense = try DenseTrace(contentsOf: path)
        objects = Array(dense.objects)
        sizes = (0..<dense.objectCount).map { dense.size(of: UInt32($0)) }
    }
}
