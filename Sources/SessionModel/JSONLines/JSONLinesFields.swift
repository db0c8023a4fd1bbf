import Foundation

/// The fields of one line, in any order.
struct JSONLinesFields {
    var time: Int64?
    var event: RawJSONString?
    var number: Int64?
    var key: String?
    var offset = 0.0
    var velocity = 0.0
    var fetch = Fetch()
    private var variantText: RawJSONString?
    private var phaseText: RawJSONString?
    // Where these values begin. They are read when an event needs them: the other events may have fields by these names
    // for the recorder's own purposes, with any value.
    private var positionStart: Int?
    private var rowStart: Int?
    private var sourceStart: Int?
    private(set) var widthStart: Int?
    private(set) var heightStart: Int?
    private(set) var framesStart: Int?
    private var contentType: String?
    /// The size and the frames of an image, after ``readImageSize(_:)``.
    var width: Int?
    var height: Int?
    var frames: Int?
    private var headers: [HTTPField] = []
    /// The facts that the line names, also those with the value null.
    private var named: ObjectFieldSet = []

    mutating func read(_ scanner: inout JSONScanner) throws {
        self = JSONLinesFields()
        try scanner.beginObject()
        while let name = try scanner.nextKey() {
            switch name {
            case "t": time = try scanner.countOrNull(atMost: TraceLimits.time)
            case "e": event = try scanner.text()
            case "o": number = try scanner.integer()
            case "key": key = try scanner.string()
            case "variant": variantText = try scanner.text()
            case "phase": phaseText = try scanner.text()
            case "position": positionStart = try scanner.skippedValue()
            case "row": rowStart = try scanner.skippedValue()
            case "from": sourceStart = try scanner.skippedValue()
            case "offset": offset = try scanner.null() ? 0 : scanner.double()
            case "velocity": velocity = try scanner.null() ? 0 : scanner.double()
            case "status": fetch.status = Int(try scanner.countOrNull(atMost: 999) ?? 0)
            case "bytes":
                fetch.bytes = try scanner.countOrNull(atMost: TraceLimits.bytes).map(Int.init)
                named.insert(.bytes)
            case "queued_us": fetch.queued = try scanner.countOrNull(atMost: TraceLimits.time)
            case "connect_us": fetch.connect = try scanner.countOrNull(atMost: TraceLimits.time)
            case "ttfb_us": fetch.timeToFirstByte = try scanner.countOrNull(atMost: TraceLimits.time)
            case "transfer_us": fetch.transferTime = try scanner.countOrNull(atMost: TraceLimits.time)
            case "protocol": fetch.networkProtocol = try scanner.stringOrNull().flatMap(FetchProtocol.init(recorded:))
            case "undecodable": fetch.isUndecodable = try scanner.boolean()
            case "type":
                contentType = try scanner.stringOrNull()
                named.insert(.contentType)
            case "width":
                widthStart = try scanner.skippedValue()
                named.insert(.width)
            case "height":
                heightStart = try scanner.skippedValue()
                named.insert(.height)
            case "frames":
                framesStart = try scanner.skippedValue()
                named.insert(.frames)
            case "headers":
                headers = try scanner.headers()
                named.insert(.headers)
            default: try scanner.skipValue()
            }
        }
        try scanner.endOfInput()
    }

    /// Reads the fields of a fetch behind its name, as ``JSONLinesEncoder`` writes them: in its order, without white
    /// space.
    ///
    /// - Returns: false for another form or an error. The fields and the position are then anything.
    mutating func readPlainFetch(_ scanner: inout JSONScanner) -> Bool {
        self = JSONLinesFields()
        guard scanner.take(",\"o\":"), let object = scanner.takeCount() else { return false }
        number = object
        if scanner.take(",\"status\":") {
            guard let status = scanner.takeCount(), status <= 999 else { return false }
            fetch.status = Int(status)
        }
        if scanner.take(",\"bytes\":") {
            guard let bytes = scanner.takeCount(), bytes <= TraceLimits.bytes else { return false }
            fetch.bytes = Int(bytes)
            named.insert(.bytes)
        }
        // All numbers of 15 digits are within the limit of times.
        func duration(_ name: StaticString, _ field: inout Int64?) -> Bool {
            guard scanner.take(name) else { return true }
            field = scanner.takeCount()
            return field != nil
        }
        guard duration(",\"queued_us\":", &fetch.queued), duration(",\"connect_us\":", &fetch.connect),
            duration(",\"ttfb_us\":", &fetch.timeToFirstByte), duration(",\"transfer_us\":", &fetch.transferTime)
        else { return false }
        if scanner.take(",\"protocol\":\"") {
            if scanner.take("http/1.1\"") {
                fetch.networkProtocol = .http1
            } else if scanner.take("h2\"") {
                fetch.networkProtocol = .http2
            } else if scanner.take("h3\"") {
                fetch.networkProtocol = .http3
            } else {
                return false
            }
        }
        return true
    }

    func variant() throws -> Variant {
        switch variantText {
        case .none, .some("full"): return .full
        case .some("thumbnail"): return .thumbnail
        case .some(let text):
            throw JSONLineError(message: "'\(try text.decoded())' is not a variant; expected thumbnail or full")
        }
    }

    func phase() throws -> ScrollPhase {
        guard let phaseText else {
            throw JSONLineError(message: "\"phase\" is missing; expected dragged, decelerating or at_rest")
        }
        switch phaseText {
        case "dragged": return .dragged
        case "decelerating": return .decelerating
        case "at_rest": return .atRest
        default:
            throw JSONLineError(
                message: "'\(try phaseText.decoded())' is not a phase; expected dragged, decelerating or at_rest")
        }
    }

    /// Returns the position and the row of a `list` event. Without a row, the list has one column.
    ///
    /// - Parameter scanner: The scanner of the line.
    func place(_ scanner: JSONScanner) throws -> (position: Int32, row: Int32) {
        guard let position = try scanner.countOrNull(at: positionStart, atMost: TraceLimits.position) else {
            throw JSONLineError(
                message: "\"position\" is missing; expected the object's position in the list, counted from 0")
        }
        let row = try scanner.countOrNull(at: rowStart, atMost: TraceLimits.position)
        return (Int32(position), Int32(row ?? position))
    }

    func source(_ scanner: JSONScanner) throws -> ServedSource {
        guard let sourceStart else {
            throw JSONLineError(message: "\"from\" is missing; expected memory, disk or network")
        }
        var scanner = scanner
        scanner.position = sourceStart
        let name = try scanner.string()
        guard let source = ServedSource(name: name) else {
            throw JSONLineError(message: "'\(name)' is not a source; expected memory, disk or network")
        }
        return source
    }

    /// Returns the bytes of a `cost` event.
    func cost() throws -> Int {
        guard let bytes = fetch.bytes else {
            throw JSONLineError(message: "\"bytes\" is missing; expected the cost of the image in memory")
        }
        return bytes
    }

    /// Copies the facts of the line to `object`: all of them if the line is an object line, otherwise those that no
    /// earlier line has named. Returns whether the line describes another version of the object than earlier lines.
    func update(_ object: inout TraceObject, known: inout ObjectFieldSet, isObjectLine: Bool) -> Bool {
        let isAnother = isAnotherVersion(than: object, known: known, isObjectLine: isObjectLine)
        let changes = isObjectLine ? named : named.subtracting(known)
        if changes.contains(.bytes) { object.bytes = fetch.bytes }
        if changes.contains(.contentType) { object.contentType = contentType }
        if changes.contains(.width) { object.pixelWidth = width }
        if changes.contains(.height) { object.pixelHeight = height }
        if changes.contains(.frames) { object.frames = frames }
        if changes.contains(.headers) { object.headers = headers }
        known.formUnion(changes)
        return isAnother
    }

    /// Whether the line has another entity tag, or another size of the whole body.
    private func isAnotherVersion(than object: TraceObject, known: ObjectFieldSet, isObjectLine: Bool) -> Bool {
        let both = named.intersection(known)
        if both.contains(.headers), let tag = Self.entityTag(headers), let earlier = Self.entityTag(object.headers),
            tag != earlier
        {
            return true
        }
        guard both.contains(.bytes), let bytes = fetch.bytes, let earlier = object.bytes else { return false }
        // A fetch can have no body, or a part of it.
        return bytes != earlier && (isObjectLine || fetch.status == 200 && bytes > 0)
    }

    private static func entityTag(_ headers: [HTTPField]) -> String? { headers.last { $0.name == "etag" }?.value }
}

/// The facts of an object that lines have named.
struct ObjectFieldSet: OptionSet {
    let rawValue: UInt8
    static let bytes = Self(rawValue: 1)
    static let contentType = Self(rawValue: 2)
    static let width = Self(rawValue: 4)
    static let height = Self(rawValue: 8)
    static let headers = Self(rawValue: 16)
    static let frames = Self(rawValue: 32)
}

/// Maps the object numbers of a file to ids, with an array for numbers that count from 0 and a table for others.
struct ObjectNumbers {
    private var dense: [ObjectID] = []
    private var sparse: [Int64: ObjectID] = [:]

    subscript(number: Int64) -> ObjectID? {
        if number >= 0, number < dense.count { return dense[Int(number)] }
        return sparse.isEmpty ? nil : sparse[number]
    }

    /// Assigns a number to an object. Returns false if the number already belongs to another object.
    mutating func assign(_ number: Int64, _ id: ObjectID) -> Bool {
        if let known = self[number] { return known == id }
        if number == dense.count { dense.append(id) } else { sparse[number] = id }
        return true
    }
}

extension JSONScanner {
    mutating func stringOrNull() throws(JSONError) -> String? {
        try null() ? nil : string()
    }

    /// Reads a whole number from 0 to `limit`, or null.
    mutating func countOrNull(atMost limit: Int64) throws(JSONError) -> Int64? {
        if try null() { return nil }
        let start = position
        let value = try integer()
        guard (0...limit).contains(value) else {
            throw JSONError(
                offset: start,
                message: "expected a number from 0 to \(limit), found \(value); omit a field whose value is unknown",
                isCutShort: false)
        }
        return value
    }

    /// Reads a whole number from 0 to `limit`, or null, that begins at `start`. Returns nil without a place.
    func countOrNull(at start: Int?, atMost limit: Int64) throws(JSONError) -> Int64? {
        guard let start else { return nil }
        var scanner = self
        scanner.position = start
        return try scanner.countOrNull(atMost: limit)
    }

    /// Skips a value, and returns where it begins.
    mutating func skippedValue() throws(JSONError) -> Int {
        let start = position
        try skipValue()
        return start
    }

    /// Reads header fields, with their names in lower case.
    mutating func headers() throws(JSONError) -> [HTTPField] {
        var fields: [HTTPField] = []
        try beginObject()
        while let name = try nextKey() {
            fields.append(HTTPField(try name.decoded().lowercased(), try string()))
        }
        return fields
    }
}

extension UnsafeRawBufferPointer {
    /// Returns how often a byte occurs.
    func count(of byte: UInt8) -> Int {
        var count = 0
        for index in indices where self[index] == byte { count &+= 1 }
        return count
    }

    /// The index of the line feed that ends the line at `start`, or the buffer's end.
    package func endOfLine(from start: Int) -> Int {
        guard start < count, let base = baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
            return count
        }
        return UnsafeRawPointer(found) - base
    }
}

/// The fields `width` and `height`, whose meaning depends on the kind of line: the size of an image, or of a view; and
/// `frames`, which only images have.
extension JSONLinesFields {
    /// Reads the size in pixels and the frames of the image of an object line or of a fetch, for
    /// ``update(_:known:isObjectLine:)``. In lines of other kinds, the fields do not describe an image.
    ///
    /// - Throws: ``JSONLineError`` and `JSONError` for numbers that no image has.
    mutating func readImageSize(_ scanner: JSONScanner) throws {
        width = try scanner.countOrNull(at: widthStart, atMost: TraceLimits.pixels).map(Int.init)
        height = try scanner.countOrNull(at: heightStart, atMost: TraceLimits.pixels).map(Int.init)
        frames = try scanner.countOrNull(at: framesStart, atMost: TraceLimits.frames).map(Int.init)
        guard frames != 0 else {
            throw JSONLineError(
                message: "\"frames\" is 0; expected the frames of the image, from 1 to \(TraceLimits.frames)")
        }
    }

    /// Returns the size of the view of an `appear` or a `prefetch`; nil if the line has none.
    ///
    /// - Throws: ``JSONLineError`` for one side without the other, and for a side that no view has.
    func viewSize(_ scanner: JSONScanner) throws -> ViewSize? {
        guard widthStart != nil || heightStart != nil else { return nil }
        let width = try scanner.viewSide("width", at: widthStart)
        let height = try scanner.viewSide("height", at: heightStart)
        if width == nil, height == nil { return nil }
        guard let width, let height, let size = ViewSize(width: width, height: height) else {
            let (present, missing) = width == nil ? ("height", "width") : ("width", "height")
            throw JSONLineError(
                message: """
                    "\(present)" stands without "\(missing)"; expected both sides of the view in pixels, or none. \
                    Add "\(missing)", or omit "\(present)"
                    """)
        }
        return size
    }
}

extension JSONScanner {
    /// Reads a side of a view, which begins at `start`. Returns nil for null, and without a place.
    ///
    /// - Throws: ``JSONLineError`` for anything but a whole number of pixels from 1 to 65,535.
    fileprivate func viewSide(_ name: String, at start: Int?) throws -> Int? {
        guard let start else { return nil }
        var scanner = self
        scanner.position = start
        if try scanner.null() { return nil }
        if let side = try? scanner.integer(), side > 0, let pixels = UInt16(exactly: side) { return Int(pixels) }
        scanner.position = start
        let kind = try scanner.peek()
        var found = kind == .object || kind == .array ? "an \(kind)" : "a \(kind)"
        if kind == .number {
            let digits = scanner.bytes[try scanner.number().range]
            found = String(decoding: digits.prefix(24), as: UTF8.self)
        }
        throw JSONLineError(
            message: """
                "\(name)" of the view is \(found); expected a whole number of pixels from 1 to 65,535. Omit "width" \
                and "height" if the size of the view is unknown
                """)
    }
}
