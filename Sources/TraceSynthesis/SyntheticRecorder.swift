import SessionModel

/// Writes the events of a generated session in order of time, and adds the fetches that its requests cause.
///
/// Fetches follow the rule of a browser at a first visit: an object that a view cell requests or that is prefetched is
/// fetched, unless it is in flight or has been fetched since the app was launched. A failed fetch is tried again at the
/// next request. The trace therefore contains the network times of every object, and is independent of any cache.
struct SyntheticRecorder<Sink: SynthesisSink> {
    private(set) var sink: Sink
    private var requestsLeft: Int
    private let catalogue: PersonPictures
    private var network: SyntheticNetwork
    /// The id of each picture and variant; -1 until its first event.
    private var ids: [ObjectID] = []
    private var objectCount: ObjectID = 0
    /// The time before which no fetch of each picture and variant begins; `.max` once a fetch has succeeded.
    private var settledUntil: [Int64] = []
    /// The fetches that wait for a connection, in order of time, because requests are sent in order.
    private var waiting: [TraceEvent] = []
    private var waitingFirst = 0

    /// - Parameter requests: The most requests of the session.
    init(
        _ catalogue: PersonPictures, _ network: SyntheticNetwork, _ header: TraceHeader, requests: Int, _ sink: Sink
    ) throws {
        self.sink = sink
        self.catalogue = catalogue
        self.network = network
        requestsLeft = requests
        try self.sink.begin(header)
    }

    var isDone: Bool { requestsLeft == 0 }

    mutating func appear(_ picture: Int, _ variant: Variant, at time: Int64) throws {
        requestsLeft -= 1
        try add(TraceEvent(time: time, .appear(try id(picture, variant), variant)))
        try fetch(picture, variant, at: time)
    }

    mutating func prefetch(_ picture: Int, _ variant: Variant, at time: Int64) throws {
        try add(TraceEvent(time: time, .prefetch(try id(picture, variant), variant)))
        try fetch(picture, variant, at: time)
    }

    mutating func disappear(_ picture: Int, _ variant: Variant, at time: Int64) throws {
        try add(TraceEvent(time: time, .disappear(try id(picture, variant), variant)))
    }

    mutating func add(_ action: TraceEvent.Action, at time: Int64) throws {
        try add(TraceEvent(time: time, action))
    }

    /// Ends the app. Waiting fetches are never sent, and the next launch fetches every object again.
    mutating func terminate(at time: Int64) throws {
        try add(TraceEvent(time: time, .terminate))
        waiting.removeAll()
        waitingFirst = 0
        network.closeConnections(at: time)
        for place in settledUntil.indices { settledUntil[place] = 0 }
    }

    /// Writes the fetches that still wait.
    mutating func finish() throws {
        try send(upTo: .max)
    }

    mutating func withSink<Value>(_ body: (inout Sink) throws -> Value) rethrows -> Value { try body(&sink) }

    private mutating func fetch(_ picture: Int, _ variant: Variant, at time: Int64) throws {
        let place = picture * 2 + Int(variant.rawValue)
        guard settledUntil[place] <= time else { return }
        let response = network.fetch(catalogue.body(picture, variant), at: time)
        settledUntil[place] = response.fetch.succeeded ? .max : response.ended
        let event = TraceEvent(time: response.sent, .fetch(ids[place], response.fetch))
        if response.sent > time { waiting.append(event) } else { try sink.add(event) }
    }

    private mutating func id(_ picture: Int, _ variant: Variant) throws -> ObjectID {
        let place = picture * 2 + Int(variant.rawValue)
        while ids.count <= place {
            ids.append(-1)
            settledUntil.append(0)
        }
        if ids[place] < 0 {
            ids[place] = objectCount
            objectCount += 1
            try sink.add(catalogue.object(picture, variant), as: ids[place])
        }
        return ids[place]
    }

    private mutating func add(_ event: TraceEvent) throws {
        try send(upTo: event.time)
        try sink.add(event)
    }

    private mutating func send(upTo time: Int64) throws {
        while waitingFirst < waiting.count, waiting[waitingFirst].time <= time {
            try sink.add(waiting[waitingFirst])
            waitingFirst += 1
        }
        if waitingFirst == waiting.count, waitingFirst > 0 {
            waiting.removeAll(keepingCapacity: true)
            waitingFirst = 0
        }
    }
}
