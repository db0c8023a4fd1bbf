import Testing

@testable import MeasuredTiers

@Suite("Images: many threads")
struct ConcurrencyTests {
    @Test("Concurrent decoding and encoding has the same results as sequential, also beside failures")
    func concurrent() async throws {
        let samples = try Samples.all()
        let bitmap = try Bitmap.gradient(160, 90)
        let jpeg = try ImageCodec.encodeJPEG(bitmap, quality: 100).array
        let png = try ImageCodec.encodePNG(bitmap).array
        let alone = try samples.map { try decode($0.bytes) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { () async throws in
                    for round in 0..<40 {
                        let index = (task + round) % samples.count
                        #expect(try decode(samples[index].bytes).isEqual(to: alone[index]), "\(samples[index].name)")
                        #expect(throws: ImageError.self) { try decode(Array(samples[index].bytes.prefix(30))) }
                        #expect(try ImageCodec.encodeJPEG(bitmap, quality: 100).array == jpeg)
                        #expect(try ImageCodec.encodePNG(bitmap).array == png)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
