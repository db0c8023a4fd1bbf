import CSQLite
import CacheTiers

/// The manifest of a ``DiskDatabase``, and the statements on it. Not safe under concurrent use.
final class DiskManifest {
    struct Row {
        var name: DiskName
        var size: Int
        /// Microseconds since 1970.
        var modified: Int64
        /// Seconds since 1970.
        var accessed: Int64
        var isFile: Bool
    }

    enum Content: Sendable {
        case inline(Payload, checksum: Int64)
        case file
    }

    private let database: SQLiteDatabase
    private let select: SQLiteStatement
    private let selectFile: SQLiteStatement
    private let replace: SQLiteStatement
    private let update: SQLiteStatement
    private let delete: SQLiteStatement

    /// The exact text that SQLite keeps; a database with another table is damaged.
    ///
    /// The payload is the last column, so that reading the other columns does not touch its pages.
    static let table =
        "CREATE TABLE manifest (key text, variant integer, filename text, size integer, modification_time integer, "
        + "last_access_time integer, checksum integer, inline_data blob, primary key(key, variant))"
    static let index = "CREATE INDEX last_access_time_index ON manifest(last_access_time)"

    static let selecting = "SELECT filename, checksum, inline_data FROM manifest WHERE key = ?1 AND variant = ?2"
    static let selectingFile = "SELECT filename FROM manifest WHERE key = ?1 AND variant = ?2"
    static let replacing =
        "INSERT OR REPLACE INTO manifest (key, variant, filename, size, modification_time, last_access_time, checksum, "
        + "inline_data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    static let updating =
        "UPDATE manifest SET modification_time = ?3, last_access_time = ?4 WHERE key = ?1 AND variant = ?2"
    static let deleting = "DELETE FROM manifest WHERE key = ?1 AND variant = ?2"
    private static let listing =
        "SELECT key, variant, filename, size, modification_time, last_access_time FROM manifest ORDER BY rowid"

    /// Opens the database in the folder, or creates it.
    init(_ folder: String, generation: Int) throws {
        database = try SQLiteDatabase(folder, DiskDatabase.file, generation: generation)
        // Checks the sizes of b-tree cells as pages are read, which detects damaged pages earlier.
        try database.run("PRAGMA cell_size_check = ON")
        guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw DiskTierError(
                .failed, folder,
                "the database \(DiskDatabase.file) cannot keep a write-ahead log there. Choose a folder on a local disk"
            )
        }
        try database.run("PRAGMA synchronous = NORMAL")
        switch try database.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name") {
        case []:
            // One transaction: a table without its index would look like damage.
            try database.run("BEGIN IMMEDIATE; \(Self.table); \(Self.index); COMMIT")
        case [Self.index, Self.table]: break
        default: throw DiskStoreDamage(generation: generation)
        }
        select = try database.prepare(Self.selecting)
        selectFile = try database.prepare(Self.selectingFile)
        replace = try database.prepare(Self.replacing)
        update = try database.prepare(Self.updating)
        delete = try database.prepare(Self.deleting)
    }

    /// Every row, in the order of storing.
    func rows() throws -> [Row] {
        let list = try database.prepare(Self.listing)
        defer { list.reset() }
        var rows: [Row] = []
        while try list.step() {
            let (variant, size) = (list.integer(1), list.integer(3))
            let isFile = !list.isNull(2)
            guard 0...1 ~= variant, size >= 0, (size > DiskDatabase.largestInline) == isFile else { throw list.damage }
            let name = list.withBytes(0) { DiskName(text: $0, variant: UInt8(variant)) }
            rows.append(
                Row(name: name, size: Int(size), modified: list.integer(4), accessed: list.integer(5), isFile: isFile))
        }
        return rows
    }

    /// Returns nil if there is no such row, or if its payload has another length.
    func read(_ file: DiskFile) throws -> Content? {
        try select.using(file.name) { () -> Content? in
            guard try select.step() else { return nil }
            if !select.isNull(0) { return .file }
            return select.withBytes(2) { bytes -> Content? in
                guard bytes.count == file.size else { return nil }
                let payload = Payload(copying: UnsafeRawBufferPointer(bytes))
                return .inline(payload, checksum: select.integer(1))
            }
        }
    }

    func hasFile(_ name: DiskName) throws -> Bool {
        try selectFile.using(name) { try selectFile.step() && !selectFile.isNull(0) }
    }

    /// Writes a row. `payload` is nil if the bytes are in a file.
    func write(
        _ name: DiskName, _ size: Int, inline payload: Payload?, checksum: Int64, _ modified: Int64, _ accessed: Int64
    ) throws {
        try replace.using(name) {
            replace.bind(4, Int64(size))
            replace.bind(5, modified)
            replace.bind(6, accessed)
            replace.bind(7, checksum)
            if let payload {
                replace.bind(8, blob: payload.bytes)
                _ = try replace.step()
            } else {
                try name.ofValue.withPath { path in
                    replace.bind(3, text: path)
                    return Result { _ = try replace.step() }
                }.get()
            }
        }
    }

    func date(_ name: DiskName, _ modified: Int64, _ accessed: Int64) throws {
        try update.using(name) {
            update.bind(3, modified)
            update.bind(4, accessed)
            _ = try update.step()
        }
    }

    func remove(_ name: DiskName) throws {
        try delete.using(name) { _ = try delete.step() }
    }
}

extension SQLiteStatement {
    /// Binds the name, runs the body, and resets the statement. The name stays in memory until then.
    fileprivate func using<Result>(_ name: DiskName, _ body: () throws -> Result) rethrows -> Result {
        try name.withText { key in
            bind(1, text: key)
            bind(2, Int64(name.variant))
            defer { reset() }
            return try body()
        }
    }
}
