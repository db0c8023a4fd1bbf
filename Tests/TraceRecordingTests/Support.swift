import CacheTiers
import MeasuredTiers
import SessionModel
import TraceRecording

/// A trace of objects of these sizes, each fetched once at the start.
func trace(sizes: [Int], fetch: Fetch = Fetch()) -> Trace {
    var builder = TraceBuilder()
    for (number, size) in sizes.enumerated() {
        let object = builder.object("https://photos.example/\(number).jpg")
        builder.update(object) { $0.bytes = size }
        builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
    }
    return builder.finish()
}

/// Runs a body with an origin that serves `trace`, and stops it.
func serving<Result>(
    _ trace: Trace, _ change: (inout LoopbackOriginOptions) -> Void = { _ in },
    _ body: (LoopbackOrigin) throws -> Result
) throws -> Result {
    var options = LoopbackOriginOptions()
    change(&options)
    let origin = try LoopbackOrigin(trace: trace, options: options)
    defer { try? origin.stopAndWait() }
    return try body(origin)
}

/// A client with short limits.
func makeClient(_ change: (inout OriginOptions) -> Void = { _ in }) throws -> CurlOrigin {
    var options = OriginOptions()
    change(&options)
    return try CurlOrigin(options)
}

extension CurlOrigin {
    /// Fetches all of these, and returns the responses in the order of the URLs.
    func fetchAll(_ urls: [String]) -> [OriginResponse] {
        for url in urls { start(url) }
        var responses: [OriginResponse] = []
        while pending > 0 { responses += wait(for: .seconds(10)) }
        return responses.sorted { $0.id < $1.id }
    }
}
