import Basics
import SessionModel

/// Comma-separated values (`.csv`, `.tsv`; RFC 4180) with one request per row.
///
/// <doc:CSVFiles> describes columns and options.
public enum CSVFormat {
    /// The unit of times that are numbers.
    public enum TimeUnit: String, Sendable, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"

        var microseconds: Double {
            switch self {
            case .seconds: 1e6
            case .milliseconds: 1e3
            case .microseconds: 1
            case .nanoseconds: 1e-3
            }
        }
    }

    /// The facts that the file itself does not state. Properties that are nil are derived from the file.
    public struct Options: Sendable, Equatable {
        /// The column of the time, by its name in the header or its number from 1.
        public var timeColumn: String?
        /// The column of the key, by its name in the header or its number from 1.
        public var keyColumn: String?
        /// The column of the size, by its name in the header or its number from 1.
        public var sizeColumn: String?
        /// The character between fields; ASCII.
        public var delimiter: Character?
        /// The unit of times that are numbers.
        public var timeUnit: TimeUnit?
        /// Whether the first row contains the names of the columns.
        public var hasHeader: Bool?

        public init(
            timeColumn: String? = nil, keyColumn: String? = nil, sizeColumn: String? = nil, delimiter: Character? = nil,
            timeUnit: TimeUnit? = nil, hasHeader: Bool? = nil
        ) {
            self.timeColumn = timeColumn
            self.keyColumn = keyColumn
            self.sizeColumn = sizeColumn
            self.delimiter = delimiter
            self.timeUnit = timeUnit
            self.hasHeader = hasHeader
        }
    }

    /// The first line of files that this project writes.
    static let header = "time_us,key,size"

    /// - Throws: `TraceError` for a trace without requests, because nothing would remain.
    static func encode(_ trace: Trace, _ notes: inout ReadingNotes) throws -> [UInt8] {
        var output = Array("\(header)\n".utf8)
        var others = 0
        for event in trace.events {
            guard case .appear(let id, _) = event.action else {
                others += 1
                continue
            }
            let object = trace.objects[Int(id)]
            output.append(
                contentsOf: "\(event.time),\(field(object.key)),\(object.bytes.map(String.init) ?? "")\n".utf8)
        }
        guard others < trace.events.count else { throw TraceError.noRequests }
        if others > 0 {
            notes.warnings.append(
                "\(others) events that are not requests cannot be stored in this format and are left out")
        }
        notes.noteLosses(trace)
        return output
    }

    /// - Throws: `TraceError` if the trace has no requests; the errors of the output.
    static func encode(_ requests: RequestTransfer, _ output: inout BlockWriter) throws {
        guard requests.count > 0 else { throw TraceError.noRequests }
        try output.append("\(header)\n")
        switch requests.keys {
        case .numbers(let numbers):
            try encode(requests, &output) { output, object in try output.append(decimal: numbers[object]) }
        case .texts(let texts):
            let style = requests.style
            try encode(requests, &output) { output, object in
                try texts.withBytes(of: object) { try append($0, style, &output) }
            }
        }
    }

    private static func encode(
        _ requests: RequestTransfer, _ output: inout BlockWriter, key: (inout BlockWriter, Int) throws -> Void
    ) throws {
        let comma = UInt8(ascii: ",")
        try requests.forEach { request in
            try output.append(decimal: requests.start + request.time)
            try output.append(comma)
            try key(&output, request.object)
            try output.append(comma)
            if let size = request.bytes { try output.append(decimal: Int64(size)) }
            try output.append(UInt8(ascii: "\n"))
        }
    }

    /// Appends a key, which is UTF-8.
    private static func append(_ key: UnsafeRawBufferPointer, _ style: CSVStyle, _ output: inout BlockWriter) throws {
        guard isPlain(key) else { return try output.append(field(style.written(String(decoding: key, as: UTF8.self)))) }
        try output.append(key)
    }

    /// Returns whether a key begins with a letter or a digit and has no byte that needs quotes, so that every style
    /// writes its bytes.
    private static func isPlain(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let first = key.first, first &- 0x30 < 10 || (first | 0x20) &- 0x61 < 26 else { return false }
        // Without branches, so that the compiler can use wide registers.
        var others: UInt8 = 0
        for byte in key { others |= byte < 0x20 || byte == 0x22 || byte == 0x2C ? 1 : 0 }
        return others == 0
    }

    /// Also quotes control characters, one of which could be taken for a delimiter, and empty keys.
    private static func field(_ key: String) -> String {
        key.isEmpty || key.utf8.contains { $0 < 0x20 } ? CSVText.quoted(key) : CSVText.field(key)
    }
}

extension TraceFormat {
    /// Comma-separated values; see <doc:CSVFiles>.
    public static let csv = csv(CSVFormat.Options())

    /// Returns the format with options.
    public static func csv(_ options: CSVFormat.Options) -> TraceFormat {
        TraceFormat(
            name: "csv", summary: "one request per row: time, key, size (RFC 4180)", fileEndings: [".csv", ".tsv"],
            sniff: { head in
                // A key can look like a line of a log.
                if head.firstLine.elementsEqual(CSVFormat.header.utf8) { return .certain }
                let isTable = head.bytes.withUnsafeBytes { bytes in
                    let start = CSVPreamble(bytes, from: 0, delimiter: nil)
                    let header = bytes[start.start..<bytes.endOfLine(from: start.start)]
                    let columns = CSVColumns.names(in: header, delimiter: start.delimiter)
                    // Below a header, a zero byte is part of a key.
                    return columns.count > 1 && CSVColumns.isHeader(columns) && !header.contains(0)
                }
                if isTable { return .byContent }
                return head.hasEnding([".csv", ".tsv"]) && !head.bytes.contains(0) ? .byName : .no
            },
            requests: .text { input, notes in try CSVTraceReader.read(input, options, &notes) },
            encode: { trace, notes in try CSVFormat.encode(trace, &notes) }
        ).transferring { requests, output, _ in try CSVFormat.encode(requests, &output) }
    }
}
