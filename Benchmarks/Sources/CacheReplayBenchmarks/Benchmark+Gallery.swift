import CacheTiers
import Foundation
import MeasuredTiers

/// Measures the images of 50 KB per second that the recording gallery serves and records, to this process over 16
/// connections. The peer is the bar.
func galleryBenchmarks() throws -> [BenchmarkRow] {
    let server = try GalleryProcess(images: 64, bytes: 50_000)
    var options = OriginOptions()
    options.connections = 16
    let client = try CurlOrigin(options)
    let requests = 20_000
    func rate() throws -> Double {
        var bytes = 0
        let time = seconds {
            for number in 0..<requests {
                client.start("\(server.address)/full/\(number % 64)?c=\(GalleryProcess.browser)")
            }
            while client.pending > 0 {
                for response in client.wait(for: .seconds(10)) { bytes += response.payload?.count ?? 0 }
            }
        }
        guard bytes == requests * 50_000 else { throw BenchmarkError(description: "Only \(bytes) bytes came.") }
        return Double(requests) / time
    }
    _ = try rate()
    let rates = try (0..<5).map { _ in try rate() }
    let fetches = try server.recordedFetches(atLeast: 6 * requests)
    guard fetches == 6 * requests else {
        throw BenchmarkError(description: "Of \(6 * requests) fetches \(fetches) were recorded.")
    }
    return [
        BenchmarkRow(
            "gallery server, 50 KB", metric: "requests, recorded", unit: "1/s", .higherIsBetter, ours: median(rates),
            peerName: "bar", peer: 5_000)
    ]
}

/// A process of `cachereplay record gallery`, with files that have only the headers of images.
private final class GalleryProcess {
    static let browser = "benchmark1"
    var address: String { server.address }
    private let server: ServerProcess

    init(images: Int, bytes: Int) throws {
        server = try ServerProcess { folder in
            let pictures = URL(fileURLWithPath: folder).appendingPathComponent("images")
            try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
            for number in 0..<images {
                let image =
                    Data("GIF89a".utf8) + Data([64, 0, 64, 0])
                    + Data((10..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 + number) })
                try image.write(to: pictures.appendingPathComponent("\(number).gif"))
            }
            return [
                "record", "gallery", pictures.path, "--thumbnails", "off", "--quiet", "--output",
                "\(folder)/session.jsonl",
            ]
        }
        try sayHello()
    }

    /// Starts a visit, without which no fetch is recorded.
    private func sayHello() throws {
        let curl = Process()
        curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let hello =
            #"{"client":"\#(Self.browser)","batches":"#
            + #"[{"visit":"benchmark1","sequence":1,"clock_error_us":0,"events":[]}]}"#
        curl.arguments = [
            "curl", "--silent", "--show-error", "--fail", "--output", "/dev/null", "--data", hello, address + "/hello",
        ]
        try curl.run()
        curl.waitUntilExit()
        guard curl.terminationStatus == 0 else { throw BenchmarkError(description: "The gallery does not answer.") }
    }

    /// Returns the number of fetches in the trace, after it has reached `count`, or after two seconds.
    func recordedFetches(atLeast count: Int) throws -> Int {
        let end = ContinuousClock.now + .seconds(2)
        var found = 0
        repeat {
            let text = try Data(contentsOf: URL(fileURLWithPath: server.folder.path + "/session.jsonl"))
            found = text.split(separator: UInt8(ascii: "\n")).count {
                $0.prefix(40).range(of: Data(#""e":"fetch""#.utf8)) != nil
            }
        } while found < count && ContinuousClock.now < end
        return found
    }
}
