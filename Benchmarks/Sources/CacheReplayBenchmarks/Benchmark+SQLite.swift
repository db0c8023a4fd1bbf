import Basics
import CSQLite
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import MeasuredTiers

/// Compares the disk tier in the layout `sqlite`, which drives a policy and verifies every byte, with the same
/// statements through SQLite's C functions. Objects of 16 KB, which are blobs in their rows; the same rows and pragmas
/// on both sides.
func sqliteBenchmarks() throws -> [BenchmarkRow] {
    let folder = try ScratchFolder(prefix: "cachereplay-bench")
    defer { folder.remove() }
    let bench = try SQLiteBench(URL(fileURLWithPath: folder.path))
    let reads = try alternating(rounds: 21, [bench.readOurs, bench.readPlain])
    let stores = try alternating(rounds: 21, [bench.storeOurs, bench.storePlain])
    func row(_ name: String, _ figures: [Double]) -> BenchmarkRow {
        BenchmarkRow(
            name, metric: "time per object", unit: "us", .lowerIsBetter, ours: figures[0],
            peerName: "the same SQL, run plainly", peer: figures[1])
    }
    return [row("sqlite read 16 KB", reads), row("sqlite store 16 KB", stores)]
}

private struct SQLiteBench {
    static let size = 16_000
    static let count = 200
    let keys = (0..<Self.count).map { "https://photos.example/album/2026/IMG_\(1000 + $0)_1200x800.jpg" }
    let payloads: [Payload]
    let tier: DiskTier
    let plain: PlainManifest

    init(_ folder: URL) throws {
        payloads = keys.map { key in Payload(count: Self.size) { PayloadPattern(key: key).fill($0) } }
        let ours = folder.appendingPathComponent("ours")
        tier = try DiskTier(PolicyContext().policy("lru(1GB)"), at: ours.path, layout: .sqlite, epoch: Date())
        plain = try PlainManifest(folder.appendingPathComponent("plain.sqlite").path)
        _ = try storeOurs()
        _ = try storePlain()
    }

    /// Returns the microseconds per object.
    private func perObject(_ passes: Int, _ body: (Int) throws -> Int) throws -> Double {
        var bytes = 0
        let time = try seconds {
            for _ in 0..<passes { for number in keys.indices { bytes += try body(number) } }
        }
        guard bytes == passes * Self.count * Self.size else {
            throw BenchmarkError(description: "\(bytes) bytes were moved.")
        }
        return time / Double(passes * Self.count) * 1e6
    }

    func readOurs() throws -> Double { try perObject(5) { try tier.read(keys[$0])?.payload.count ?? 0 } }

    func readPlain() throws -> Double { try perObject(5) { try plain.read(keys[$0]) } }

    func storeOurs() throws -> Double { try perObject(2) { try tier.store(keys[$0], payloads[$0]) ? Self.size : 0 } }

    func storePlain() throws -> Double { try perObject(2) { try plain.store(keys[$0], payloads[$0].bytes) } }
}

/// The SQLite statements of the tier for an object in a row.
private final class PlainManifest {
    private var database: OpaquePointer?
    private var select: OpaquePointer?
    private var selectFile: OpaquePointer?
    private var replace: OpaquePointer?
    private var update: OpaquePointer?

    init(_ path: String) throws {
        try check(
            sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil),
            SQLITE_OK)
        try check(
            sqlite3_exec(
                database,
                """
                PRAGMA cell_size_check = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
                CREATE TABLE manifest (key text, variant integer, filename text, size integer, modification_time \
                integer,
                    last_access_time integer, checksum integer, inline_data blob, primary key(key, variant));
                CREATE INDEX last_access_time_index ON manifest(last_access_time);
                """, nil, nil, nil), SQLITE_OK)
        try prepare("SELECT filename, checksum, inline_data FROM manifest WHERE key = ?1 AND variant = ?2", &select)
        try prepare("SELECT filename FROM manifest WHERE key = ?1 AND variant = ?2", &selectFile)
        try prepare(
            """
            INSERT OR REPLACE INTO manifest (key, variant, filename, size, modification_time, last_access_time, \
            checksum, inline_data)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, &replace)
        try prepare(
            "UPDATE manifest SET modification_time = ?3, last_access_time = ?4 WHERE key = ?1 AND variant = ?2", &update
        )
    }

    deinit {
        for statement in [select, selectFile, replace, update] { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    func read(_ key: String) throws -> Int {
        let count = try withKey(key, select) {
            try check(sqlite3_step(select), SQLITE_ROW)
            let count = Int(sqlite3_column_bytes(select, 2))
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            defer { buffer.deallocate() }
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: sqlite3_column_blob(select, 2), count: count))
            return count
        }
        try withKey(key, update) {
            sqlite3_bind_int64(update, 3, 1_700_000_000_000_000)
            sqlite3_bind_int64(update, 4, 1_700_000_000)
            try check(sqlite3_step(update), SQLITE_DONE)
        }
        return count
    }

    func store(_ key: String, _ bytes: UnsafeRawBufferPointer) throws -> Int {
        withKey(key, selectFile) { _ = sqlite3_step(selectFile) }
        try withKey(key, replace) {
            sqlite3_bind_int64(replace, 4, Int64(bytes.count))
            sqlite3_bind_int64(replace, 5, 1_700_000_000_000_000)
            sqlite3_bind_int64(replace, 6, 1_700_000_000)
            sqlite3_bind_int64(replace, 7, 1)
            sqlite3_bind_blob64(replace, 8, bytes.baseAddress, UInt64(bytes.count), nil)
            try check(sqlite3_step(replace), SQLITE_DONE)
        }
        return bytes.count
    }

    private func withKey<Result>(_ key: String, _ statement: OpaquePointer?, _ body: () throws -> Result) rethrows
        -> Result
    {
        try key.withCString { text in
            sqlite3_bind_text(statement, 1, text, -1, nil)
            sqlite3_bind_int64(statement, 2, 1)
            defer {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            }
            return try body()
        }
    }

    private func prepare(_ text: String, _ statement: inout OpaquePointer?) throws {
        try check(sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil), SQLITE_OK)
    }

    private func check(_ code: Int32, _ expected: Int32) throws {
        guard code == expected else {
            throw BenchmarkError(description: "SQLite: \(String(cString: sqlite3_errmsg(database))) (\(code))")
        }
    }
}
