import SessionModel

/// The counts of a trace.
public struct TraceSummary: Sendable, Equatable {
    /// A name and a number.
    public struct Count: Sendable, Equatable {
        public var name: String
        public var count: Int
    }

    /// The header of the trace.
    public var header: TraceHeader
    /// The number of `appear` events.
    public var requests = 0
    /// The number of `prefetch` events.
    public var prefetches = 0
    /// The number of `fetch` events.
    public var fetches = 0
    /// The number of fetches of objects whose recorded type is `image/…`.
    public var images = 0
    /// The number of fetches of objects whose type was not recorded.
    public var fetchesOfUnknownType = 0
    /// The number of objects that events other than `list` name.
    public var objects = 0
    /// The number of objects without a recorded size.
    public var objectsWithoutSize = 0
    /// The bytes of all requests, each counted with the size of its object.
    public var bytes = 0
    /// The number of requests of objects without a recorded size.
    public var requestsWithoutSize = 0
    /// The bytes of all objects that events name, each counted once.
    public var uniqueBytes = 0
    /// The bytes of the bodies of all recorded fetches.
    public var fetchedBytes = 0
    /// The microseconds from the first event to the last.
    public var duration: Int64
    /// The number of events of each kind that occurs, in the order of `TraceEvent.Action`.
    public var events: [Count] = []
    /// The number of requests of each variant that occurs.
    public var variants: [Count] = []

    /// The number of positions that the recorded lists name.
    public var listed = 0
    /// How often the session contradicts its recorded lists.
    public var contradictions = ListOrder.Contradictions()
    /// The number of requests from each recorded source that occurs.
    public var sources: [Count] = []
    /// The number of `served` events that belong to no request.
    public var unmatchedSources = 0
    /// The sizes of views; nil if the trace records none.
    public var viewSizes: ViewSizeCounts?

    /// Counts a session.
    public init(_ trace: Trace) {
        header = trace.header
        duration = trace.duration
        var isNamed = [Bool](repeating: false, count: trace.objects.count)
        // Outside of the loop, because copying an object costs more than counting an event.
        let sizes = trace.objects.map { $0.bytes ?? -1 }
        let isImage = trace.objects.map { $0.contentType.map { $0.lowercased().hasPrefix("image/") } }
        var kinds = [Int](repeating: 0, count: TraceEvent.Action.names.count)
        var requestsByVariant = [Int](repeating: 0, count: Variant.allCases.count)
        for event in trace.events {
            kinds[event.action.kind] += 1
            // A list also names objects that the user never saw.
            if case .list = event.action { continue }
            guard let id = event.action.object.map(Int.init), isNamed.indices.contains(id) else { continue }
            isNamed[id] = true
            switch event.action {
            case .appear(_, let variant):
                requests += 1
                requestsByVariant[Int(variant.rawValue)] += 1
                if sizes[id] >= 0 { bytes += sizes[id] } else { requestsWithoutSize += 1 }
            case .prefetch: prefetches += 1
            case .fetch(_, let fetch):
                fetches += 1
                switch isImage[id] {
                case true?: images += 1
                case false?: break
                case nil: fetchesOfUnknownType += 1
                }
                fetchedBytes += fetch.bytes ?? 0
            case .disappear, .scroll, .memoryWarning, .background, .foreground, .terminate, .remove, .list, .served:
                break
            }
        }
        for (object, isNamed) in zip(trace.objects, isNamed) where isNamed {
            objects += 1
            uniqueBytes += object.bytes ?? 0
            objectsWithoutSize += object.bytes == nil ? 1 : 0
        }
        events = zip(TraceEvent.Action.names, kinds).filter { $1 > 0 }.map(Count.init)
        variants = zip(Variant.allCases.map(\.description), requestsByVariant).filter { $1 > 0 }.map(Count.init)
        countLists(trace)
        countSources(trace)
        viewSizes = ViewSizeCounts(trace)
    }

    private mutating func countLists(_ trace: Trace) {
        guard trace.recordsLists else { return }
        let order = ListOrder(trace)
        listed = Variant.allCases.reduce(0) { $0 + Set(order.changes($1).map(\.item.position)).count }
        contradictions = order.contradictions(in: trace)
    }

    private mutating func countSources(_ trace: Trace) {
        guard trace.recordsSources else { return }
        let served = ServedRequests(trace)
        unmatchedSources = served.unmatched
        sources = ServedSource.allCases.map { source in
            Count(name: source.description, count: served.sources.count { $0 == source })
        }.filter { $0.count > 0 }
    }

    /// Counts requests.
    public init(_ log: RequestLog) {
        header = TraceHeader()
        requests = log.count
        objects = log.objectCount
        duration = log.span.upperBound - log.span.lowerBound
        for (size, count) in zip(log.sizes, log.requestsByObject()) {
            if size == RequestLog.unknownSize {
                objectsWithoutSize += 1
                requestsWithoutSize += Int(count)
            } else {
                uniqueBytes += size
                bytes += size * Int(count)
            }
        }
        if requests > 0 {
            events = [Count(name: "appear", count: requests)]
            variants = [Count(name: Variant.full.description, count: requests)]
        }
    }
}
