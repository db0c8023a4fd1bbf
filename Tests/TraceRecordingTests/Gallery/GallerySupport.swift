import CacheTraces
import Foundation
import TestSupport
import TraceRecording

/// A folder of images and a place for traces, removed with the last reference to it.
final class GalleryFolder: Sendable {
    private let folder: TemporaryFolder
    var root: URL { URL(fileURLWithPath: folder.path) }
    var images: URL { root.appendingPathComponent("images") }
    var trace: String { root.appendingPathComponent("session.jsonl").path }

    init(_ names: [String] = []) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
        try writeImages(names)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = images.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Writes images of different shapes.
    func writeImages(_ names: [String]) throws {
        for (number, name) in names.enumerated() {
            try write(
                "\(name).png",
                testPNG(
                    width: 120 + 10 * (number % 5), height: 90 + 30 * (number % 4),
                    shade: UInt8(truncatingIfNeeded: 40 * number)))
        }
    }
}

/// Runs the body with a gallery of the folder, and stops it. The traces are in the folder afterwards.
func withGallery<Result>(
    _ folder: GalleryFolder, images: [GalleryImage]? = nil, _ change: (inout GalleryOptions) -> Void = { _ in },
    _ body: (GalleryServer) throws -> Result
) throws -> Result {
    var options = GalleryOptions(output: folder.trace)
    options.title = "Test"
    change(&options)
    let server = try GalleryServer(images: images ?? ImageFolder(folder.images.path).images, options: options)
    defer { try? server.stopAndWait() }
    return try body(server)
}

extension GalleryServer {
    /// Sends a request on a new connection, and returns the response with its head.
    func ask(_ line: String, headers: [String] = [], body: String = "") -> String {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let head = ["\(line) HTTP/1.1", "Host: localhost:\(port)", "Connection: close"] + headers + length
        return rawRequest(head.joined(separator: "\r\n") + "\r\n\r\n" + body, port: port)
    }

    func hello(_ client: String) -> String {
        ask(
            "POST /hello",
            body:
                #"{"client":"\#(client)","batches":"#
                + #"[{"visit":"visit0001","sequence":1,"clock_error_us":250,"events":[]}]}"#
        )
    }

    func report(_ client: String, sequence: Int, visit: String = "visit0001", _ events: String) -> String {
        ask(
            "POST /events",
            body:
                #"{"client":"\#(client)","batches":[{"visit":"\#(visit)","sequence":\#(sequence),"#
                + #""clock_error_us":250,"events":[\#(events)]}]}"#
        )
    }
}

/// Waits until the condition holds; returns false after ten seconds.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(10)
    while try !condition() {
        if ContinuousClock.now > end { return false }
        usleep(5_000)
    }
    return true
}

/// A PNG of one colour with a gradient over it, not compressed.
func testPNG(width: Int, height: Int, shade: UInt8) -> [UInt8] {
    var rows: [UInt8] = []
    for row in 0..<height {
        rows.append(0)
        for column in 0..<width { rows += [shade, UInt8(255 * row / height), UInt8(255 * column / width)] }
    }
    var data: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: rows.count, by: 65_535) {
        let count = min(65_535, rows.count - start)
        data.append(start + count == rows.count ? 1 : 0)
        data += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
        data += rows[start..<start + count]
    }
    var (a, b) = (UInt32(1), UInt32(0))
    for byte in rows {
        a = (a + UInt32(byte)) % 65_521
        b = (b + a) % 65_521
    }
    data += bigEndian(b << 16 | a)
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", data)
        + chunk("IEND", [])
}

private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    var sum = UInt32.max
    for byte in body {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return bigEndian(UInt32(data.count)) + body + bigEndian(~sum)
}

func bigEndian(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
