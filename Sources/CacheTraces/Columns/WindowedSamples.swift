/// Samples of the objects of a trace that is read in windows. Each equals ``DenseTrace/weightedSample(_:)`` of the
/// whole trace.
///
/// Memory holds the samples, and 12 bytes for each object of the trace.
public struct WindowedSamples: Sendable {
    /// A sample, and the facts about the requests of its objects.
    public struct Drawn: Sendable {
        public var sample: ObjectSample
        public var trace: DenseTrace
        /// By object of the sample: how many objects of the whole trace it stands for.
        public var weights: [Double]
    }

    /// The accesses to the objects of a sample, which have the numbers of the whole trace.
    private struct Collected: Sendable {
        let sample: ObjectSample
        var objects: [UInt32] = []
        var ticks: [UInt32] = []
        var epochs: [DenseTrace.Epoch] = []
        var bytes: [Int] = []
        var exceptions: [DenseTrace.Exception] = []
    }

    private let rate: Double
    private var collected: [Collected]
    /// By object of the trace.
    private var accesses: [UInt32] = []
    private var sizes: [Int] = []
    private var variants: [UInt8] = []
    private var hasSizes = false
    private var hasTimes = false
    /// Whether some requests have another size than their objects.
    public private(set) var hasRequestSizes = false
    public private(set) var hasFailedFetches = false
    public private(set) var lacksSizes = false
    /// The requests so far, and their bytes.
    public private(set) var requests = 0
    public private(set) var requestBytes = 0
    public var objectCount: Int { accesses.count }
    /// The sum of the sizes of the objects that were accessed.
    public var uniqueBytes: Int { hasSizes ? sizes.reduce(0, &+) : objectCount }

    /// The size of each object; nil if every object has size 1.
    public var objectSizes: TraceColumn<Int>? { hasSizes ? TraceColumn(sizes) : nil }

    /// - Parameters:
    ///   - rate: The share of the objects, from 0 to 1.
    ///   - seeds: The seed of the hash of each sample; empty to count objects and requests alone.
    public init(rate: Double, seeds: [UInt32]) {
        self.rate = rate
        collected = seeds.map { Collected(sample: ObjectSample(rate: rate, ofObjects: 0, seed: $0)) }
    }

    /// Adds the accesses of the next window.
    ///
    /// - Complexity: O(n) in the number of accesses of the window.
    public mutating func add(_ window: DenseTrace) {
        addObjects(of: window)
        requests += window.objects.count - window.prefetchPositions.count
        requestBytes &+= window.requestBytes
        (hasSizes, hasTimes) = (window.sizes != nil, window.hasTimes)
        if window.requestSizes != nil { hasRequestSizes = true }
        if window.lacksSizes { lacksSizes = true }
        let failures = window.exceptions.contains { exception in
            if case .access(_, _, let outcomes) = exception.kind { !outcomes.isEmpty } else { false }
        }
        if failures { hasFailedFetches = true }
        for index in collected.indices { Self.collect(window, into: &collected[index]) }
    }

    private mutating func addObjects(of window: DenseTrace) {
        let known = accesses.count
        if window.objectCount > known {
            accesses += Array(repeating: 0, count: window.objectCount - known)
            if let column = window.sizes { sizes += column[known..<window.objectCount] }
            if let column = window.variants { variants += column[known..<window.objectCount] }
        }
        window.objects.withUnsafeBufferPointer { objects in
            // Invariant: objects are below `objectCount`.
            accesses.withUnsafeMutableBufferPointer { accesses in
                for object in objects { accesses[Int(object)] &+= 1 }
            }
        }
    }

    private static func collect(_ window: DenseTrace, into own: inout Collected) {
        let (positions, found) = window.accesses(of: own.sample)
        let start = own.objects.count
        own.objects += found
        for position in positions {
            if window.hasTimes { own.ticks.append(window.ticks[Int(position)]) }
            own.bytes.append(window.size(ofAccess: Int(position)))
        }
        window.forEachEpoch { epoch, range in
            let first = DenseTrace.count(positions, below: range.lowerBound)
            let end = DenseTrace.count(positions, below: range.upperBound)
            guard first < end else { return }
            own.epochs.append(DenseTrace.Epoch(start: start + first, time: epoch.time))
        }
        for exception in window.exceptions {
            let place = DenseTrace.count(positions, below: exception.position)
            if exception.kind.isAccess, place == positions.count || Int(positions[place]) != exception.position {
                continue
            }
            if case .removal(let object) = exception.kind, !own.sample.contains(object) { continue }
            own.exceptions.append(DenseTrace.Exception(position: start + place, kind: exception.kind))
        }
    }

    /// Returns the samples, in the order of their seeds.
    public consuming func finish() -> [Drawn] {
        var all: [Drawn] = []
        for index in collected.indices {
            all.append(drawn(collected[index]))
            // Each is needed once.
            collected[index] = Collected(sample: collected[index].sample)
        }
        return all
    }

    private func drawn(_ own: Collected) -> Drawn {
        var numbers = Renumbering(atMost: min(own.objects.count, objectCount), of: objectCount)
        var objects = ColumnBuilder<UInt32>()
        objects.reserve(own.objects.count)
        for object in own.objects { objects.append(numbers.number(of: object)) }
        let chosen = numbers.objects
        let exceptions = own.exceptions.compactMap { exception -> DenseTrace.Exception? in
            guard case .removal(let object) = exception.kind else { return exception }
            return numbers.existing(object).map { .init(position: exception.position, kind: .removal(object: $0)) }
        }
        var bytes = own.bytes.reduce(0, &+)
        for exception in exceptions {
            if case .access(isRequest: false, _, _) = exception.kind { bytes &-= own.bytes[exception.position] }
        }
        var trace = DenseTrace(
            objects: objects.finish(), ticks: TraceColumn(hasTimes ? own.ticks : []), epochs: own.epochs,
            objectCount: chosen.count,
            uniqueBytes: hasSizes ? chosen.reduce(0) { $0 &+ sizes[Int($1)] } : chosen.count, requestBytes: bytes)
        if hasSizes { trace.sizes = TraceColumn(chosen.map { sizes[Int($0)] }) }
        if hasRequestSizes { trace.requestSizes = TraceColumn(own.bytes) }
        if !variants.isEmpty { trace.variants = TraceColumn(chosen.map { variants[Int($0)] }) }
        trace.exceptions = exceptions
        trace.lacksSizes = lacksSizes
        return Drawn(
            sample: ObjectSample(rate: rate, ofObjects: objectCount, seed: own.sample.seed), trace: trace,
            weights: DenseTrace.weights(of: chosen, accesses: accesses))
    }
}
