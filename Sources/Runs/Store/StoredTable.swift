import Basics
import ResultColumns

/// The form of a CSV file whose rows a store has in memory.
protocol RowFile {
    associatedtype Row: Sendable
    associatedtype Key: Hashable & Sendable

    static var name: String { get }
    static var columns: [Column<Row>] { get }
    /// Returns the columns of a file with these rows.
    static func columns(of rows: [Row]) -> [Column<Row>]
    /// Returns the key of a row. Rows of one key replace each other.
    static func key(_ row: Row) -> Key
    /// Whether a key has one row.
    static var hasUniqueKeys: Bool { get }
    /// Reads a row.
    ///
    /// - Throws: ``ResultsError`` of kind `badData`, with the line.
    static func row(_ record: CSVTable.Row) throws -> Row
}

extension RowFile {
    static func columns(of rows: [Row]) -> [Column<Row>] { columns }

    static var hasUniqueKeys: Bool { false }

    static func csv(_ rows: [Row], _ style: CSVStyle = .exact) -> String {
        CSVText.render(columns(of: rows), rows, style)
    }

    /// Reads a file. A torn last row is dropped.
    /// - Throws: ``ResultsError`` of kind `badData`, with the line.
    static func rows(_ text: String, file: String, _ style: CSVStyle = .exact) throws -> [Row] {
        try CSVTable(text, file: file, needs: columns.map(\.name), style).map(row)
    }
}

/// The rows of a CSV file, in memory.
struct StoredTable<File: RowFile>: Sendable {
    /// In the order in which they were finished.
    private(set) var rows: [File.Row] = []
    private var keys: Set<File.Key> = []
    /// Rows that together have all columns of the file.
    private var widest: [File.Row] = []
    /// The place of each planned row. Rows that are not planned come last.
    private var places: [File.Key: Int] = [:]

    init() {}

    /// Reads the file of a folder, if there is one. Of several rows of a unique key, the last one counts.
    init(in folder: String, _ style: CSVStyle) throws {
        let file = "\(folder)/\(File.name)"
        guard ResultFile.exists(file) else { return }
        var rows = try File.rows(try ResultFile.text(at: file), file: file, style)
        if File.hasUniqueKeys {
            let last = Dictionary(rows.enumerated().map { (File.key($1), $0) }) { $1 }
            rows = rows.enumerated().filter { last[File.key($1)] == $0 }.map(\.element)
        }
        _ = insert(rows)
    }

    /// The rows in the order of the plan.
    var ordered: [File.Row] {
        guard !places.isEmpty else { return rows }
        return rows.enumerated().map { (places[File.key($0.element)] ?? .max, $0.offset) }.sorted { $0 < $1 }
            .map { rows[$0.1] }
    }

    func contains(_ key: File.Key) -> Bool { keys.contains(key) }

    /// Places rows behind those planned before, in this order.
    mutating func plan(_ keys: [File.Key]) {
        for key in keys where places[key] == nil { places[key] = places.count }
    }

    /// Adds rows in place of earlier ones with the same keys.
    ///
    /// - Returns: Whether the file of the earlier rows has all rows once these are appended to it.
    mutating func insert(_ new: [File.Row]) -> Bool {
        let added = Set(new.map(File.key))
        let isNew = keys.isDisjoint(with: added)
        if !isNew { rows.removeAll { added.contains(File.key($0)) } }
        let hadColumns = columns.count
        for row in new where File.columns(of: widest + [row]).count > columns.count { widest.append(row) }
        rows += new
        keys.formUnion(added)
        return isNew && hadColumns == columns.count
    }

    var columns: [Column<File.Row>] { File.columns(of: widest) }

    /// Changes rows without changing their keys.
    mutating func update(_ change: (inout File.Row) -> Void) { for index in rows.indices { change(&rows[index]) } }
}
