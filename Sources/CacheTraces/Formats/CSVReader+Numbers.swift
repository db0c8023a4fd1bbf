extension CSVReader {
    /// Reads rows as long as they are plain: no quotes, time and size in digits alone, the key a number as ``String`` would write it.
    /// Stops at the first row that is not, or at the end of the bytes.
    ///
    /// `unit` is the microseconds in one of the file's. Large files are of that kind. A row costs one walk over its bytes, and its key no comparison of text.
    static func readPlainRows(
        _ bytes: UnsafeRawBufferPointer, from start: Int, delimiter: UInt8, columns: CSVColumns, unit: Int64,
        _ requests: inout Requests, _ ids: inout NumberTable
    ) -> (end: Int, rows: Int) {
        guard let timeColumn = columns.time, let base = bytes.baseAddress, delimiter &- 0x30 >= 10 else { return (start, 0) }
        let timeLimit = UInt64(TraceLimits.time / unit)
        let sizeColumn = columns.size ?? -1
        let last = max(columns.key, timeColumn, sizeColumn)
        var batch = NumberedBatch()
        var position = start
        var rows = 0
        // Invariant: `position` and `place` are within `0...bytes.count`; every read of `base` is below `bytes.count`.
        reading: while position < bytes.count {
            var place = position
            var column = 0
            var key: UInt64 = 0
            var time: UInt64 = 0
            var size = Requests.unknownSize
            row: while true {
                if column > last {
                    // The rest of the row is only looked through for its end.
                    while place < bytes.count {
                        let byte = base.load(fromByteOffset: place, as: UInt8.self)
                        if byte == 0x22 { break reading }
                        if byte == 0x0A { break row }
                        place += 1
                    }
                    break row
                }
                let isUsed = column == columns.key || column == timeColumn || column == sizeColumn
                let fieldStart = place
                var value: UInt64 = 0
                var end: UInt8 = 0x0A
                while place < bytes.count {
                    let byte = base.load(fromByteOffset: place, as: UInt8.self)
                    let digit = byte &- 0x30
                    if digit < 10 {
                        value = value &* 10 &+ UInt64(digit)
                    } else if byte == delimiter || byte == 0x0A {
                        end = byte
                        break
                    } else if byte == 0x0D, place + 1 == bytes.count || base.load(fromByteOffset: place + 1, as: UInt8.self) == 0x0A {
                        end = 0x0D
                        break
                    } else if isUsed || byte == 0x22 {
                        break reading
                    }
                    place += 1
                }
                let length = place - fieldStart
                if isUsed {
                    // 18 digits cannot overflow.
                    guard length <= 18 else { break reading }
                    if column == columns.key {
                        guard length > 0, length == 1 || base.load(fromByteOffset: fieldStart, as: UInt8.self) != 0x30 else { break reading }
                        key = value
                    } else if column == timeColumn {
                        guard length > 0, value <= timeLimit else { break reading }
                        time = value
                    } else if length > 0 {
                        guard value <= UInt64(TraceLimits.bytes) else { break reading }
                        size = Int(value)
                    }
                }
                if end == 0x0D { place += 1 }
                if end != delimiter || place == bytes.count {
                    // A row that lacks a column that is needed is another reader's to refuse.
                    guard column >= columns.key, column >= timeColumn else { break reading }
                    break row
                }
                place += 1
                column += 1
            }
            batch.append(key, at: Int64(time) * unit, bytes: size)
            if batch.isFull { requests.append(&batch, numbering: &ids) }
            rows += 1
            position = place < bytes.count ? place + 1 : place
        }
        requests.append(&batch, numbering: &ids)
        return (position, rows)
    }
}
