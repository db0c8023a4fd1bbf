import Foundation
import TestSupport
import Testing

@testable import MeasuredTiers

/// Images from web servers, in the bodies of public HAR recordings; skipped if those are not beside the package.
@Suite("Images from the web", .enabled(if: SharedData.isPresent))
struct RealImageTests {
    @Test(
        "Each is decoded, unchanged after PNG and nearly unchanged after JPEG of quality 100",
        arguments: [
            "fiddler2.3_nopages.har", "firefox54_missing-headersSize.har", "webinspector_http2.github.io.har",
            "webinspector_mitmtest_chrome.har",
        ])
    func decoded(file: String) throws {
        let images = try Self.images(SharedData.path("har/" + file))
        #expect(!images.isEmpty)
        for (url, bytes) in images {
            let bitmap = try decode(bytes)
            #expect(bitmap.pixels.count == 4 * bitmap.width * bitmap.height)
            #expect(try decode(ImageCodec.encodePNG(bitmap).array).isEqual(to: bitmap), "\(url)")
            let again = try decode(ImageCodec.encodeJPEG(bitmap, quality: 100).array)
            let differences = zip(again.array, bitmap.array).flatMap { left, right in
                (0..<3).map { abs(Int(left[$0]) - Int(right[$0])) }
            }
            #expect(differences.allSatisfy { $0 <= 6 } && differences.reduce(0, +) < differences.count, "\(url)")
            // Some have other things behind their pixels.
            let half = try? decode(Array(bytes.prefix(bytes.count / 2)))
            #expect(half == nil || half?.isEqual(to: bitmap) == true, "\(url)")
        }
    }

    private static func images(_ path: String) throws -> [(url: String, bytes: [UInt8])] {
        let file = try JSONDecoder().decode(Recording.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        return file.log.entries.compactMap { entry in
            let content = entry.response.content
            guard content.encoding == "base64", let text = content.text, let body = Data(base64Encoded: text) else {
                return nil
            }
            let bytes = [UInt8](body)
            return format(bytes) == nil ? nil : (entry.request.url, bytes)
        }
    }

    private struct Recording: Decodable {
        var log: Log
        struct Log: Decodable { var entries: [Entry] }
        struct Entry: Decodable {
            var request: Request
            var response: Response
        }
        struct Request: Decodable { var url: String }
        struct Response: Decodable { var content: Content }
        struct Content: Decodable {
            var text: String?
            var encoding: String?
        }
    }
}
