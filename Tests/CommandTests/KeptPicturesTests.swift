import Foundation
import Testing

@Suite("Pictures of kept bodies", .namesCommands)
struct KeptPicturesTests {
    /// A PNG of one pixel.
    private static let png = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
        """

    @Test("The report shows them on its phones, and says nothing of bodies that are no images")
    func shown() throws {
        try withTemporaryFolder { folder in
            let picture = try #require(Data(base64Encoded: Self.png))
            let text = Data("no image".utf8)
            let bodies = folder.appendingPathComponent("bodies")
            var index = ""
            for (key, body) in [("picture", picture), ("text", text)] {
                let hash = try ResumeTests.sha256(body, in: folder)
                let place = try bodies.makeFolder("\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))")
                try body.write(to: place.appendingPathComponent(hash))
                index += "{\"key\":\"\(key)\",\"sha256\":\"\(hash)\",\"bytes\":\(body.count)}\n"
            }
            _ = try bodies.write(index, to: "index.jsonl")
            let trace = try folder.write(
                """
                {"cachereplay_trace":1}
                {"t":0,"e":"fetch","key":"picture","status":200,"bytes":\(picture.count)}
                {"t":0,"e":"fetch","key":"text","status":200,"bytes":\(text.count)}
                {"t":0,"e":"appear","key":"text"}
                {"t":0,"e":"appear","key":"picture"}
                {"t":1000000,"e":"disappear","key":"picture"}
                {"t":1000000,"e":"appear","key":"picture"}
                {"t":2000000,"e":"disappear","key":"picture"}

                """, to: "one.jsonl")
            let results = folder.appendingPathComponent("results").path
            let arguments = [
                "replay", trace, "--cache", "lru(1MB)", "--bodies", bodies.path, "--no-decode", "--output", results,
            ]
            try Command.succeed(arguments)
            let kept = try String(contentsOfFile: "\(results)/thumbnails.jsonl", encoding: .utf8)
            #expect(kept.hasPrefix(#"{"cells":[-1,0,0],"images":["UklGR"#) && kept.hasSuffix("\"trace\":\"one\"}\n"))
            let page = try String(contentsOfFile: "\(results)/report.html", encoding: .utf8)
            #expect(page.contains(#""pictured":[-1,0,0]"#) && page.contains(#""pictures":["UklGR"#))
            try Command.succeed(arguments + ["--force", "--no-charts"])
            #expect(!FileManager.default.fileExists(atPath: "\(results)/thumbnails.jsonl"))
        }
    }
}
