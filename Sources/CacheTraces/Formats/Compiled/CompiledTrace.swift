import Basics
import SessionModel

/// A trace in the form in which it is written to a compiled file.
public struct CompiledTrace {
    private let content: Content

    private enum Content {
        case session(CompiledSession)
        case requests(CompiledRequests)
    }

    public var accesses: Int {
        switch content {
        case .session(let session): session.dense.objects.count
        case .requests(let requests): requests.count
        }
    }

    public var objects: Int {
        switch content {
        case .session(let session): session.dense.objectCount
        case .requests(let requests): requests.objectCount
        }
    }

    /// The number of requests of a file that are in memory at a time.
    package static let window = 1 << 18

    /// Reads a trace to compile it. The requests of a format that holds nothing else go to temporary files, 12 bytes
    /// each, unless they fit in a window.
    ///
    /// - Throws: `TraceError`, also if there is no room for temporary files; `FileError` without a folder for them.
    public init(
        _ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init(), _ notes: inout ReadingNotes
    ) throws {
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        try self.init(input, format: format.readingRequests(of: input), window: Self.window, firstSizes: false, &notes)
    }

    /// - Parameter firstSizes: Whether each request gets the first size of its object.
    init(
        _ input: TraceInput, format: TraceFormat, window: Int, firstSizes: Bool, _ notes: inout ReadingNotes
    ) throws {
        if format.requests == nil {
            self.init(try format.read(input, &notes))
        } else {
            self.init(
                .requests(try CompiledRequests(input, format, window: window, firstSizes: firstSizes, &notes)))
        }
    }

    /// Reads the trace at `path` to compile it, with as little of a file of requests in memory as its format allows.
    ///
    /// - Parameters:
    ///   - path: The path of a trace in any format.
    ///   - format: The format; nil to recognize it.
    ///   - options: The options of the format.
    ///   - firstSizes: Whether each request of a file of requests gets the first size of its object, in place of its
    ///     own.
    ///   - notes: Receives the notes on what was read.
    /// - Throws: `TraceError`, also if there is no room for temporary files; `FileError` without a folder for them.
    public init(
        contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init(),
        firstSizes: Bool = false, _ notes: inout ReadingNotes
    ) throws {
        let (input, found) = try TraceInput.ofRequests(
            TraceStream(path: path), format, options, mapsRecords: false)
        try self.init(input, format: found, window: Self.window, firstSizes: firstSizes, &notes)
    }

    public init(_ trace: Trace) { self.init(.session(CompiledSession(trace))) }

    private init(_ content: Content) { self.content = content }

    /// Writes the file atomically.
    ///
    /// - Throws: `FileError`; `TraceError` if the trace has more accesses than the format can number.
    public func write(to path: String) throws {
        let parts = try parts(file: path)
        let file = try AtomicFile(path)
        for part in parts { try part.forEachBlock { try file.write($0) } }
        try file.commit()
    }

    func bytes(file: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for part in try parts(file: file) { try part.forEachBlock { bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// Returns the parts of the file, from front to back.
    private func parts(file: String) throws -> [CompiledPart] {
        guard accesses < Int(UInt32.max) else {
            throw TraceError(
                file: file, "\(accesses) accesses; a compiled trace numbers at most \(UInt32.max - 1). Split the trace")
        }
        let (columns, requestBytes, start): ([(CompiledFormat.Column, CompiledPart)], Int, Int64) =
            switch content {
            case .session(let session): (session.columns(), session.dense.requestBytes, 0)
            case .requests(let requests): (requests.columns(), requests.requestBytes, requests.start)
            }
        return try CompiledLayout(columns: columns, counts: (accesses, objects, requestBytes), start: start).parts
    }
}

/// The columns of a session.
struct CompiledSession {
    let dense: DenseTrace
    private let keys: [String]
    /// For each object, 1 if its size was not recorded.
    private let assumed: [UInt8]
    /// The session in the native format; empty if there are only requests.
    private let session: [UInt8]

    init(_ trace: Trace) {
        let dense = DenseTrace(trace)
        var keys: [String] = []
        var assumed: [UInt8] = []
        var access = 0
        for event in trace.events {
            switch event.action {
            case .appear(let object, _), .prefetch(let object, _):
                // Objects are numbered as they appear.
                if Int(dense.objects[access]) == keys.count {
                    keys.append(trace.objects[Int(object)].key)
                    assumed.append(trace.objects[Int(object)].bytes == nil ? 1 : 0)
                }
                access += 1
            default: break
            }
        }
        let columnsAlone = Trace(
            objects: zip(keys, assumed).enumerated().map {
                TraceObject(key: $1.0, bytes: $1.1 == 1 ? nil : dense.size(of: UInt32($0)))
            },
            events: dense.appearances())
        self.dense = dense
        self.keys = keys
        self.assumed = assumed
        session = trace == columnsAlone ? [] : SessionBytes.encode(trace)
    }

    func columns() -> [(CompiledFormat.Column, CompiledPart)] {
        var columns: [(CompiledFormat.Column, CompiledPart)] = [
            (.objects, CompiledPart(dense.objects)), (.ticks, CompiledPart(dense.ticks)),
            (.epochs, CompiledPart(dense.epochs.flatMap { [Int64($0.start), $0.time] })),
        ]
        if let sizes = dense.sizes { columns.append((.sizes, CompiledPart(sizes))) }
        if let variants = dense.variants { columns.append((.variants, CompiledPart(variants))) }
        columns.append((.next, CompiledPart(dense.computedNextAccesses())))
        let (exceptions, outcomes) = exceptionRecords()
        if !exceptions.isEmpty { columns.append((.exceptions, CompiledPart(exceptions))) }
        if !outcomes.isEmpty { columns.append((.outcomes, CompiledPart(outcomes))) }
        if assumed.contains(1) { columns.append((.assumed, CompiledPart(assumed))) }
        var text: [UInt8] = []
        var ends: [UInt64] = []
        ends.reserveCapacity(keys.count)
        for key in keys {
            text.append(contentsOf: key.utf8)
            ends.append(UInt64(text.count))
        }
        columns += [(.keyEnds, CompiledPart(ends)), (.keyText, CompiledPart(text))]
        if !session.isEmpty { columns.append((.session, CompiledPart(session))) }
        return columns
    }

    private func exceptionRecords() -> ([CompiledFile.ExceptionRecord], outcomes: [UInt8]) {
        var records: [CompiledFile.ExceptionRecord] = []
        var outcomes: [UInt8] = []
        var firstOutcome: [ObjectID: Int] = [:]
        for exception in dense.exceptions {
            var record = CompiledFile.ExceptionRecord(
                position: UInt64(exception.position), kind: CompiledFile.ExceptionRecord.memoryWarning, key: 0,
                firstOutcome: 0, outcomeCount: 0)
            switch exception.kind {
            case .memoryWarning: break
            // Columns of objects with several sizes are not compiled.
            case .resized: continue
            case .removal(let object):
                record.kind = CompiledFile.ExceptionRecord.removal
                record.key = object
            case .relaunch(let time):
                record.kind = CompiledFile.ExceptionRecord.relaunch
                record.firstOutcome = UInt32(truncatingIfNeeded: time >> 32)
                record.outcomeCount = UInt32(truncatingIfNeeded: time)
            case .access(let isRequest, let key, let list):
                record.kind = isRequest ? CompiledFile.ExceptionRecord.request : CompiledFile.ExceptionRecord.prefetch
                record.key = UInt32(key)
                if !list.isEmpty, firstOutcome[key] == nil {
                    firstOutcome[key] = outcomes.count
                    outcomes += list.map { $0 ? 1 : 0 }
                }
                record.firstOutcome = UInt32(list.isEmpty ? 0 : firstOutcome[key] ?? 0)
                record.outcomeCount = UInt32(list.count)
            }
            records.append(record)
        }
        return (records, outcomes)
    }
}
