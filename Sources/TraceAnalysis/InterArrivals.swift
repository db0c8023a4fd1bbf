/// Microseconds between requests.
public struct InterArrivals: Sendable, Equatable {
    /// From one request to the next, whatever they ask for.
    public private(set) var byRequest = LogHistogram()
    /// From one request of an object to the next of the same.
    public private(set) var byObject = LogHistogram()

    public init(_ log: RequestLog) {
        var last = [Int64](repeating: .min, count: log.objectCount)
        var before: Int64?
        for (object, time) in zip(log.objects, log.times) {
            if let before { byRequest.add(time - before) }
            before = time
            let earlier = last[Int(object)]
            if earlier != .min { byObject.add(time - earlier) }
            last[Int(object)] = time
        }
    }
}
