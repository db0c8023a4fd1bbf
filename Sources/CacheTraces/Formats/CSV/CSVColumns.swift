/// The columns of a CSV file that contain key, time and size, and the unit of the time.
struct CSVColumns {
    var key: Int
    var time: Int?
    var size: Int?
    var timeUnit: CSVFormat.TimeUnit?

    private static let keyNames = [
        "key", "id", "obj_id", "object_id", "object", "url", "uri", "path", "lbn", "lba", "block", "address",
        "hashed_path_query",
    ]
    private static let timeNames = ["time", "timestamp", "ts", "clock_time", "t", "date", "relative_unix"]
    private static let sizeNames = [
        "size", "bytes", "obj_size", "object_size", "length", "content_length", "response_size",
    ]

    struct Unknown: Error {
        var message: String
    }

    /// Finds the columns.
    ///
    /// - Parameters:
    ///   - names: The names in the header; empty without a header.
    ///   - first: The fields of the first row.
    init(names: [String], first: [String], options: CSVFormat.Options) throws(Unknown) {
        let named = names.map(Self.normalized)
        let width = first.count
        guard !names.isEmpty || width <= 3 || options.hasColumns else { throw Unknown(message: Self.unnamed(first)) }
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

    /// More than three columns have no order of their own: a size can be taken for a time.
    private static func unnamed(_ first: [String]) -> String {
        let advice = TableFormat.advice(first).map { "; \($0)" } ?? ""
        let columns = first.enumerated().prefix(12).map { "\($0 + 1): \($1.prefix(24))" }
        return """
            the first row has \(first.count) columns and no names (\(columns.joined(separator: ", "))); say what they \
            contain: --key-column, --time-column and --size-column take numbers, and --header says that the row has \
            names\(advice)
            """
    }

    /// Returns the fields of a line, split at a delimiter; nil for the most frequent one.
    static func names(in line: some Collection<UInt8>, delimiter: UInt8? = nil) -> [String] {
        line.split(separator: delimiter ?? self.delimiter(of: line), omittingEmptySubsequences: false)
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
        if most == 0 {
            // Names between blanks. A line of a text can have one such word.
            let words = firstLine.split(separator: 0x20).map { normalized(String(decoding: $0, as: UTF8.self)) }
            let names = words.map(withoutUnit)
            let hasOther = names.contains { timeNames.contains($0) || sizeNames.contains($0) }
            if hasOther, names.contains(where: keyNames.contains) { return 0x20 }
        }
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

    fileprivate static func normalized(_ name: String) -> String {
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
    /// Whether an option has the name of one of these columns.
    func names(oneOf fields: [String]) -> Bool {
        let names = fields.map(CSVColumns.normalized)
        return [keyColumn, timeColumn, sizeColumn].contains {
            $0.map { names.contains(CSVColumns.normalized($0)) } ?? false
        }
    }

    fileprivate var hasColumns: Bool { keyColumn != nil || timeColumn != nil || sizeColumn != nil }
}

/// Numbers the keys of a CSV file: whole numbers by their value, other keys by their text.
struct CSVKeys: ~Copyable {
    /// Keys that are canonical whole numbers below 10^18.
    var numbers = NumberTable()
    /// All other keys.
    var texts = TextTable()

    /// Returns the object of `key`, or `next` if the key is new; nil if the key is not UTF-8.
    mutating func number(of key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        if key.count <= 18, key.count == 1 || key.first != 0x30, let value = key.unsignedNumber {
            return numbers.number(of: value, next: next).number
        }
        return texts.number(of: key, next: next)
    }
}

extension Requests {
    /// Keeps the keys, which are listed on demand.
    mutating func keep(_ keys: consuming CSVKeys) {
        guard keys.texts.count > 0 else { return keep(keys.numbers) }
        let kept = KeyTexts(keys.texts.store(), keys.numbers)
        self.keys = .texts { kept }
    }
}
