/// The fields `width` and `height`, whose meaning depends on the kind of line: the size of an image, or of a view.
extension JSONLinesFields {
    /// Reads the size of the image of an object line or of a fetch, in pixels, for ``update(_:known:isObjectLine:)``.
    /// In lines of other kinds, the fields are not those of an image.
    mutating func readImageSize(_ scanner: JSONScanner) throws {
        width = try scanner.countOrNull(at: widthStart, atMost: TraceLimits.pixels).map(Int.init)
        height = try scanner.countOrNull(at: heightStart, atMost: TraceLimits.pixels).map(Int.init)
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
