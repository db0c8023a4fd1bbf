import CacheTraces

extension Seeds {
    static let binaries: [String: [[UInt8]]] = [
        "oracleGeneral": [record(1, 7, 100) + little(Int64(2)) + record(2, 7, 100) + little(Int64(-1))],
        "oracleGeneralOpNS": [record(1, 7, 100) + [1] + little(UInt16(7)) + little(Int64(-1))],
        "vscsi": [
            little(UInt32(1)) + little(UInt32(512)) + little(UInt32(1)) + little(UInt16(0x2A)) + little(UInt16(0x0100))
                + little(UInt64(9)) + little(UInt64(5)),
            little(UInt16(0x2A)) + little(UInt16(0x0200)) + little(UInt32(1)) + little(UInt32(512)) + little(UInt32(1))
                + little(UInt64(9))
                + little(UInt64(5)) + little(UInt64(80)),
        ],
        "lcs": [lcs, newLCS],
        "twr": [twitter.flatMap(\.self)], "twrNS": [twitter.flatMap { $0 + [1, 0] }],
        "cache2k": [[0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 1]],
        "corda": [[0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]],
    ]

    /// A small trace in each compression; zlib and stored blocks among them.
    static let compressed: [[UInt8]] = {
        let text = Array(repeating: Array("{\"t\":1,\"e\":\"appear\",\"key\":\"a\"}\n".utf8), count: 20).flatMap(\.self)
        let packed = Compression.allCases.compactMap { try? $0.compress(text, file: "seed") }
        let stored: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 1, 0, 0xFE, 0xFF, 0x61, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0,
        ]
        return packed + [stored, text]
    }()

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian, Array.init)
    }

    private static func record(_ seconds: UInt32, _ id: UInt64, _ size: UInt32) -> [UInt8] {
        little(seconds) + little(id) + little(size)
    }

    /// A read, a write with a lifetime, a read behind its end, a delete, and a read.
    private static let twitter: [[UInt8]] = {
        let operations: [(time: UInt32, word: UInt32)] = [
            (5, 0x0100_003C), (6, 0x0300_0002), (9, 0x0100_0000), (10, 0x0900_0000), (11, 0x0100_0000),
        ]
        return operations.map { record($0.time, 9, 17 << 22 | 213) + little($0.word) }
    }()

    private static let lcs: [UInt8] = {
        var header = [UInt8](repeating: 0, count: 1024)
        func put(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        put(little(UInt64(0x1234_5678_9ABC_DEF0)), at: 0)
        put(Array("<IQIq".utf8), at: 8)
        put([2, 3, 1, 0, 4, 0, 0, 0, 0], at: 248)
        put(little(Int64(1)) + little(Int64(1)) + little(Int64(100)) + little(Int64(100)), at: 488)
        put(
            little(UInt32(4)) + little(UInt32(24)) + little(UInt64(1)) + little(UInt64(0x1234_5678_9ABC_DEF0)), at: 1000
        )
        return header + record(1, 7, 100) + little(Int64(-1))
    }()

    /// Version 3: two reads with a lifetime, and a delete.
    private static let newLCS: [UInt8] = {
        let magic: [UInt8] = little(UInt64(0x1234_5678_9ABC_DEF0))
        var bytes = magic + little(UInt64(3))
        bytes += [UInt8](repeating: 0, count: 8168)
        bytes += magic
        let records: [(time: UInt32, operation: UInt32, lifetime: UInt32)] = [(1, 1, 2), (4, 1, 2), (5, 9, 0)]
        for row in records {
            bytes += little(row.time) + little(UInt64(7))
            bytes += little(Int64(100)) + little(row.operation)
            bytes += little(row.lifetime) + little(Int64(-1))
        }
        return bytes
    }()
}
