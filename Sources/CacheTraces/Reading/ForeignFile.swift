/// Files that people name although they hold no trace, or hold one in a form that has to be unpacked or saved anew.
extension TraceHead {
    /// What the file is in place of a trace, and the remedy; nil if it can be a trace.
    var foreignKind: String? {
        if let utf16 { return "the file is \(utf16) text; save it as UTF-8: iconv -f \(utf16) -t UTF-8 <FILE >NEWFILE" }
        if PictureFiles.isPicture(bytes) {
            return """
                the file is a picture, not a recorded session; `cachereplay record gallery` records one with a folder \
                of pictures
                """
        }
        if isParquet {
            return """
                the file is Parquet; the Python package cachereplay reads it (`cachereplay.parquet`), or convert it to \
                CSV with the columns time, key and size
                """
        }
        if let archive {
            return """
                the file is a \(archive) archive, and one trace is expected here; extract it and name the file that \
                holds the trace
                """
        }
        if hasOtherLineEnds {
            return "lines end with a carriage return alone; write them with line feeds: tr '\\r' '\\n' <FILE >NEWFILE"
        }
        return nil
    }

    /// Whether the file is a recording of a session replay product, as far as its words tell.
    var isSessionReplay: Bool {
        guard firstVisible == UInt8(ascii: "{") || firstVisible == UInt8(ascii: "[") else { return false }
        let isOfEvents = contains("\"timestamp\"") && contains("\"type\"") && contains("\"data\"")
        let words: [StaticString] = [
            "\"wireframes\"", "\"rrweb/network@1\"", "\"tag\"", "\"source\"", "\"href\"", "\"has_full_snapshot\"",
        ]
        return isOfEvents && words.contains { contains($0) } || hasEnding([".rrweb.json"])
    }

    /// Whether the head has bytes that no text has.
    var isBinary: Bool { bytes.contains { $0 < 9 || (14..<32).contains($0) && $0 != 27 } }

    /// The name of the encoding, if the head has the mark of UTF-16, or is ASCII text in it without a mark: in each of
    /// the first 32 pairs of bytes, the same byte is 0 and the other one a character.
    private var utf16: String? {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        let units = Array(bytes.prefix(64))
        guard units.count >= 16 else { return nil }
        func isText(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) || [0x09, 0x0A, 0x0D].contains(byte) }
        func isZero(_ zero: Int) -> Bool {
            stride(from: 0, to: units.count - 1, by: 2).allSatisfy {
                units[$0 + zero] == 0 && isText(units[$0 + 1 - zero])
            }
        }
        return isZero(1) ? "UTF-16LE" : isZero(0) ? "UTF-16BE" : nil
    }

    /// <https://parquet.apache.org/docs/file-format/>
    private var isParquet: Bool { bytes.starts(with: Array("PAR1".utf8)) }

    /// The kind of archive that the first entry names: a local file header of zip (APPNOTE 4.3.7), or the mark of POSIX
    /// tar at byte 257.
    private var archive: String? {
        if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) { return "zip" }
        return bytes.dropFirst(257).starts(with: Array("ustar".utf8)) && bytes.contains(0) ? "tar" : nil
    }

    /// Whether the head is text with carriage returns between lines, and without line feeds. JSON may have both.
    private var hasOtherLineEnds: Bool {
        guard let place = bytes.firstIndex(of: 0x0D), !bytes.contains(0x0A), bytes[place...].count > 1 else {
            return false
        }
        return !isBinary && firstVisible != UInt8(ascii: "{") && firstVisible != UInt8(ascii: "[")
    }
}
