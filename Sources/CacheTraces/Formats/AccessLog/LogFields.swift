import SessionModel

/// The fields of a line, from left to right.
struct LogFields {
    private let line: UnsafeRawBufferPointer
    private let separators: (UInt8, UInt8)
    private let split: LogDialect.Split
    private let hasQuotes: Bool
    private var index = 0
    /// Whether a field can be in brackets, and none is quoted.
    var hasBrackets = false

    init(_ line: UnsafeRawBufferPointer, _ split: LogDialect.Split) {
        self.line = line
        self.split = split
        hasQuotes = split == .quoted || split == .server || split == .header
        separators =
            switch split {
            case .words, .server: (0x20, 0x09)
            case .quoted, .json: (0x20, 0x20)
            case .tabsOrBlanks, .header: line.contains(0x09) ? (0x09, 0x09) : (0x20, 0x20)
            }
    }

    private func isSeparator(_ byte: UInt8) -> Bool { byte == separators.0 || byte == separators.1 }

    /// Returns the place of the next field without its quotes or brackets, and the byte with which it begins. Several
    /// separators count as one.
    mutating func next() -> (range: Range<Int>, first: UInt8)? {
        while index < line.count, isSeparator(line[index]) { index += 1 }
        guard index < line.count else { return nil }
        let (start, first) = (index, line[index])
        if hasQuotes, !hasBrackets, first == UInt8(ascii: "\"") {
            let end = split == .server ? endOfRequest(from: start + 1) : endOfQuoted(from: start + 1)
            index = min(end + 1, line.count)
            return (start + 1..<max(start + 1, end), first)
        }
        if hasBrackets, first == UInt8(ascii: "["),
            let end = line[start...].firstIndex(of: UInt8(ascii: "]"))
        {
            index = end + 1
            return (start + 1..<end, first)
        }
        while index < line.count, !isSeparator(line[index]) { index += 1 }
        return (start..<index, first)
    }

    /// Returns the place of the quote that ends a field, or the end of the line. Quotes in the field are doubled or
    /// escaped by `\`, and stay so.
    private func endOfQuoted(from start: Int) -> Int {
        var index = start
        while index < line.count {
            if line[index] == UInt8(ascii: "\\") {
                index += 2
            } else if line[index] != UInt8(ascii: "\"") {
                index += 1
            } else if index + 1 < line.count, line[index + 1] == UInt8(ascii: "\"") {
                index += 2
            } else {
                return index
            }
        }
        return line.count
    }

    /// Returns the place of the quote before a blank and three digits, or before the end of the line.
    private func endOfRequest(from start: Int) -> Int {
        var index = start
        while index < line.count {
            if line[index] == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if line[index] == UInt8(ascii: "\""), index + 4 < line.count, line[index + 1] == 0x20,
                line[index + 2..<index + 5].allSatisfy({ (0x30...0x39).contains($0) })
            {
                return index
            }
            index += 1
        }
        return line[start...].lastIndex(of: UInt8(ascii: "\"")) ?? line.count
    }
}

/// A request line such as `GET /a.png HTTP/1.1`: a method, a target, which may contain blanks, and usually a protocol.
struct RequestLine {
    var method = ""
    var target = ""

    init(_ text: UnsafeRawBufferPointer) {
        var scanner = LineScanner(text)
        let method = scanner.word()
        scanner.skipBlanks()
        var target = scanner.rest
        if let blank = target.lastIndex(of: 0x20), target[(blank + 1)...].starts(with: "HTTP/".utf8) {
            target = UnsafeRawBufferPointer(rebasing: target[..<blank])
        }
        guard !target.isEmpty, method.count <= 32 else { return }
        self.method = method.string
        self.target = target.string
    }
}

struct LogDate {
    /// The last date, which the lines of one second share.
    private var lastText: [UInt8] = []
    private var lastTime: Int64 = 0

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the microseconds since 1970 of a date of Common Log Format, such as `10/Oct/2000:13:55:36 -0700`, or of
    /// RFC 3339; nil if the text is not such a date. A missing zone means UTC.
    mutating func microseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        if !lastText.isEmpty, lastText.elementsEqual(text) { return lastTime }
        if text.count >= 19, text[4] == UInt8(ascii: "-") { return Timestamp.microseconds(text.string) }
        let parts = text.string.split(separator: ":", maxSplits: 1)
        guard text.count <= 40, parts.count == 2, case let date = parts[0].split(separator: "/"), date.count == 3,
            let month = Self.months.firstIndex(of: String(date[1])), date[0].count == 2
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        let clock = parts[1].filter { $0 != " " }
        guard let time = Timestamp.microseconds("\(date[2])-\(number)-\(date[0])T\(clock)") else { return nil }
        lastText = Array(text)
        lastTime = time
        return time
    }

    /// Returns the microseconds since 1970 of RFC 3339, a date of Common Log Format, or seconds with decimals.
    ///
    /// - Parameter allowsWhole: Whether numbers can be whole seconds; above 10^11 milliseconds, above 10^14
    ///   microseconds, and above 10^17 nanoseconds.
    mutating func time(_ text: UnsafeRawBufferPointer, allowsWhole: Bool) -> Int64? {
        if allowsWhole || text.contains(UInt8(ascii: ".")), let time = Self.microseconds(text, unit: 1e6), time >= 0 {
            return time
        }
        if allowsWhole, text.first?.isDigit == true {
            for unit in [1e3, 1, 1e-3] {
                if let time = Self.microseconds(text, unit: unit), time > 100_000_000_000_000 { return time }
            }
        }
        return Timestamp.microseconds(text.string) ?? microseconds(text)
    }

    /// Returns the microseconds of a number; nil if the text is not a number or is beyond `TraceLimits.time`.
    static func microseconds(_ text: UnsafeRawBufferPointer, unit: Double) -> Int64? {
        guard (1...32).contains(text.count), let value = Double(text.string) else { return nil }
        let microseconds = (value * unit).rounded()
        guard abs(microseconds) <= Double(TraceLimits.time) else { return nil }
        return Int64(microseconds)
    }

    /// Returns the microseconds of a duration with units, such as `0.012s`, `1.2ms`, `3µs` or `1m2.5s`; nil if the text
    /// is not such a duration.
    static func microseconds(withUnits text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count <= 32 else { return nil }
        var (rest, total) = (text.string[...], 0.0)
        repeat {
            let number = rest.prefix { $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let value = Double(number), let factor = units[String(unit)] else { return nil }
            total += value * factor
        } while !rest.isEmpty
        return total <= Double(TraceLimits.time) ? Int64(total.rounded()) : nil
    }

    private static let units: [String: Double] = [
        "h": 3600e6, "m": 60e6, "s": 1e6, "ms": 1e3, "us": 1, "\u{B5}s": 1, "\u{3BC}s": 1, "ns": 1e-3,
    ]
}

/// What stands before the date of Common Log Format.
struct LogWord {
    let text: UnsafeRawBufferPointer

    /// Whether the word is an address, with or without a port.
    var isAddress: Bool {
        if text.first == UInt8(ascii: "[") { return text.contains(UInt8(ascii: "]")) }
        var (dots, colons) = (0, 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: ":"): colons += 1
            case _ where byte.isDigit || (byte | 0x20) &- 0x61 < 6 || byte == UInt8(ascii: "%"): break
            default: return colons > 1 && text.contains(UInt8(ascii: "%"))
            }
        }
        if colons > 1 { return true }
        return dots == 3 && text.first?.isDigit == true && text.last?.isDigit == true
    }

    /// The number behind the only colon, or behind a bracket.
    private var port: UInt64? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0,
            text[colon - 1] == UInt8(ascii: "]") || !text[..<colon].contains(UInt8(ascii: ":"))
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]).unsignedNumber
    }

    /// Whether the word is a name or an address, and has a port.
    var isHostWithPort: Bool {
        guard let port, let first = text.first, first.isDigit || (first | 0x20) &- 0x61 < 26 || first == 0x5B else {
            return false
        }
        // Clients have higher ports than servers.
        return port < 32_768 || !isAddress
    }

    /// Whether the word can be a virtual host: a name, or an address with a port.
    var isHost: Bool {
        if isAddress || text.contains(UInt8(ascii: ":")) { return isHostWithPort }
        return isName && !text.equals("unknown")
    }

    /// Whether the word is a name, which has a letter.
    var isName: Bool {
        var hasLetter = false
        for byte in text {
            if (byte | 0x20) &- 0x61 < 26 || byte >= 0x80 {
                hasLetter = true
            } else if !byte.isDigit, byte != UInt8(ascii: "."), byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") {
                return false
            }
        }
        return hasLetter && text.first != UInt8(ascii: "-")
    }
}
