import Basics

extension CostModel {
    /// A constant of the cost model as files of costs name it. ``all`` is the only list: the parser, the canonical
    /// text, `calibrate` and the documentation derive from it.
    public struct Constant: Sendable {
        public let name: String
        public let unit: Unit
        /// What takes the time, in words.
        public let meaning: String
        let path: WritableKeyPath<CostModel, Int64> & Sendable

        public enum Unit: Sendable {
            case duration
            case byteRate
            case pixelRate
        }

        /// Returns the value of the constant in a cost model: nanoseconds, or bytes or pixels per second.
        public func value(in costs: CostModel) -> Int64 { costs[keyPath: path] }

        public func set(_ value: Int64, in costs: inout CostModel) { costs[keyPath: path] = value }

        public static let all: [Constant] = [
            Constant("memory_lookup", .duration, "a lookup in memory, hit or miss", \.memoryLookup),
            Constant("memory_store", .duration, "a store in memory", \.memoryStore),
            Constant("disk_lookup", .duration, "a look into the disk tier's index, hit or miss", \.diskLookup),
            Constant("disk_read", .duration, "a read of a file, beside its bytes", \.diskRead),
            Constant("disk_read_rate", .byteRate, "the bytes of a read", \.diskReadRate),
            Constant("disk_write", .duration, "a write of a file, beside its bytes", \.diskWrite),
            Constant("disk_write_rate", .byteRate, "the bytes of a write", \.diskWriteRate),
            Constant("jpeg_decode", .duration, "decoding a JPEG, beside its pixels and bytes", \.jpegDecode.fixed),
            Constant("jpeg_decode_rate", .pixelRate, "the pixels of a JPEG", \.jpegDecode.pixelRate),
            Constant("jpeg_decode_byte_rate", .byteRate, "the encoded bytes of a JPEG", \.jpegDecode.byteRate),
            Constant("png_decode", .duration, "decoding a PNG, beside its pixels and bytes", \.pngDecode.fixed),
            Constant("png_decode_rate", .pixelRate, "the pixels of a PNG", \.pngDecode.pixelRate),
            Constant("png_decode_byte_rate", .byteRate, "the encoded bytes of a PNG", \.pngDecode.byteRate),
            Constant("webp_decode", .duration, "decoding a WebP, beside its pixels and bytes", \.webpDecode.fixed),
            Constant("webp_decode_rate", .pixelRate, "the pixels of a WebP", \.webpDecode.pixelRate),
            Constant("webp_decode_byte_rate", .byteRate, "the encoded bytes of a WebP", \.webpDecode.byteRate),
            Constant("jpeg_encode_rate", .pixelRate, "the pixels of an image encoded as JPEG", \.jpegEncodeRate),
            Constant("png_encode_rate", .pixelRate, "the pixels of an image encoded as PNG", \.pngEncodeRate),
        ]

        public static func named(_ name: String) -> Constant? { all.first { $0.name == name } }

        init(
            _ name: String, _ unit: Unit, _ meaning: String, _ path: WritableKeyPath<CostModel, Int64> & Sendable
        ) {
            self.name = name
            self.unit = unit
            self.meaning = meaning
            self.path = path
        }
    }

    /// The constants that differ from the standard costs, each as `name: value`, in the order of ``Constant/all``.
    public var changes: [String] {
        Constant.all.filter { $0.value(in: self) != $0.value(in: .standard) }.map {
            "\($0.name): \($0.unit.text($0.value(in: self)))"
        }
    }

    /// Every constant as `name: value`, one a line. Equal texts are equal costs, and the text is a file of these costs.
    public var canonical: String {
        Constant.all.map { "\($0.name): \($0.unit.text($0.value(in: self)))\n" }.joined()
    }

    /// The SHA-256 of ``canonical``, in hexadecimal. Comments, order and notation of a file do not change it.
    public var checksum: String { Digest.of(Array(canonical.utf8), .sha256).hexadecimal }
}

extension CostModel.Constant.Unit {
    /// The texts that are accepted, in words.
    public var expectation: String {
        switch self {
        case .duration: "a duration such as 100us or 1.5ms, of at most 60s"
        case .byteRate: "a rate such as 500MB/s or 1.5GB/s, from 1kB/s on, or none if the bytes take no time"
        case .pixelRate:
            "a rate such as 100MP/s (megapixels per second), from 1kP/s on, or none if the pixels take no time"
        }
    }

    /// Parses a value.
    ///
    /// - Returns: Nanoseconds, or bytes or pixels per second; `Int64.max` for a rate of `none`.
    /// - Throws: A `QuantityError` with the expectation, for a text without a unit, with a unit of something else, and
    ///   for a number that is negative, not finite, or out of range.
    public func value(_ text: String) throws(QuantityError) -> Int64 {
        if self != .duration, text == "none" { return .max }
        let (number, unit) = try Quantity.split(text, expected: expectation)
        guard let factor = units.first(where: { $0.name == unit })?.factor else {
            let names = units.map(\.name).joined(separator: ", ")
            throw QuantityError(
                unit.isEmpty
                    ? "'\(text)' has no unit (\(names)): expected \(expectation)"
                    : "'\(text)': the unit is one of \(names), not '\(unit)': expected \(expectation)")
        }
        let value = (number * factor).rounded()
        guard self == .duration ? value <= 60e9 : (1e3...1e18).contains(value) else {
            throw QuantityError("'\(text)' is out of range: expected \(expectation)")
        }
        return Int64(value)
    }

    /// Returns the text of a value. It parses as the same value.
    public func text(_ value: Int64) -> String {
        if self != .duration, value == .max { return "none" }
        let unit = units.last { Double(value) >= $0.factor } ?? units[0]
        let text = "\(Quantity.plain(Double(value) / unit.factor))\(unit.name)"
        // A number with too many digits for its unit is written in the smallest unit.
        return (try? self.value(text)) == value ? text : "\(value)\(units[0].name)"
    }

    /// In ascending order, with factors to nanoseconds, or to bytes or pixels per second.
    private var units: [(name: String, factor: Double)] {
        switch self {
        case .duration: [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
        case .byteRate: [("B/s", 1), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9)]
        case .pixelRate: [("P/s", 1), ("kP/s", 1e3), ("MP/s", 1e6), ("GP/s", 1e9)]
        }
    }
}
