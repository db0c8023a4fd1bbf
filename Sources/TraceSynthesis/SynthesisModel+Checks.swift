/// An error for a parameter that is out of range.
public struct SynthesisError: Error, Sendable, CustomStringConvertible {
    /// The parameter, its value and its range.
    public var description: String
}

extension SynthesisModel {
    /// Checks that all parameters are in range.
    ///
    /// - Throws: ``SynthesisError``, which names the parameter and its range.
    public func check() throws {
        func check(_ name: String, _ value: Double, _ range: ClosedRange<Double>) throws {
            guard range.contains(value) else {
                throw SynthesisError(
                    description:
                        """
                        \(name) is \(Self.plain(value)); expected \(Self.plain(range.lowerBound)) to \
                        \(Self.plain(range.upperBound))
                        """
                )
            }
        }
        try check("requests", Double(requests), 1...1e9)
        try check("pictures", Double(pictures), 1...1e8)
        try check("exponent", exponent, 0...10)
        for (name, images) in [("thumbnail", thumbnails), ("full", fullImages)] {
            try check("\(name) bytes", images.bytes, 1...1e9)
            try check("\(name) spread", images.spread, 0...3)
            try check("\(name) pixels", Double(images.pixels), 1...65_536)
        }
        let chances = [
            ("missing", missing), ("server errors", serverErrors), ("open chance", openChance),
            ("terminate chance", terminateChance),
        ]
        for (name, share) in chances { try check(name, share, 0...1) }
        try check("columns", Double(columns ?? 1), 1...100)
        try check("row height", rowHeight ?? 100, 1...100_000)
        try check("viewport", viewport, 1...100_000)
        try check("width", width, 1...100_000)
        try check("overscan", overscan, 0...100_000)
        try check("prefetch rows", Double(prefetchRows), 0...1_000)
        try check("prefetch speed", prefetchSpeed, 0...1e9)
        try check("deceleration", deceleration, 0.5...0.9999)
        try check("flick speed", flickSpeed, 50...100_000)
        try check("flick spread", flickSpread, 0...2)
        try check("drag", drag, 0.02...10)
        try check("dwell", dwell, 0...3_600)
        try check("dwell spread", dwellSpread, 0...3)
        try check("scroll interval", scrollInterval, 0...60)
        try check("connections", Double(connections), 1...1_000)
        for (name, seconds) in [
            ("offline every", offlineEvery), ("memory warning every", memoryWarningEvery),
            ("background every", backgroundEvery),
        ] {
            try check(name, seconds ?? 1, 0.1...1e7)
        }
        try check("offline length", offlineLength, 0.1...86_400)
        try check("background length", backgroundLength, 0.1...1e7)
        try check("away", away, 0...1e8)
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }
}
