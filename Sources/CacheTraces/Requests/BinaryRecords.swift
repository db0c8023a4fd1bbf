import SessionModel

/// Files that are records of one length, one behind the other.
enum BinaryRecords {
    /// Reads a file of whole records of 64-bit ids; `scan` gets the records' bytes, of which `skipping` a header at the
    /// file's beginning.
    ///
    /// `key` writes an id as a key.
    static func read(
        _ input: TraceInput, length: Int, skipping header: Int = 0, format: String,
        key: @escaping (UInt64) -> String = { String($0) },
        _ scan: (UnsafeRawBufferPointer, inout Requests, inout NumberTable) throws -> Void
    ) throws -> Requests {
        guard input.count > header else {
            throw TraceError(file: input.path, "the file holds no records; expected records of \(length) bytes")
        }
        let rest = (input.count - header) % length
        guard rest == 0 else {
            throw TraceError(
                file: input.path, at: .byte(input.count - rest),
                "the last record has \(rest) of \(length) bytes; the file is cut short or is not \(format)")
        }
        var requests = Requests()
        requests.reserve((input.count - header) / length)
        var ids = NumberTable()
        try input.withBytes { bytes in
            try scan(UnsafeRawBufferPointer(rebasing: bytes[header...]), &requests, &ids)
        }
        requests.keep(ids, key: key)
        return requests
    }
}

extension Requests {
    /// Appends the record at every `length` bytes of `bytes`, which are whole records.
    @inline(__always)
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, length: Int, numbering ids: inout NumberTable,
        record: (Int) throws -> (id: UInt64, time: Int64, bytes: Int)
    ) rethrows {
        var batch = NumberedBatch()
        var offset = 0
        while offset < bytes.count {
            let count = Swift.min((bytes.count - offset) / length, NumberedBatch.capacity)
            for index in 0..<count {
                let request = try record(offset)
                batch.set(index, request.id, at: request.time, bytes: request.bytes)
                offset &+= length
            }
            batch.count = count
            append(&batch, numbering: &ids)
        }
    }

    /// Keeps the ids, to make keys of them when they are asked for.
    mutating func keep(_ ids: consuming NumberTable, key: @escaping (UInt64) -> String = { String($0) }) {
        let kept = KeptNumbers(ids)
        keys = { kept.ids().map(key) }
    }
}

/// A ``NumberTable`` that waits for somebody to ask for its ids; most never do.
private final class KeptNumbers {
    private let table: NumberTable

    init(_ table: consuming NumberTable) { self.table = table }

    /// By number.
    func ids() -> [UInt64] {
        var ids = [UInt64](repeating: 0, count: table.count)
        table.forEach { id, number in ids[Int(number)] = id }
        return ids
    }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset`; `offset` and the number's bytes are within the buffer.
    @inline(__always)
    func little<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The big-endian number at `offset`; `offset` and the number's bytes are within the buffer.
    @inline(__always)
    func big<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
