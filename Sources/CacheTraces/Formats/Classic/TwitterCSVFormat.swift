import SessionModel

/// Twitter's production cache traces, as published: CSV without a header, seven columns.
///
///     time, key, key size, value size, client, operation, TTL
///     0,q:q:1:8WTfjZU14ee,17,213,4,get,0
///
/// Time is in whole seconds from the trace's beginning; sizes are in bytes. `get` and `gets` are requests; other
/// operations are left out and counted in a warning. The size of an object is key and value together; a value size of 0
/// on a read means that the cache did not have it: unknown. Keys hold no commas.
///
/// Source: J. Yang, Y. Yue and R. Vinayak, "A large scale analysis of hundreds of in-memory cache clusters at Twitter",
/// OSDI 2020; https://github.com/twitter/cache-trace.
enum TwitterCSVFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        var writes = 0
        var requests = try TextRecords.read(
            input, &notes, expected: "rows of time, key, key size, value size, client, operation, TTL"
        ) { line, requests in
            guard let row = Row(line) else {
                throw TextRecords.Malformed(
                    "expected time, key, key size, value size, client, operation, TTL; found \(line.excerpt)")
            }
            guard row.operation.isRead else {
                writes += 1
                return
            }
            guard let object = ids.number(of: row.key) else {
                throw TextRecords.Malformed("the key is not UTF-8: \(row.key.excerpt)")
            }
            requests.append(object, at: row.time, bytes: row.bytes)
        }
        requests.keys = { ids.keys() }
        notes.warnWrites(writes)
        return requests
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        TextRecords.allLines(of: head) { Row($0.bytes) != nil } ? .byContent : .no
    }

    private struct Row {
        var time: Int64
        var key: UnsafeRawBufferPointer
        var bytes: Int
        var operation: MemcachedOperation

        init?(_ line: UnsafeRawBufferPointer) {
            var scanner = LineScanner(line)
            let comma = UInt8(ascii: ",")
            guard let seconds = scanner.field(until: comma).unsignedNumber, seconds <= TraceLimits.time / 1_000_000
            else { return nil }
            key = scanner.field(until: comma)
            guard let keySize = scanner.field(until: comma).unsignedNumber, keySize <= UInt32.max,
                let valueSize = scanner.field(until: comma).unsignedNumber,
                valueSize <= TraceLimits.bytes - Int64(UInt32.max)
            else { return nil }
            _ = scanner.field(until: comma)
            guard let operation = MemcachedOperation(scanner.field(until: comma)),
                scanner.field(until: comma).unsignedNumber != nil,
                scanner.isAtEnd
            else { return nil }
            time = Int64(seconds) * 1_000_000
            bytes = valueSize == 0 ? Requests.unknownSize : Int(keySize + valueSize)
            self.operation = operation
        }
    }
}

extension TraceFormat {
    public static let twitterCSV = TraceFormat(
        name: "twitter", summary: "Twitter's cache traces: CSV of seven columns", fileEndings: [],
        sniff: TwitterCSVFormat.sniff, requests: TwitterCSVFormat.requests)
}
