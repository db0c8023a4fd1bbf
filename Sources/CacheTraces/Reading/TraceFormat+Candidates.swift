/// A binary format without a signature, which a file may have.
private struct BinaryCandidate {
    var format: TraceFormat
    var recordLength: Int
    /// Returns whether the records that begin at the offsets are plausible.
    var isPlausible: @Sendable (UnsafeRawBufferPointer, [Int]) -> Bool
}

extension TraceFormat {
    /// Returns the binary formats that a file may have although nothing names them: the length of their records divides
    /// the file, and the first 256 records hold plausible values.
    static func candidates(for head: TraceHead) -> [TraceFormat] {
        guard head.isBinary else { return [] }
        return head.bytes.withUnsafeBytes { bytes in
            binaryCandidates.filter { candidate in
                let length = candidate.recordLength
                guard head.count % length == 0, bytes.count >= 2 * length else { return false }
                let offsets = Array(stride(from: 0, through: bytes.count - length, by: length).prefix(256))
                return candidate.isPlausible(bytes, offsets)
            }.map(\.format)
        }
    }

    /// From the most specific to the least.
    private static let binaryCandidates = [
        BinaryCandidate(format: .twrNS, recordLength: 22, isPlausible: areTwitterRecords),
        BinaryCandidate(format: .twr, recordLength: 20, isPlausible: areTwitterRecords),
        BinaryCandidate(format: .oracleGeneralOpNS, recordLength: 27) { areOracleRecords($0, $1, next: 19) },
        BinaryCandidate(format: .oracleGeneral, recordLength: 24) { areOracleRecords($0, $1, next: 16) },
        BinaryCandidate(format: .corda, recordLength: 8) { bytes, offsets in
            areKeys(offsets.map { bytes.big($0, as: Int64.self) })
        },
        BinaryCandidate(format: .cache2k, recordLength: 4) { bytes, offsets in
            areKeys(offsets.map { Int64(bytes.big($0, as: Int32.self)) })
        },
    ]

    /// Seconds that do not fall, and operations of memcached.
    private static func areTwitterRecords(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int]) -> Bool {
        haveRisingSeconds(bytes, offsets)
            && offsets.allSatisfy {
                MemcachedOperation(rawValue: UInt8(bytes.little($0 + 16, as: UInt32.self) >> 24)) != nil
            }
    }

    /// Sizes below 2 GiB, and next requests that are none, or numbers of requests. The times need not rise.
    private static func areOracleRecords(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int], next: Int) -> Bool {
        offsets.allSatisfy { offset in
            let ordinal = bytes.little(offset + next, as: Int64.self)
            return bytes.little(offset + 12, as: UInt32.self) <= UInt32(Int32.max)
                && (ordinal == -1 || ordinal == .max || (1..<1 << 40).contains(ordinal))
        }
    }

    private static func haveRisingSeconds(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int]) -> Bool {
        zip(offsets, offsets.dropFirst()).allSatisfy {
            bytes.little($0, as: UInt32.self) <= bytes.little($1, as: UInt32.self)
        }
    }

    /// Keys of which some come again, or that follow one another. Random bytes and most other files do neither.
    private static func areKeys(_ keys: [Int64]) -> Bool {
        guard keys.count >= 16, keys.count(where: { $0 == 0 }) * 4 < keys.count else { return false }
        let distinct = Set(keys).count
        guard distinct * 8 > keys.count else { return false }
        let neighbours = zip(keys, keys.dropFirst()).count { ($1 &- $0).magnitude <= 64 }
        return keys.count - distinct >= keys.count / 50 + 1 || neighbours * 2 > keys.count
    }
}

extension TraceHead {
    /// Whether the head has bytes that no text has.
    var isBinary: Bool { bytes.contains { $0 < 9 || (14..<32).contains($0) && $0 != 27 } }
}
