import Foundation
import SessionModel
import TestSupport
import Testing

@testable import SessionRecorder

@Suite("Privacy: the written parts of a key")
struct PrivacyTests {
    let url = "https://anna:secret@photos.example:8443/albums/7.jpg?token=abc#top"

    @Test(
        "Queries and hosts are omitted by option, user and password always",
        arguments: [
            (KeyPrivacy(), "https://photos.example:8443/albums/7.jpg?token=abc#top"),
            (KeyPrivacy(stripsQuery: true), "https://photos.example:8443/albums/7.jpg"),
            (KeyPrivacy(stripsHost: true), "/albums/7.jpg?token=abc#top"),
            (KeyPrivacy(stripsQuery: true, stripsHost: true), "/albums/7.jpg"),
        ])
    func stripping(privacy: KeyPrivacy, expected: String) {
        #expect(privacy.written(url) == expected)
    }

    @Test(
        "Keys that are not hierarchical URLs",
        arguments: [
            ("photo 7", "photo 7"), ("", ""), ("https://photos.example", "/"), ("https://a.example?q=@/x", "?q=@/x"),
            ("a?b", "a?b"), ("mail@x/y://z", "mail@x/y://z"), ("https://a@b@c.example/p@q", "/p@q"),
            ("file:///tmp/1.jpg", "/tmp/1.jpg"),
        ])
    func otherKeys(key: String, withoutHost: String) {
        #expect(KeyPrivacy(stripsHost: true).written(key) == withoutHost)
    }

    @Test("An @ in a path is not a password; of two in the authority, the host is kept")
    func authority() {
        #expect(KeyPrivacy().written("https://a.example/@anna/1.jpg") == "https://a.example/@anna/1.jpg")
        #expect(KeyPrivacy().written("https://a@b:c@d.example/1") == "https://d.example/1")
    }

    /// From `openssl mac -macopt hexkey:000102…0f -macopt size:16 SIPHASH` over the bytes 0, 1, 2 …, OpenSSL 3.0.
    @Test(
        "SipHash-2-4-128 has the same results as OpenSSL",
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
            (2, "8177228da4a45dc7fca38bdef60affe4"), (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
        ])
    func sipHash(length: Int, expected: String) {
        let bytes = SipHash.hash((0..<length).map { UInt8($0) }, key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        #expect(bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() == expected)
    }

    @Test("A hashed trace replays the same, and contains neither parts of URLs nor an etag")
    func hashedTrace() throws {
        let folder = try TemporaryFolder()
        var texts: [String] = []
        for hashing in [nil, .random(), .random(), KeyPrivacy.Hashing(1, 2), KeyPrivacy.Hashing(1, 2)] {
            let file = folder.url("feed-\(texts.count)x.jsonl")
            let recorder = TraceRecorder(
                file: file, options: options { $0.privacy = KeyPrivacy(stripsQuery: true, hashing: hashing) })
            recorder.cellAppeared("https://photos.example/1.jpg?token=a")
            recorder.cellAppeared("https://photos.example/2.jpg")
            recorder.cellAppeared("https://photos.example/1.jpg?token=b")
            recorder.fetched(
                "https://photos.example/1.jpg?token=c", .init(bytes: 10, headers: ["etag": "\"cafe\"", "age": "3"]))
            recorder.finish(timeout: 60)
            texts.append(try folder.text(file.lastPathComponent))
            let trace = try read(file)
            #expect(
                trace.events.map(\.action) == [
                    .appear(0, .full), .appear(1, .full), .appear(0, .full), .fetch(0, Fetch(bytes: 10)),
                ])
            #expect(trace.objects.count == 2)
            if hashing != nil {
                let text = texts[texts.count - 1]
                for word in ["photos", "example", "jpg", "token", "cafe"] { #expect(!text.contains(word)) }
                #expect(text.contains("\"hashed_keys\":true"))
                #expect(trace.objects[0].headers.map(\.name) == ["etag", "age"])
                #expect(trace.objects[0].key.count == "hash:".count + 32)
            }
        }
        let keys = try texts.map { try #require($0.components(separatedBy: "\"key\":").dropFirst().first).prefix(39) }
        #expect(keys[1] != keys[2])
        #expect(keys[3] == keys[4])
    }
}
