import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import ImageLibraries
@testable import MeasuredTiers
import SessionModel
import TestSupport
import Testing
import TraceRecording

@testable import ReplayEngine

@Suite("Replays that decode")
struct DecodingTests {
    /// A folder of kept bodies, and the trace that asks for them.
    private final class Session {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("decoding-\(UUID())")
        private var builder = TraceBuilder()
        private var index = ""

        func image(_ key: String, _ bytes: [UInt8], type: String = "image/jpeg") throws {
            let object = builder.object(key)
            builder.update(object) { image in
                image.bytes = bytes.count
                image.contentType = type
            }
            builder.append(
                TraceEvent(time: 0, .fetch(object, Fetch(bytes: bytes.count, timeToFirstByte: 1_000, transferTime: 0))))
            let name = Digest.of(bytes, .sha256).hexadecimal
            let place = folder.appendingPathComponent("\(name.prefix(2))/\(name.dropFirst(2).prefix(2))")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(bytes).write(to: place.appendingPathComponent(name))
            index += "{\"key\":\"\(key)\",\"sha256\":\"\(name)\",\"bytes\":\(bytes.count),\"type\":\"\(type)\"}\n"
        }

        func appear(_ key: String, at second: Int64) {
            builder.append(TraceEvent(time: second * 1_000_000, .appear(builder.object(key), .full)))
        }

        func event(_ action: TraceEvent.Action, at second: Int64) {
            builder.append(TraceEvent(time: second * 1_000_000, action))
        }

        /// Over real tiers and a real origin.
        func replay(_ cache: String, decode: Bool = true) async throws -> RunResult {
            try Data(index.utf8).write(to: folder.appendingPathComponent("index.jsonl"))
            let trace = builder.finish(keepingTimes: true)
            var options = LoopbackOriginOptions()
            let kept = try BodyIndex(folder: folder.path)
            for (object, entry) in try kept.bodies(of: trace).enumerated() {
                options.bodies[ObjectID(object)] = entry.map(kept.path)
            }
            return try await replayed(trace, cache, options: options) { job in
                job.bodies = folder.path
                job.decode = decode
                return try job.run(trace, measured: .real)
            }.result
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private func bitmap(_ width: Int, _ height: Int, red: UInt8) throws -> Bitmap {
        let pixels = Payload(count: width * height * 4) { bytes in
            for pixel in 0..<width * height {
                bytes[pixel * 4] = red
                bytes[pixel * 4 + 1] = UInt8(truncatingIfNeeded: pixel % width)
                bytes[pixel * 4 + 2] = UInt8(truncatingIfNeeded: pixel / width)
                bytes[pixel * 4 + 3] = 255
            }
        }
        return try Bitmap(width: width, height: height, pixels: pixels)
    }

    private func jpeg(_ width: Int, _ height: Int, red: UInt8 = 90) throws -> [UInt8] {
        copy(try ImageCodec.encodeJPEG(bitmap(width, height, red: red), quality: 80))
    }

    private func png(_ width: Int, _ height: Int) throws -> [UInt8] {
        copy(try ImageCodec.encodePNG(bitmap(width, height, red: 7)))
    }

    private func copy(_ payload: Payload) -> [UInt8] { withExtendedLifetime(payload) { Array(payload.bytes) } }

    @Test("Memory holds the very bitmaps, a disk hit is decoded anew, and every byte is checked")
    func bitmaps() async throws {
        let session = Session()
        try session.image("a.jpg", jpeg(300, 200))
        try session.image("b.png", png(100, 50), type: "image/png")
        for (second, key) in ["a.jpg", "b.png", "a.jpg", "b.png"].enumerated() {
            session.appear(key, at: Int64(second))
        }
        session.event(.memoryWarning, at: 4)
        for (second, key) in ["a.jpg", "b.png"].enumerated() { session.appear(key, at: 5 + Int64(second)) }
        session.event(.terminate, at: 7)
        session.appear("a.jpg", at: 8)
        let result = try await session.replay("memory: unbounded; cost: decoded; holds: decoded; disk: unbounded")
        #expect(result.counts.originFetches == 2)
        #expect(result.counts.memoryHits == 2)
        #expect(result.counts.diskHits == 3)
        #expect(result.counts.wrong == 0)
        #expect(result.tiers.memoryPeakBytes == 300 * 200 * 4 + 100 * 50 * 4)
        #expect(result.notes.contains { $0 == .imagesDecoded(objects: 2, of: 2) })
        // The memory of the process is measured instead.
        #expect(result.imageMemoryPeak == nil)
    }

    @Test("In place of bodies that were not kept, images of the recorded size and format are decoded")
    func standIns() async throws {
        var builder = TraceBuilder()
        let images = [("a", "image/jpeg", 300, 200, 9_000), ("b", "image/png", 64, 48, 5_000)]
        for (key, type, width, height, bytes) in images + [("c", "text/html", 0, 0, 3_000)] {
            let id = builder.object(key)
            builder.update(id) { object in
                (object.bytes, object.contentType) = (bytes, type)
                if width > 0 { (object.pixelWidth, object.pixelHeight) = (width, height) }
            }
            builder.append(
                TraceEvent(time: 0, .fetch(id, Fetch(bytes: bytes, timeToFirstByte: 1_000, transferTime: 0))))
            builder.append(TraceEvent(time: 0, .appear(id, .full)))
        }
        let trace = builder.finish(keepingTimes: true)
        let sizes = ImageSizes(trace, sizes: trace.resolvedSizes())
        let made = StandInImages(trace, sizes, needed: [true, true, true])
        for (object, (_, type, width, height, bytes)) in images.enumerated() {
            let image = try #require(made[object])
            #expect(ImageFormat(image.bytes) == (type == "image/png" ? .png : .jpeg))
            let bitmap = try ImageCodec.decode(image.bytes)
            #expect(bitmap.width == width && bitmap.height == height)
            #expect(abs(Double(image.count - bytes)) < 0.3 * Double(bytes), "\(key(object)): \(image.count)")
        }
        #expect(made[2] == nil)
        // Runs of one trace share what the first one has made; a file of something else is replaced.
        let folder = try TemporaryFolder()
        let file = folder.path + "/trace.images"
        for content in [nil, "damaged"] {
            if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: file)) }
            for _ in 1...2 {
                let shared = StandInImages.shared(file, trace, sizes, needed: [true, true, true])
                for object in 0..<3 {
                    #expect(shared[object].map { Data($0.bytes) } == made[object].map { Data($0.bytes) })
                }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count > 9_000)
        }
        // No work is allowed, or none is needed.
        #expect(StandInImages(trace, sizes, needed: [true, true, true], mostWork: 0)[0] == nil)
        #expect(StandInImages(trace, sizes, needed: [false, true, true])[0] == nil)

        let result = try await replayGenerated(trace, "memory: unbounded; holds: decoded")
        #expect(result.counts.originFetches == 3 && result.counts.wrong == 0)
        #expect(result.tiers.memoryPeakBytes == 300 * 200 * 4 + 64 * 48 * 4 + 3_000)
        #expect(result.notes.contains(.generatedImagesDecoded(objects: 2, of: 3)))
        #expect(!result.notes.contains { if case .decodingModelled = $0 { true } else { false } })
        #expect(!result.notes.contains { if case .imagesDecoded = $0 { true } else { false } })

        func key(_ object: Int) -> String { trace.objects[object].key }
    }

    @Test("Without an image to decode, the cost model gives the time, and the object is counted")
    func modelledDecoding() throws {
        var builder = TraceBuilder()
        let id = builder.object("a")
        builder.update(id) { object in
            (object.bytes, object.contentType) = (9_000, "image/jpeg")
            (object.pixelWidth, object.pixelHeight) = (300, 200)
        }
        builder.append(TraceEvent(time: 0, .appear(id, .full)))
        let trace = builder.finish()
        let sizes = ImageSizes(trace, sizes: trace.resolvedSizes())
        let cache = try CacheConfiguration("memory: unbounded")
        let objects = ReplayObjects(
            keys: ["a"], images: sizes, memory: cache.memoryRules, disk: cache.diskRules, hasDisk: false)
        for mostWork in [0, StandInImages.mostWork] {
            let tiers = try RealTiers(
                objects, checks: PayloadCheck.checks(trace, nil),
                standIns: StandInImages(trace, sizes, needed: [true], mostWork: mostWork),
                memory: PolicyContext().policy(cache.memory), disk: nil, folder: "")
            let body = ReplayBody(bytes: Payload(count: 9_000) { $0.initializeMemory(as: UInt8.self, repeating: 1) })
            let answer = tiers.decode(body, ImageKey(object: 0, variant: 1), isFile: false)
            // 60,000 pixels at 100 MP/s.
            if mostWork == 0 { #expect(answer.duration == 600_000) }
            #expect(answer.body.flatMap { ReplayBody.of($0).bitmap } == nil && answer.found == .hit)
            #expect(
                tiers.decodedCounts
                    == DecodedCounts(kept: 0, generated: mostWork == 0 ? 0 : 1, modelled: mostWork == 0 ? 1 : 0))
        }
    }

    @Test("A limit counts the real bitmaps: the trace says nothing of pixels")
    func limits() async throws {
        let session = Session()
        for number in 0..<3 { try session.image("\(number).jpg", jpeg(100, 100, red: UInt8(number))) }
        for (second, number) in [0, 1, 2, 1, 0].enumerated() { session.appear("\(number).jpg", at: Int64(second)) }
        let result = try await session.replay("memory: lru(80000B); cost: decoded; holds: decoded")
        #expect(result.counts.memoryHits == 1)
        #expect(result.tiers.memoryEvictions == 2)
        #expect(result.tiers.memoryPeakBytes == 80_000)
    }

    @Test(
        "What is encoded again is as long as the encoder makes it, and known when it is read back",
        arguments: [false, true])
    func encodedAgain(asPNG: Bool) async throws {
        let session = Session()
        let original = try asPNG ? png(120, 80) : jpeg(120, 80)
        try session.image("a", original)
        session.appear("a", at: 0)
        session.event(.memoryWarning, at: 1)
        session.appear("a", at: 2)
        let result = try await session.replay(
            "memory: unbounded; holds: decoded; disk: unbounded; diskContent: jpegOrPNG")
        let decoded = try original.withUnsafeBytes { try ImageCodec.decode($0) }
        let expected = try asPNG ? ImageCodec.encodePNG(decoded) : ImageCodec.encodeJPEG(decoded, quality: 100)
        #expect(result.tiers.diskWrittenBytes == Int64(expected.count))
        #expect(result.tiers.diskReadBytes == Int64(expected.count))
        #expect(result.counts.diskHits == 1 && result.counts.wrong == 0)
    }

    /// Images of 60 x 40 pixels that the trace says have these types; no body was kept.
    private func generated(_ types: [String]) -> Trace {
        var builder = TraceBuilder()
        for (number, type) in types.enumerated() {
            let id = builder.object("https://e.com/a/0\(number)")
            builder.update(id) { object in
                (object.bytes, object.contentType) = (3_000, type)
                (object.pixelWidth, object.pixelHeight) = (60, 40)
            }
            builder.append(
                TraceEvent(time: 0, .fetch(id, Fetch(bytes: 3_000, timeToFirstByte: 1_000, transferTime: 0))))
            builder.append(TraceEvent(time: 0, .appear(id, .full)))
        }
        builder.append(TraceEvent(time: 1_000_000, .memoryWarning))
        for number in types.indices { builder.append(TraceEvent(time: 2_000_000, .appear(ObjectID(number), .full))) }
        // What was read from disk is in memory.
        for number in types.indices { builder.append(TraceEvent(time: 3_000_000, .appear(ObjectID(number), .full))) }
        return builder.finish(keepingTimes: true)
    }

    private func replayGenerated(_ trace: Trace, _ cache: String, decode: Bool = true) async throws -> RunResult {
        try await replayed(trace, cache) { job in
            job.decode = decode
            return try job.run(trace, measured: .real)
        }.result
    }

    @Test("Generated images are encoded again, and their files have the real sizes")
    func generatedEncodedAgain() async throws {
        let trace = generated(["image/webp", "image/webp", "image/jpeg", "image/gif"])
        let sizes = ImageSizes(trace, sizes: trace.resolvedSizes())
        let images = StandInImages(trace, sizes, needed: [true, true, true, true])
        // Those of the first two are the same image, told apart by the object's number in its first pixels.
        let files = try (0..<3).map { object in
            let bitmap = try ImageCodec.decode(#require(images[object]).bytes)
            bitmap.mark(object)
            return try object < 2 ? ImageCodec.encodePNG(bitmap) : ImageCodec.encodeJPEG(bitmap, quality: 100)
        }
        #expect(Data(files[0].bytes) != Data(files[1].bytes))
        let result = try await replayGenerated(
            trace, "memory: unbounded; cost: decoded; holds: decoded; disk: unbounded; diskContent: jpegOrPNG")
        // A GIF stays as it is.
        let expected = Int64(files.reduce(0) { $0 + $1.count } + 3_000)
        #expect(result.tiers.diskWrittenBytes == expected)
        #expect(result.tiers.diskReadBytes == expected)
        #expect(result.counts.originFetches == 4 && result.counts.diskHits == 4 && result.counts.memoryHits == 4)
        #expect(result.counts.wrong == 0)
        #expect(result.tiers.memoryPeakBytes == 4 * 60 * 40 * 4)
        #expect(!result.notes.contains { if case .fileSizesAssumed = $0 { true } else { false } })
        #expect(result.notes.contains(.generatedImagesDecoded(objects: 4, of: 4)))
    }

    @Test("Without decoding, and in modelled timing, files have assumed sizes, and a note says so")
    func assumedFileSizes() async throws {
        let trace = generated(["image/webp", "image/png", "image/gif", "text/html"])
        let cache = "memory: unbounded; disk: unbounded; diskContent: jpegOrPNG"
        // 8.2 times 3,000 bytes are more than the bitmap, of 9,600 bytes.
        let expected: Int64 = 9_600 + 3 * 3_000
        let note = RunNote.fileSizesAssumed(objects: 2, of: 4)
        let measured = try await replayGenerated(trace, cache, decode: false)
        #expect(measured.tiers.diskWrittenBytes == expected && measured.notes.contains(note))
        var job = ReplayJob(trace: "generated", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        let modelled = try job.run(trace)
        #expect(modelled.tiers.diskWrittenBytes == expected && modelled.notes.contains(note))
        job.cache = try CacheConfiguration("memory: unbounded; disk: unbounded")
        #expect(try !job.run(trace).notes.contains(note))
    }

    @Test("A store takes as long as encoding takes, and decoding, if the image is only stored")
    func durationOfStores() throws {
        var builder = TraceBuilder()
        let id = builder.object("a")
        builder.update(id) { object in
            (object.bytes, object.contentType) = (150_000, "image/webp")
            (object.pixelWidth, object.pixelHeight) = (700, 700)
        }
        builder.append(TraceEvent(time: 0, .appear(id, .full)))
        let trace = builder.finish()
        let sizes = ImageSizes(trace, sizes: trace.resolvedSizes())
        let body = ReplayBody(bytes: Payload(count: 150_000) { PayloadPattern(key: "a").fill($0) })
        let key = ImageKey(object: 0, variant: 1)
        for (content, mostWork) in [("original", Int.max), ("jpegOrPNG", .max), ("jpegOrPNG", 0)] {
            let cache = try CacheConfiguration("memory: unbounded; disk: unbounded; diskContent: \(content)")
            let objects = ReplayObjects(
                keys: ["a"], images: sizes, memory: cache.memoryRules, disk: cache.diskRules)
            let folder = try TemporaryFolder()
            let tiers = try RealTiers(
                objects, checks: PayloadCheck.checks(trace, nil),
                standIns: StandInImages(trace, sizes, needed: [true], mostWork: mostWork),
                memory: PolicyContext().policy(cache.memory), disk: PolicyContext().policy(#require(cache.disk)),
                folder: folder.path + "/disk")
            let decoded = try #require(tiers.decode(body, key, isFile: false).body)
            let stored = try tiers.storeOnDisk(decoded, key, at: 0, expiration: nil)
            let onlyStored = try tiers.storeOnDisk(body, key, at: 0, expiration: nil)
            let written = tiers.figures().diskWrittenBytes
            // Nearly half a megapixel takes longer than 2 ms as PNG on any machine, and 9.8 ms by the cost model.
            switch (content, mostWork) {
            case ("original", _): #expect(written == 300_000 && tiers.assumedFileCount == 0)
            case (_, 0):
                #expect(stored >= 9_800_000 && onlyStored >= 9_800_000)
                #expect(written == 2 * 150_000 * 82 / 10 && tiers.assumedFileCount == 1)
            default:
                #expect(stored > 2_000_000 && onlyStored > 2_000_000)
                #expect(written % 2 == 0 && written != 2 * 150_000 * 82 / 10 && tiers.assumedFileCount == 0)
            }
        }
    }

    @Test("A file of an image that was encoded again costs what its own format costs")
    func modelledFiles() throws {
        var builder = TraceBuilder()
        let id = builder.object("a")
        builder.update(id) { object in
            (object.bytes, object.contentType) = (1_000, "image/avif")
            (object.pixelWidth, object.pixelHeight) = (1_000, 1_000)
        }
        builder.append(TraceEvent(time: 0, .fetch(id, Fetch(bytes: 1_000, timeToFirstByte: 1_000, transferTime: 0))))
        for time in [Int64(0), 1_000_000] { builder.append(TraceEvent(time: time, .appear(id, .full))) }
        for (content, read) in [("original", 40_108), ("jpegOrPNG", 10_115)] {
            var job = ReplayJob(
                trace: "files",
                cache: try CacheConfiguration("memory: none; disk: unbounded; diskContent: \(content)"))
            job.timing = .modelled(.standard)
            job.decode = true
            let requests = try job.runRecordingRequests(builder.finish(keepingTimes: true)).requests
            // A lookup of 5 us, 100 us, 1 or 8.2 us of bytes, the decoding of AVIF or of PNG, and a store of 2 us.
            #expect(requests.map { ($0.delivered - $0.appeared) / 1_000 }.last == Int64(read), "\(content)")
        }
    }

    @Test("Another key's image is seen to be so, as a bitmap, and as a file that was encoded again")
    func wrongImages() async throws {
        let session = Session()
        let keys = ["https://e.com/a/01.jpg", "https://e.com/a/02.jpg"]
        for (number, key) in keys.enumerated() { try session.image(key, jpeg(50, 50, red: UInt8(number * 100))) }
        for (second, key) in keys.enumerated() { session.appear(key, at: Int64(second)) }
        session.event(.memoryWarning, at: 2)
        session.appear(keys[1], at: 3)
        session.appear(keys[1], at: 4)
        session.appear(keys[0], at: 5)
        let result = try await session.replay("two-tier-as-written")
        #expect(result.counts.originFetches == 1)
        #expect(result.counts.wrong == 3)
        #expect(result.counts.memoryHits == 1 && result.counts.diskHits == 0)
    }

    @Test("A body that is no image fails, and is asked for again, or not; what never was one goes on as it came")
    func undecodable() async throws {
        let session = Session()
        try session.image("broken.jpg", Array(jpeg(100, 100).prefix(700)))
        try session.image("page.html", Array("<html>".utf8), type: "text/html")
        for second in Int64(0)...1 {
            session.appear("broken.jpg", at: second)
            session.appear("page.html", at: second)
        }
        for (cache, fetches) in [
            ("memory: unbounded; disk: unbounded", 3),
            ("memory: unbounded; disk: unbounded; undecodable: blocked", 2),
        ] {
            let result = try await session.replay(cache)
            #expect(result.counts.failed == 2)
            #expect(result.counts.originFetches == 1 && result.counts.memoryHits == 1)
            #expect(result.tiers.originBytes == Int64(700 * (fetches - 1) + 6))
            #expect(result.tiers.diskWrittenBytes == 6)
        }
        let careless = try await session.replay("memory: unbounded", decode: false)
        #expect(careless.counts.failed == 0)
    }

    /// Replays a session that wants images of one megapixel, with a millisecond of network for the first fetch of each.
    /// A megapixel takes 10 ms by the cost model, and a look into memory a microsecond.
    private func megapixels(
        _ cache: String, _ events: [(time: Int64, action: TraceEvent.Action)]
    ) throws -> [ReplayRequest] {
        var builder = TraceBuilder()
        for key in ["a", "b"] {
            let object = builder.object(key)
            builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 1_000, 1_000) }
            builder.append(
                TraceEvent(time: 0, .fetch(object, Fetch(bytes: 1_000, timeToFirstByte: 1_000, transferTime: 0))))
        }
        for (time, action) in events { builder.append(TraceEvent(time: time, action)) }
        var job = ReplayJob(trace: "decoding", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        job.decode = true
        return try job.runRecordingRequests(builder.finish(keepingTimes: true)).requests
    }

    private func latencies(_ cache: String, _ appearances: [(object: ObjectID, at: Int64)]) throws -> [Int64] {
        try megapixels(cache, appearances.map { ($0.at, .appear($0.object, .full)) }).map {
            ($0.delivered - $0.appeared) / 1_000
        }
    }

    @Test("Lanes decode one after the other, or side by side; the main lane holds up what comes after")
    func lanes() throws {
        let both: [(ObjectID, Int64)] = [(0, 0), (1, 0), (0, 1_000_000), (1, 1_000_000)]
        // A millisecond of network; a bitmap that is held needs no decoding, and the second lookup waits for the first.
        let held = "memory: unbounded; holds: decoded"
        #expect(try latencies(held, both) == [11_002, 21_002, 1, 2])
        #expect(try latencies("\(held); decodeLanes: 2", both) == [11_002, 11_004, 1, 2])
        #expect(try latencies("\(held); decodeOnMainLane: true", both) == [11_002, 21_004, 1, 2])
        // Held as it came, it is decoded for each delivery.
        let encoded = "memory: unbounded; holds: encoded"
        #expect(try latencies(encoded, both) == [11_002, 21_002, 10_000, 20_000])
        // What is asked of the main lane meanwhile waits.
        let queued = try latencies("\(encoded); decodeOnMainLane: true", [(0, 0), (0, 1_000_000), (0, 1_001_000)])
        #expect(queued == [11_002, 10_001, 19_002])
    }

    @Test("Who comes while a body is decoded joins its fetch, and who leaves alone ends it")
    func joining() throws {
        let cache = "memory: unbounded; holds: decoded; cancelOnDisappear: true"
        // The bytes are there at 1 ms, the bitmap at 11 ms.
        let joined = try megapixels(cache, [(0, .appear(0, .full)), (5_000, .appear(0, .full))])
        #expect(joined.map(\.outcome) == [.origin, .coalesced])
        let left = try megapixels(
            cache, [(0, .appear(0, .full)), (5_000, .disappear(0, .full)), (50_000, .appear(0, .full))])
        #expect(left.map(\.outcome) == [.cancelled, .origin])
    }

    @Test(
        """
        Whether a read for a cell that is gone is decoded and promoted is the cache's rule, on lanes and on the main \
        lane
        """,
        arguments: [false, true])
    func cancelledReads(onMainLane: Bool) throws {
        for (rule, last) in [
            ("dropped", RequestOutcome.diskHit), ("droppedWhileQueued", .memoryHit), ("finished", .memoryHit),
        ] {
            let actions: [(Int64, TraceEvent.Action)] = [
                (0, .appear(0, .full)), (1_000_000, .disappear(0, .full)), (2_000_000, .memoryWarning),
                // A read takes 106 microseconds: the cell is gone before it ends.
                (3_000_000, .appear(0, .full)), (3_000_050, .disappear(0, .full)), (4_000_000, .appear(0, .full)),
            ]
            let rules = "cancelOnDisappear: true; cancelledReads: \(rule); decodeOnMainLane: \(onMainLane)"
            let requests = try megapixels("memory: unbounded; holds: decoded; disk: unbounded; \(rules)", actions)
            #expect(requests.map(\.outcome) == [.origin, .cancelled, last], "\(rule)")
        }
    }
}
