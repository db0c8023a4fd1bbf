/// Files that are records of one length, one behind the other.
enum BinaryRecords {
    /// Reads a file of whole records of 64-bit ids; `scan` gets the records' bytes, of which `skipping` a header at the file's beginning.
    ///
    /// `key` writes an id as a key.
    static func read(
        _ input: TraceInput, length: Int, skipping header: Int = 0, format: String, key: @escaping (UInt64) -> String = { String($0) },
        _ scan: (UnsafeRawBufferPointer, inout Requests, inout NumberTable) throws -> Void
    ) throws -> Requests {
        guard input.count > header else { throw TraceError(file: input.path, "the file holds no records; expected records of \(length) bytes") }
        let rest = (input.count - header) % length
        guard rest == 0 else {
            throw TraceError(
                file: input.path, at: .byte(input.count - rest),
                "the last record has \(rest) of \(length) bytes; the file is cut short or is not \(format)")
        }
        var requests = Requests()
        requests.reserve((input.count - header) / length)
        var ids = NumberTable()
        try input.withBytes { bytes in try scan(UnsafeRawBufferPointer(rebasing: bytes[header...]), &requests, &ids) }
        requests.keep(ids, key: key)
        return requests
    }
}

extension Requests {
    /// Keeps the ids, to make keys of them when they are asked for.
    mutating func keep(_ ids: borrowing NumberTable, key: @escaping (UInt64) -> String = { String($0) }) {
        let ids = ids.ids()
        keys = { ids.map(key) }
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
