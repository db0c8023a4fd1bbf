/// The columns of a CSV file that contain key, time and size, and the unit of the time.
struct CSVColumns {
    var key: Int
    var time: Int?
    var size: Int?
    var timeUnit: CSVFormat.TimeUnit?

    private static let keyNames = [
        "key", "id", "obj_id", "object_id", "object", "url", "uri", "path", "lbn", "lba", "block", "address",
    ]
    private static let timeNames = ["time", "timestamp", "ts", "clock_time", "t", "date"]
    private static let sizeNames = ["size", "bytes", "obj_size", "object_size", "length", "content_length"]

    struct Unknown: Error {
        var message: String
    }

    /// Finds the columns.
    ///
    /// - Parameters:
    ///   - names: The names in the header; empty without a header.
    ///   - width: The number of columns in the first row.
    init(names: [String], width: Int, options: CSVFormat.Options) throws(Unknown) {
        let named = names.map(Self.normalized)
        func find(_ option: String?, _ candidates: [String], positional: Int?) throws(Unknown) -> Int? {
            if let option { return try Self.column(option, named, width) }
            if names.isEmpty { return options.hasColumns ? nil : positional }
            // The order of the candidates counts: a file may have both an id and a url.
            return candidates.lazy.compactMap { candidate in
                named.firstIndex { Self.withoutUnit($0) == candidate || $0 == candidate }
            }.first
        }
        let key = try find(options.keyColumn, Self.keyNames, positional: width < 3 ? 0 : 1)
        time = try find(options.timeColumn, Self.timeNames, positional: width < 3 ? nil : 0)
        size = try find(options.sizeColumn, Self.sizeNames, positional: width < 3 ? (width == 2 ? 1 : nil) : 2)
        guard let key else {
            throw Unknown(
                message: names.isEmpty
                    ? "the column of the key is unknown; pass --key-column with its number"
                    : "no column has the name of a key (\(Self.keyNames.joined(separator: ", "))); "
                        + "pass --key-column with one of: "
                        + names.joined(separator: ", "))
        }
        self.key = key
        timeUnit = options.timeUnit ?? time.flatMap { named.indices.contains($0) ? Self.unit(named[$0]) : nil }
    }

    /// Returns the fields of the first line, split at its most frequent delimiter.
    static func names(in firstLine: ArraySlice<UInt8>) -> [String] {
        firstLine.split(separator: delimiter(of: firstLine), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    static func delimiter(of firstLine: some Sequence<UInt8>) -> UInt8 {
        let candidates: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
        var counts = [0, 0, 0, 0]
        var isQuoted = false
        for byte in firstLine {
            if byte == 0x22 { isQuoted.toggle() }
            if !isQuoted, let index = candidates.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        return counts.firstIndex(of: most).map { candidates[$0] } ?? 0x2C
    }

    static func isHeader(_ fields: [String]) -> Bool {
        fields.contains { field in
            let name = withoutUnit(normalized(field))
            return keyNames.contains(name) || timeNames.contains(name) || sizeNames.contains(name)
        }
    }

    private static func column(_ option: String, _ named: [String], _ width: Int) throws(Unknown) -> Int {
        if let index = named.firstIndex(of: normalized(option)) { return index }
        if let number = Int(option), (1...max(width, 1)).contains(number) { return number - 1 }
        let choices =
            named.isEmpty
            ? "a number from 1 to \(width)" : "one of: \(named.joined(separator: ", ")), or a number from 1 to \(width)"
        throw Unknown(message: "there is no column '\(option)'; expected \(choices)")
    }

    private static func normalized(_ name: String) -> String {
        let trimmed = name.lowercased().drop { " \"#".contains($0) }
        let end = trimmed.lastIndex { !" \"\r".contains($0) }
        return String((end.map { trimmed[...$0] } ?? "").map { $0 == " " || $0 == "-" ? "_" : $0 })
    }

    private static func unit(_ name: String) -> CSVFormat.TimeUnit? {
        CSVFormat.TimeUnit.allCases.first { name.hasSuffix("_" + $0.rawValue) }
    }

    private static func withoutUnit(_ name: String) -> String {
        unit(name).map { String(name.dropLast($0.rawValue.count + 1)) } ?? name
    }
}

extension CSVFormat.Options {
    fileprivate var hasColumns: Bool { keyColumn != nil || timeColumn != nil || sizeColumn != nil }
}
