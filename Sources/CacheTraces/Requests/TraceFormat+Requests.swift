import SessionModel

extension Trace {
    /// Creates a session in which each request is an `appear` of variant `full`, and each removal a `remove`.
    init(_ requests: consuming Requests) {
        let objects = zip(requests.keys(), requests.sizes.elements).map { key, size in
            TraceObject(key: key, bytes: size == Requests.unknownSize ? nil : size)
        }
        let dense = requests.dense(usesSizes: false)
        var events: [TraceEvent] = []
        events.reserveCapacity(dense.objects.count + dense.exceptions.count)
        var exceptions = dense.exceptions[...]
        dense.forEachEpoch { epoch, range in
            for index in range {
                let time = epoch.time + Int64(dense.ticks[index])
                while let exception = exceptions.first, exception.position <= index {
                    if case .removal(let object) = exception.kind {
                        events.append(TraceEvent(time: time, .remove(ObjectID(object))))
                    }
                    exceptions.removeFirst()
                }
                events.append(TraceEvent(time: time, .appear(ObjectID(dense.objects[index]), .full)))
            }
        }
        self.init(objects: objects, events: events)
    }
}

extension TraceFormat {
    /// Creates a format that holds only requests.
    init(
        name: String, summary: String, fileEndings: [String],
        sniff: @escaping @Sendable (TraceHead) -> Likelihood, requests: RequestReader,
        encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])? = nil
    ) {
        self.init(
            name: name, summary: summary, fileEndings: fileEndings, sniff: sniff,
            read: { input, notes in
                let requests = try requests.read(input, &notes)
                notes.warnings += requests.warnings(varying: .first)
                notes.start = requests.start
                return Trace(requests)
            },
            encode: encode)
        self.requests = requests.read
        readsText = requests.readsText
    }

    /// A reader of the columns of a format that holds only requests.
    enum RequestReader {
        typealias Read = @Sendable (TraceInput, inout ReadingNotes) throws -> Requests

        /// Reads a text from front to back, so that not all of it needs to be in memory.
        case text(Read)
        /// Reads a whole file.
        case whole(Read)

        var read: Read {
            switch self {
            case .text(let read), .whole(let read): read
            }
        }
        var readsText: Bool { if case .text = self { true } else { false } }
    }
}
