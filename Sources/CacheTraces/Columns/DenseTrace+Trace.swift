import SessionModel

extension DenseTrace {
    /// Converts a session to columns.
    ///
    /// - Parameters:
    ///   - trace: The session.
    ///   - usesSizes: Whether objects have their recorded sizes. Otherwise every object has size 1.
    ///   - holdsBitmaps: Whether the size of an object is that of its bitmap, as `Trace.bitmapSizes(_:)` has it.
    public init(_ trace: Trace, usesSizes: Bool = true, holdsBitmaps: Bool = false) {
        var accesses = Accesses(trace, holdsBitmaps: holdsBitmaps)
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant): accesses.append(object, variant, at: event.time, isPrefetch: false)
            case .prefetch(let object, let variant): accesses.append(object, variant, at: event.time, isPrefetch: true)
            case .memoryWarning: accesses.append(.memoryWarning)
            case .terminate: accesses.append(.relaunch(time: event.time))
            case .remove(let object): accesses.remove(object)
            case .disappear, .scroll, .fetch, .background, .foreground, .list, .served: break
            }
        }
        self = accesses.finish(usesSizes: usesSizes)
    }

    /// The columns under construction.
    private struct Accesses: ~Copyable {
        private let fetches: [ObjectID: [Bool]]
        private var numbering: Numbering
        private var objects = ColumnBuilder<UInt32>()
        private var times = RequestTimes(from: 0)
        private var exceptions: [Exception] = []
        private var requests = 0
        private var requestBytes = 0

        init(_ trace: Trace, holdsBitmaps: Bool) {
            fetches = DenseTrace.unreliableFetches(in: trace)
            numbering = Numbering(trace, holdsBitmaps: holdsBitmaps)
        }

        mutating func append(_ object: ObjectID, _ variant: Variant, at time: Int64, isPrefetch: Bool) {
            if isPrefetch || fetches[object] != nil {
                let kind = Exception.Kind.access(isRequest: !isPrefetch, key: object, outcomes: fetches[object] ?? [])
                exceptions.append(Exception(position: objects.count, kind: kind))
            }
            let number = numbering.number(object, variant)
            if !isPrefetch {
                requests += 1
                requestBytes &+= numbering.sizes[Int(number)]
            }
            objects.append(number)
            times.append(time)
        }

        /// Removes both variants of an object. A variant that was not accessed yet is not held.
        mutating func remove(_ object: ObjectID) {
            for number in numbering.known(object) { append(.removal(object: number)) }
        }

        mutating func append(_ kind: Exception.Kind) {
            exceptions.append(Exception(position: objects.count, kind: kind))
        }

        consuming func finish(usesSizes: Bool) -> DenseTrace {
            let (ticks, epochs) = times.finish()
            let hasThumbnails = numbering.variants.contains(Variant.thumbnail.rawValue)
            var trace = DenseTrace(
                objects: objects.finish(), ticks: ticks, epochs: epochs, objectCount: numbering.sizes.count,
                uniqueBytes: usesSizes ? numbering.sizes.reduce(0, &+) : numbering.sizes.count,
                requestBytes: usesSizes ? requestBytes : requests)
            if usesSizes { (trace.sizes, trace.lacksSizes) = (TraceColumn(numbering.sizes), numbering.lacksSizes) }
            if hasThumbnails { trace.variants = TraceColumn(numbering.variants) }
            trace.exceptions = exceptions
            return trace
        }
    }

    /// Numbers the pairs of key and variant.
    private struct Numbering {
        private let bytes: [Int]
        private var numbers: [UInt32?]
        /// Whether no object has a recorded size.
        let lacksSizes: Bool
        var sizes: [Int] = []
        var variants: [UInt8] = []

        init(_ trace: Trace, holdsBitmaps: Bool) {
            let resolved = trace.resolvedSizes()
            bytes = holdsBitmaps ? trace.bitmapSizes(resolved.bytes).bytes : resolved.bytes
            lacksSizes = resolved.assumedCount == bytes.count && !bytes.isEmpty
            numbers = [UInt32?](repeating: nil, count: trace.objects.count * 2)
        }

        /// Returns the numbers that an object has so far.
        func known(_ object: ObjectID) -> [UInt32] { numbers[Int(object) * 2..<Int(object) * 2 + 2].compactMap { $0 } }

        mutating func number(_ object: ObjectID, _ variant: Variant) -> UInt32 {
            let place = Int(object) * 2 + Int(variant.rawValue)
            if let number = numbers[place] { return number }
            let number = UInt32(sizes.count)
            numbers[place] = number
            sizes.append(bytes[Int(object)])
            variants.append(variant.rawValue)
            return number
        }
    }

    /// Returns, for each object with a failed fetch, whether each of its fetches succeeded, in order.
    private static func unreliableFetches(in trace: Trace) -> [ObjectID: [Bool]] {
        var outcomes: [ObjectID: [Bool]] = [:]
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) {
            outcomes[object, default: []].append(fetch.succeeded)
        }
        return outcomes.filter { $0.value.contains(false) }
    }
}
