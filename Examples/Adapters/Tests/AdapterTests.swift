import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import SessionRecorder

typealias Action = TraceEvent.Action

/// What a recording has: the keys by their numbers, the fetches in their order, and the other events in theirs.
struct Recording {
    var keys: [String]
    var fetches: [Action] = []
    var others: [Action] = []

    init(_ recorder: TraceRecorder, _ file: URL) throws {
        #expect(recorder.finish(timeout: 60))
        let reading = try TraceReading(contentsOf: file.path)
        #expect(reading.warnings == [])
        keys = reading.trace.objects.map(\.key)
        for action in reading.trace.events.map(\.action) {
            if case .fetch = action { fetches.append(action) } else { others.append(action) }
        }
        #expect(ServedRequests(reading.trace).unmatched == 0)
    }
}

/// A request on a new connection: 1/8 s in the queue, 1/4 s to connect, 1/2 s to the first byte, 1/16 s of transfer.
/// Without a status, no response comes. It happened before the recording, so that the fetches come first.
func metrics(status: Int?, bytes: Int = 0) -> URLSessionTaskMetrics {
    func moment(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
    var transaction = FetchTransaction()
    transaction.isFromNetwork = true
    transaction.fetchStart = moment(0)
    transaction.connectStart = moment(0.125)
    transaction.requestStart = moment(0.375)
    transaction.networkProtocol = "h2"
    guard let status else { return URLSessionTaskMetrics([transaction]) }
    transaction.responseStart = moment(0.875)
    transaction.responseEnd = moment(0.9375)
    transaction.bodyBytes = bytes
    transaction.head = HTTPURLResponse(
        url: URL(fileURLWithPath: "/"), statusCode: status, httpVersion: nil, headerFields: nil
    ).map(FetchHead.init)
    return URLSessionTaskMetrics([transaction])
}

/// The fetch that these metrics become.
func fetch(_ object: ObjectID, status: Int, bytes: Int? = 0, hasResponse: Bool = true) -> Action {
    var fetch = Fetch(
        status: status, bytes: hasResponse ? bytes : nil, queued: 125_000, connect: 250_000,
        timeToFirstByte: hasResponse ? 500_000 : nil, transferTime: hasResponse ? 62_500 : nil)
    fetch.networkProtocol = .http2
    return .fetch(object, fetch)
}

/// The cost of the images of all tests.
func cost(_ object: ObjectID, _ variant: SessionModel.Variant = .thumbnail) -> Action {
    .cost(object, variant, bytes: 921_600)
}

func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

@Suite("KingfisherRecorder")
struct KingfisherRecorderTests {
    let folder: TemporaryFolder
    let file: URL
    let recorder: TraceRecorder
    let images: KingfisherRecorder

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url("feed.jsonl")
        recorder = TraceRecorder(file: file)
        images = KingfisherRecorder(recorder)
    }

    private func end(_ task: URLSessionTask, _ metrics: URLSessionTaskMetrics) {
        images.urlSession(.shared, task: task, didFinishCollecting: metrics)
    }

    private func load(_ source: Source, _ cacheType: CacheType, from other: Source? = nil) {
        images.loaded(
            .success(
                RetrieveImageResult(
                    image: .init(cacheCost: 921_600), cacheType: cacheType, source: other ?? source,
                    originalSource: source)),
            variant: .thumbnail)
    }

    @Test("none, memory and disk are the network, the memory and the disk; two views share one fetch")
    func sources() throws {
        let source = Source.network(try url("https://a.example/1.jpg"))
        images.prefetched(source, variant: .thumbnail)
        for _ in 0..<2 {
            images.appeared(source, variant: .thumbnail, viewSize: .init(width: 240, height: 180))
        }
        end(URLSessionTask("https://a.example/1.jpg", status: 200), metrics(status: 200, bytes: 48_213))
        for _ in 0..<2 { load(source, .none) }
        for _ in 0..<2 { images.disappeared(source, variant: .thumbnail) }
        for cacheType in [CacheType.memory, .disk] {
            images.appeared(source, variant: .thumbnail)
            load(source, cacheType)
            images.disappeared(source, variant: .thumbnail)
        }
        #expect(images.collected == 1, "Kingfisher has the metrics too")
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["https://a.example/1.jpg"])
        #expect(recording.fetches == [fetch(0, status: 200, bytes: 48_213)])
        #expect(
            recording.others == [
                .prefetch(0, .thumbnail), .appear(0, .thumbnail), .appear(0, .thumbnail),
                .served(0, .thumbnail, .network), cost(0), .served(0, .thumbnail, .network), cost(0),
                .disappear(0, .thumbnail), .disappear(0, .thumbnail), .appear(0, .thumbnail),
                .served(0, .thumbnail, .memory), .disappear(0, .thumbnail), .appear(0, .thumbnail),
                .served(0, .thumbnail, .disk), cost(0), .disappear(0, .thumbnail),
            ])
    }

    @Test("A resource with a key of its own has that key in its fetches too")
    func keys() throws {
        let address = "https://a.example/2.jpg?token=9"
        let source = Source.network(KF.ImageResource(downloadURL: try url(address), cacheKey: "photo-2"))
        images.appeared(source, variant: .thumbnail)
        end(URLSessionTask(address, status: 200), metrics(status: 200, bytes: 7))
        load(source, .none)
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["photo-2"])
        #expect(recording.fetches == [fetch(0, status: 200, bytes: 7)])
        #expect(recording.others == [.appear(0, .thumbnail), .served(0, .thumbnail, .network), cost(0)])
    }

    @Test("Each attempt of a retried load is a fetch; a refused status is that status, though its task was cancelled")
    func failures() throws {
        let retried = Source.network(try url("https://a.example/3.jpg"))
        let missing = Source.network(try url("https://a.example/4.jpg"))
        images.appeared(retried, variant: .thumbnail)
        end(URLSessionTask("https://a.example/3.jpg", error: .timedOut), metrics(status: nil))
        end(URLSessionTask("https://a.example/3.jpg", status: 200, error: .networkConnectionLost), metrics(status: 200))
        end(URLSessionTask("https://a.example/3.jpg", status: 200), metrics(status: 200, bytes: 9))
        load(retried, .none)
        images.appeared(missing, variant: .thumbnail)
        end(URLSessionTask("https://a.example/4.jpg", status: 404, error: .cancelled), metrics(status: 404))
        let timeout = KingfisherError.responseError(reason: .URLSessionError(error: URLError(.timedOut)))
        images.loaded(.failure(timeout), variant: .thumbnail)
        let late = RetrieveImageResult(
            image: .init(cacheCost: 1), cacheType: .memory, source: retried, originalSource: retried)
        images.loaded(
            .failure(.imageSettingError(reason: .notCurrentSourceTask(result: late, error: nil, source: retried))))
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["https://a.example/3.jpg", "https://a.example/4.jpg"])
        #expect(
            recording.fetches == [
                fetch(0, status: 0, hasResponse: false), fetch(0, status: 0), fetch(0, status: 200, bytes: 9),
                fetch(1, status: 404),
            ])
        #expect(
            recording.others == [
                .appear(0, .thumbnail), .served(0, .thumbnail, .network), cost(0), .appear(1, .thumbnail),
            ])
    }

    @Test("An alternative source serves the cell of the original; a provider's image is from no cache")
    func alternatives() throws {
        struct File: ImageDataProvider { var cacheKey = "file" }
        let original = Source.network(try url("https://a.example/5.jpg"))
        images.appeared(original, variant: .thumbnail)
        end(URLSessionTask("https://b.example/5.jpg", status: 200), metrics(status: 200, bytes: 5))
        load(original, .none, from: .network(try url("https://b.example/5.jpg")))
        images.appeared(.provider(File()), variant: .thumbnail)
        load(.provider(File()), .none)
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["https://a.example/5.jpg", "https://b.example/5.jpg", "file"])
        #expect(recording.fetches == [fetch(1, status: 200, bytes: 5)])
        #expect(
            recording.others == [
                .appear(0, .thumbnail), .served(0, .thumbnail, .network), cost(0), .appear(2, .thumbnail), cost(2),
            ])
    }
}

@Suite("SDWebImageRecorder", .serialized)  // SDWebImage has one class of downloads.
struct SDWebImageRecorderTests {
    let folder: TemporaryFolder
    let file: URL
    let recorder: TraceRecorder
    let images: SDWebImageRecorder

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url("feed.jsonl")
        recorder = TraceRecorder(file: file)
        images = SDWebImageRecorder(recorder)
        images.start()
    }

    private func end(_ task: URLSessionTask, _ metrics: URLSessionTaskMetrics) throws {
        let type = try #require(SDWebImageDownloader.shared.config.operationClass as? RecordedDownload.Type)
        let download = type.init()
        download.urlSession(.shared, task: task, didFinishCollecting: metrics)
        #expect(download.metrics === metrics, "SDWebImage has the metrics too")
    }

    @Test("none, memory and disk are the network, the memory and the disk; fetches have the key, not the URL")
    func sources() throws {
        let address = "https://a.example/1.jpg?token=9"
        let image = try url(address)
        images.prefetched(image, variant: .thumbnail)
        for cacheType in [SDImageCacheType.none, .memory, .disk] {
            images.appeared(image, variant: .thumbnail)
            if cacheType == .none {
                try end(URLSessionTask(address, status: 200), metrics(status: 200, bytes: 48_213))
            }
            images.loaded(image, UIImage(sd_memoryCost: 921_600), from: cacheType, variant: .thumbnail)
            images.disappeared(image, variant: .thumbnail)
        }
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["https://a.example/1.jpg"])
        #expect(recording.fetches == [fetch(0, status: 200, bytes: 48_213)])
        #expect(
            recording.others == [
                .prefetch(0, .thumbnail), .appear(0, .thumbnail), .served(0, .thumbnail, .network), cost(0),
                .disappear(0, .thumbnail), .appear(0, .thumbnail), .served(0, .thumbnail, .memory),
                .disappear(0, .thumbnail), .appear(0, .thumbnail), .served(0, .thumbnail, .disk), cost(0),
                .disappear(0, .thumbnail),
            ])
    }

    @Test("A load that failed and was repeated is two fetches; a refused status is that status")
    func failures() throws {
        let repeated = try url("https://a.example/2.jpg")
        images.appeared(repeated)
        try end(URLSessionTask("https://a.example/2.jpg", error: .timedOut), metrics(status: nil))
        images.disappeared(repeated)
        images.appeared(repeated)
        try end(URLSessionTask("https://a.example/2.jpg", status: 200), metrics(status: 200, bytes: 9))
        images.loaded(repeated, nil, from: .none)
        images.loaded(repeated, UIImage(sd_memoryCost: 921_600), from: .none)
        images.appeared(try url("https://a.example/3.jpg"))
        try end(URLSessionTask("https://a.example/3.jpg", status: 503, error: .cancelled), metrics(status: 503))
        let recording = try Recording(recorder, file)
        #expect(recording.keys == ["https://a.example/2.jpg", "https://a.example/3.jpg"])
        #expect(
            recording.fetches == [
                fetch(0, status: 0, hasResponse: false), fetch(0, status: 200, bytes: 9), fetch(1, status: 503),
            ])
        #expect(
            recording.others == [
                .appear(0, .full), .disappear(0, .full), .appear(0, .full), .served(0, .full, .network),
                cost(0, .full), .appear(1, .full),
            ])
    }
}
