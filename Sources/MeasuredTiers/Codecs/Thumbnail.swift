import CacheTiers

extension Bitmap {
    /// Returns the bitmap in a size whose longer side has at most `side` pixels: each pixel is the mean of those that
    /// it covers. A bitmap that is not larger is returned as it is.
    ///
    /// Complexity: O(*n*) for *n* pixels of this bitmap.
    func reduced(to side: Int) throws(ImageError) -> Bitmap {
        let longest = max(width, height)
        guard longest > side else { return self }
        let (columns, rows) = (max(1, width * side / longest), max(1, height * side / longest))
        let (width, height, source) = (width, height, pixels.bytes)
        return try Bitmap(width: columns, height: rows) { target in
            for row in 0..<rows {
                // Neither range is empty, because both sides are at least as long as the reduced ones.
                let lines = row * height / rows..<(row + 1) * height / rows
                for column in 0..<columns {
                    let points = column * width / columns..<(column + 1) * width / columns
                    var sums: SIMD4<UInt32> = .zero
                    for line in lines {
                        for point in points {
                            let place = 4 * (line * width + point)
                            sums &+= SIMD4(
                                UInt32(source[place]), UInt32(source[place + 1]), UInt32(source[place + 2]),
                                UInt32(source[place + 3]))
                        }
                    }
                    let count = UInt32(lines.count * points.count)
                    let place = 4 * (row * columns + column)
                    for channel in 0..<4 { target[place + channel] = UInt8((sums[channel] + count / 2) / count) }
                }
            }
        }
    }
}

extension ImageCodec {
    /// Returns a small WebP picture of an image, whose longer side has at most `side` pixels.
    ///
    /// - Throws: ``ImageError``, as ``decode(_:)``.
    public static func thumbnail(of bytes: UnsafeRawBufferPointer, side: Int) throws(ImageError) -> Payload {
        try encodeWebP(try decode(bytes).reduced(to: side), quality: 60)
    }
}
