import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

/// One recorded sequence: what the cache class of a library did, request by request, in virtual time.
///
/// `libraries/README.md` of the shared data describes the recordings.
struct LibraryCase: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var library: String
    /// The arguments of the generator: seed, requests, objects, exponent, widths, and options.
    var generate: String
    /// The preset, with the limits of the recording.
    var cache: String
    var requests: Int
    var hits: Int

    var testDescription: String { name }

    /// Empty without the shared data.
    static let all: [LibraryCase] = {
        guard let file = FileManager.default.contents(atPath: SharedData.path("libraries/cases.json")) else {
            return []
        }
        return (try? JSONDecoder().decode([LibraryCase].self, from: file)) ?? []
    }()

    /// The recorded outcomes: `M` memory hit, `D` disk hit, `-` miss, in the order of requests.
    func outcomes() throws -> [UInt8] {
        try TraceInput(path: SharedData.path("libraries/outcomes/\(name).xz")).withBytes { bytes in
            bytes.filter { $0 != UInt8(ascii: "\n") }
        }
    }

    /// The generated session.
    func trace() throws -> Trace { try LibrarySequence(generate).trace() }
}

/// The generator of the recorded sequences: requests of objects by Zipf's law whose ranks are shuffled at the start of
/// each phase, and system events between them. One second or more separates two events.
struct LibrarySequence {
    private struct Object {
        var key: String
        var width: Int
        var height: Int
        var bytes: Int
    }

    private let seed: UInt32
    private let requests: Int
    private let objects: Int
    private let exponent: Double
    private let widths: ClosedRange<Int>
    private var options: [String: String] = [:]

    init(_ arguments: String) throws {
        let words = arguments.split(separator: " ").map(String.init)
        seed = try #require(UInt32(words[0]))
        requests = try #require(Int(words[1]))
        objects = try #require(Int(words[2]))
        exponent = try #require(Double(words[3]))
        widths = try Self.range(words[4])
        for index in stride(from: 5, to: words.count, by: 2) { options[words[index]] = words[index + 1] }
    }

    func trace() throws -> Trace {
        var random = PythonRandom(seed: seed)
        let images = try (0..<objects).map { try object($0, &random) }
        var weights = 0.0
        let cumulative = (0..<objects).map { rank in
            weights += 1 / pow(Double(rank + 1), exponent)
            return weights
        }
        var builder = TraceBuilder()
        for image in images {
            let id = builder.object(image.key)
            builder.update(id) {
                ($0.bytes, $0.contentType) = (image.bytes, "image/jpeg")
                ($0.pixelWidth, $0.pixelHeight) = (image.width, image.height)
            }
        }
        var ranks = Array(0..<objects)
        var shown: [ObjectID] = []
        var second: Int64 = 0
        let (gap, phase) = (try Self.range(options["--gap"] ?? "1-1"), max(1, requests / number("--phases", 4)))
        for request in 0..<requests {
            if request % phase == 0 { random.shuffle(&ranks) }
            second += Int64(random.integer(in: gap))
            if share("--idle") > 0, random.random() < share("--idle") {
                second += Int64(random.integer(in: 100...700))
            }
            let time = second * 1_000_000
            if let event = event(random.random()) {
                builder.append(TraceEvent(time: time, event))
                continue
            }
            let rank = Self.rank(of: random.random() * weights, in: cumulative)
            let object = ObjectID(ranks[rank])
            builder.append(TraceEvent(time: time, .appear(object, .full)))
            shown.append(object)
            while shown.count > number("--visible", 0) {
                builder.append(TraceEvent(time: time + 400_000, .disappear(shown.removeFirst(), .full)))
            }
        }
        return builder.finish(keepingTimes: true)
    }

    private func object(_ number: Int, _ random: inout PythonRandom) throws -> Object {
        var (width, height) = (random.integer(in: widths), random.integer(in: widths))
        if random.random() < share("--huge") { (width, height) = (width * 3, height * 3) }
        let bytes = random.integer(in: try Self.range(options["--bytes"] ?? "1000-60000"))
        let block = self.number("--block", 1)
        return Object(
            key: "https://img.example.com/a/\(number).jpg", width: width, height: height,
            bytes: (bytes + block - 1) / block * block)
    }

    private func event(_ chance: Double) -> TraceEvent.Action? {
        let (background, warning) = (share("--background"), share("--warning"))
        if chance < background { return .background }
        if chance < background + warning { return .memoryWarning }
        return chance < background + warning + share("--relaunch") ? .terminate : nil
    }

    private func share(_ option: String) -> Double { options[option].flatMap(Double.init) ?? 0 }

    private func number(_ option: String, _ standard: Int) -> Int { options[option].flatMap(Int.init) ?? standard }

    private static func range(_ text: String) throws -> ClosedRange<Int> {
        let ends = text.split(separator: "-").compactMap { Int($0) }
        try #require(ends.count == 2)
        return ends[0]...ends[1]
    }

    /// Returns the index of the first sum that is not below the value.
    private static func rank(of value: Double, in sums: [Double]) -> Int {
        var (low, high) = (0, sums.count)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
