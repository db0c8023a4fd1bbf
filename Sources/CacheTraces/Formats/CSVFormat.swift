import SessionModel

/// Comma-separated values (`.csv`, `.tsv`), RFC 4180: one request per row.
///
/// Fields may be quoted, a quote in them is doubled, and a quoted field may hold delimiters and line ends. The
/// delimiter is the one of `,` `;` tab `|` that the first row has most of. Three columns are used:
///
///     key     the object      named key, id, obj_id, object_id, object, url, uri, path, lbn, lba, block, address
///     time    when            named time, timestamp, ts, clock_time, t, date, optionally ending in _s, _ms, _us, _ns
///     size    bytes           named size, bytes, obj_size, object_size, length, content_length
///
/// The first row is a header when it has one of these names (in any case, spaces and `-` as `_`). Without a header the
/// columns are: 1 → key; 2 → key, size; 3 and more → time, key, size. Options name the columns, or number them from 1.
///
/// **Time** is a number of seconds, with decimals if need be, unless the column's name or an option says another unit;
/// Unix times above 10^11, 10^14 and 10^17 are taken for milli-, micro- and nanoseconds. Or it is a date (RFC 3339).
/// Without a time column requests are a millisecond apart. **Size** may be empty or missing: unknown.
///
/// Every row is an `appear`, in the order of the file. Rows that cannot be read are errors with their line.
/// Writing: a header `time_us,key,size` and one row per request.
public enum CSVFormat {
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

    /// What the file itself does not say. All nil: everything is found out.
    public struct Options: Sendable, Equatable {
        /// Each column by its name in the header, or its number counted from 1.
        public var timeColumn: String?
        public var keyColumn: String?
        public var sizeColumn: String?
        /// One ASCII character.
        public var delimiter: Character?
        public var timeUnit: TimeUnit?
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

    static func encode(_ trace: Trace, _ notes: inout ReadingNotes) -> [UInt8] {
        var output = Array("time_us,key,size\n".utf8)
        var others = 0
        for event in trace.events {
            guard case .appear(let id, _) = event.action else {
                others += 1
                continue
            }
            let object = trace.objects[Int(id)]
            output.append(
                contentsOf: "\(event.time),\(quoted(object.key)),\(object.bytes.map(String.init) ?? "")\n".utf8)
        }
        if others > 0 { notes.warnings.append("\(others) events that are no requests cannot be said in this format") }
        return output
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 < 0x20 }) || field.isEmpty else {
            return field
        }
        return
            """
            "\(field.utf8.split(separator: 0x22, omittingEmptySubsequences: false).map { String($0) ?? "" }.joined(separator: "\"\""))"
            """
    }
}

extension TraceFormat {
    public static let csv = csv(CSVFormat.Options())

    public static func csv(_ options: CSVFormat.Options) -> TraceFormat {
        TraceFormat(
            name: "csv", summary: "one request per row: time, key, size (RFC 4180)", fileEndings: [".csv", ".tsv"],
            sniff: { head in
                if head.bytes.contains(0) { return .no }
                let columns = CSVColumns.names(in: head.firstLine)
                if columns.count > 1, CSVColumns.isHeader(columns) { return .byContent }
                return head.hasEnding([".csv", ".tsv"]) ? .byName : .no
            },
            requests: { input, notes in try CSVTraceReader.read(input, options, &notes) },
            encode: { trace, notes in CSVFormat.encode(trace, &notes) })
    }
}
