import CSQLite
import CacheTiers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection to a database in a file. Closed with the last reference to it and to its statements. Not safe under
/// concurrent use.
///
/// Its methods throw ``DiskStoreDamage`` if the file is not a valid database, and `DiskTierError` otherwise.
final class SQLiteDatabase {
    fileprivate let handle: OpaquePointer
    fileprivate let folder: String
    fileprivate let file: String
    fileprivate let generation: Int

    init(_ folder: String, _ file: String, generation: Int) throws {
        self.folder = folder
        self.file = file
        self.generation = generation
        var handle: OpaquePointer?
        // Callers hold a lock while they use a connection, so SQLite needs none.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2("\(folder)/\(file)", &handle, flags, nil)
        guard let handle else {
            throw DiskTierError(ENOMEM, "open the database \(file)", folder)
        }
        self.handle = handle
        guard code == SQLITE_OK else { throw failure(code, "open") }
        sqlite3_extended_result_codes(handle, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements and drops their rows.
    func run(_ statements: String) throws {
        let code = sqlite3_exec(handle, statements, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, "prepare") }
    }

    /// The first column of every row.
    func texts(_ statement: String) throws -> [String] {
        let statement = try prepare(statement)
        defer { statement.reset() }
        var texts: [String] = []
        while try statement.step() { texts.append(statement.withBytes(0) { String(decoding: $0, as: UTF8.self) }) }
        return texts
    }

    func text(_ statement: String) throws -> String? { try texts(statement).first }

    /// Prepares a statement that is used many times.
    func prepare(_ statement: String) throws -> SQLiteStatement {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(self.handle, statement, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw failure(code, "prepare a statement of") }
        return SQLiteStatement(handle, self)
    }

    /// `action` completes the sentence "Cannot … the database".
    fileprivate func failure(_ code: Int32, _ action: String) -> any Error {
        let system = sqlite3_system_errno(handle)
        let reason = String(cString: sqlite3_errmsg(handle))
        switch code & 0xFF {
        // SQLITE_ERROR, "SQL logic error": the statements are valid, so the tables are not.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: return DiskStoreDamage(generation: generation)
        case SQLITE_IOERR where code == Self.shortRead, SQLITE_READONLY where code == Self.movedAway:
            return DiskStoreDamage(generation: generation)
        case SQLITE_FULL:
            return DiskTierError(system == EDQUOT ? EDQUOT : ENOSPC, "\(action) the database \(file)", folder)
        case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(system):
            return DiskTierError(system, "\(action) the database \(file)", folder)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return DiskTierError(
                .failed, folder,
                """
                cannot \(action) the database \(file): another process is using it. End that process, or choose \
                another \
                folder
                """
            )
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH:
            return DiskTierError(
                .notWritable, folder,
                "cannot \(action) the database \(file): \(reason). Choose a folder that you may write to")
        case SQLITE_TOOBIG:
            return DiskTierError(
                .failed, folder, "cannot \(action) the database \(file): a key or an object is too long")
        default:
            return DiskTierError(
                .failed, folder, "cannot \(action) the database \(file): \(reason) (SQLite's code \(code))")
        }
    }

    // Extended codes, which are expressions in sqlite3.h that Swift does not import: the file is too short; the file
    // was moved or deleted.
    private static let shortRead = SQLITE_IOERR | 2 << 8
    private static let movedAway = SQLITE_READONLY | 4 << 8
}

/// A prepared statement. Bound bytes are not copied: they must stay in memory until `reset`.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    fileprivate init(_ handle: OpaquePointer, _ database: SQLiteDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    // Binding fails for values that are too long; `step` then finds a NULL key.
    func bind(_ position: Int32, _ value: Int64) { sqlite3_bind_int64(handle, position, value) }

    func bind(_ position: Int32, text: UnsafeBufferPointer<UInt8>) {
        text.withMemoryRebound(to: CChar.self) { text in
            let empty: StaticString = ""
            let start = text.baseAddress ?? UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text64(handle, position, start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
        }
    }

    func bind(_ position: Int32, text: UnsafePointer<CChar>) { sqlite3_bind_text(handle, position, text, -1, nil) }

    func bind(_ position: Int32, blob: UnsafeRawBufferPointer) {
        // A null pointer would be NULL.
        if blob.isEmpty {
            sqlite3_bind_zeroblob(handle, position, 0)
        } else {
            sqlite3_bind_blob64(handle, position, blob.baseAddress, UInt64(blob.count), nil)
        }
    }

    /// Returns whether there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw database.failure(code, "use")
        }
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a blob or text, until the next step.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
        return try body(
            UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
    }

    /// The error for rows with impossible values.
    var damage: DiskStoreDamage { DiskStoreDamage(generation: database.generation) }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}
