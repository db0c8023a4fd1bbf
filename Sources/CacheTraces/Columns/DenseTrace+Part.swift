extension DenseTrace {
    /// Returns the trace of some requests that follow each other, as if a cache saw no others.
    ///
    /// Objects get new numbers, so that shares of the trace are shares of the part. Accesses keep their times.
    /// Prefetches and events between the requests stay, and those before the first one are left out.
    ///
    /// - Parameter requests: The numbers of the requests, from 0. Those that the trace does not have are ignored.
    /// - Complexity: O(n) in the number of accesses.
    public func part(requests: Range<Int>) -> DenseTrace {
        let prefetches = prefetchPositions
        let start = min(Self.position(ofRequest: requests.lowerBound, prefetches), objects.count)
        let end = max(start, min(Self.position(ofRequest: requests.upperBound, prefetches), objects.count))
        var trimmed = self
        trimmed.exceptions = exceptions.filter { $0.position >= start && $0.position < end }
        let positions = (start..<end).map { UInt32(truncatingIfNeeded: $0) }
        let most = min(positions.count, objectCount)
        return trimmed.keeping(positions, Array(objects[start..<end]), objects: most, keepsTimes: true).trace
    }

    /// Returns the position of a request, if the trace has as many.
    static func position(ofRequest request: Int, _ prefetches: [Int]) -> Int {
        var position = request
        for prefetch in prefetches {
            // From here on, no prefetch precedes the request.
            guard prefetch <= position else { break }
            position += 1
        }
        return position
    }
}
