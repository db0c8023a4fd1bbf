import Basics
import SessionModel

/// The durations of operations in modelled timing, and the bytes that a cancelled transfer still brings.
///
/// Durations are in nanoseconds, rates in bytes or pixels per second; a rate of `Int64.max` takes no time.
///
/// The standard costs are round figures of the order that a phone of 2023 shows. They do not depend on the machine, and
/// that is their purpose: continuous integration compares like with like. ``Constant/all`` names the constants in files
/// of costs, with the ``Source`` of each standard cost. The page "Durations of modelled timing" has what was measured.
public struct CostModel: Codable, Sendable, Hashable {
    public var memoryLookup: Int64 = 1_000
    public var memoryStore: Int64 = 2_000
    /// The look into the disk tier's index, without a read.
    public var diskLookup: Int64 = 5_000
    /// Beside the lookup and the bytes: a random read of flash storage.
    public var diskRead: Int64 = 100_000
    public var diskReadRate: Int64 = 1_000_000_000
    public var diskWrite: Int64 = 200_000
    public var diskWriteRate: Int64 = 500_000_000

    /// Assumed, as for PNG and WebP: no published rate of a phone was found.
    public var jpegDecode = DecodeCost()
    public var pngDecode = DecodeCost()
    public var webpDecode = DecodeCost()
    /// Derived: a phone of 2018 decoded 24 to 26 megapixels per second, and dav1d decodes at about a fifth of the rate
    /// of libjpeg-turbo.
    public var avifDecode = DecodeCost(pixelRate: 25_000_000)
    /// Assumed to equal the cost of JPEG: iPhones decode HEIC in hardware, and no published rate of it was found.
    public var heicDecode = DecodeCost()

    /// Pixels per second.
    public var jpegEncodeRate: Int64 = 50_000_000
    public var pngEncodeRate: Int64 = 50_000_000

    /// The bytes on their way when a transfer is cancelled after its first byte. They arrive, and count as fetched,
    /// but take nothing from a shared link; at most the rest of the body.
    public var inFlightBytes: Int64 = 0

    public static let standard = CostModel()

    /// No operation takes time, and the network takes none either, as in a simulation. A replay then has the hits of
    /// the simulation.
    public static let instant = CostModel(nothing: ())

    init() {}

    private init(nothing: Void) {
        memoryLookup = 0
        memoryStore = 0
        diskLookup = 0
        diskRead = 0
        diskWrite = 0
        diskReadRate = .max
        diskWriteRate = .max
        (jpegDecode, pngDecode, webpDecode, avifDecode, heicDecode) = (.none, .none, .none, .none, .none)
        jpegEncodeRate = .max
        pngEncodeRate = .max
    }

    /// Whether recorded network latency counts.
    var countsNetwork: Bool { self != .instant }

    func reading(_ bytes: Int) -> Int64 { diskRead + Self.time(bytes, at: diskReadRate) }

    func writing(_ bytes: Int) -> Int64 { diskWrite + Self.time(bytes, at: diskWriteRate) }

    /// Returns the duration of decoding an image. JPEG's costs stand for an unknown content type, and for formats
    /// without costs of their own.
    package func decoding(_ contentType: String?, pixels: Int, bytes: Int) -> Int64 {
        Self.time(decodeCost(contentType?.lowercased() ?? ""), pixels, bytes)
    }

    /// Returns the duration of decoding a file that a cache has encoded, in nanoseconds.
    ///
    /// - Parameter format: JPEG or PNG; no cache writes WebP.
    func decoding(_ format: ImageFormat, pixels: Int, bytes: Int) -> Int64 {
        Self.time(format == .jpeg ? jpegDecode : pngDecode, pixels, bytes)
    }

    private static func time(_ cost: DecodeCost, _ pixels: Int, _ bytes: Int) -> Int64 {
        cost.fixed + time(pixels, at: cost.pixelRate) + time(bytes, at: cost.byteRate)
    }

    private func decodeCost(_ type: String) -> DecodeCost {
        if type.hasPrefix("image/png") { return pngDecode }
        if type.hasPrefix("image/webp") { return webpDecode }
        if type.hasPrefix("image/avif") { return avifDecode }
        return type.hasPrefix("image/heic") || type.hasPrefix("image/heif") ? heicDecode : jpegDecode
    }

    /// - Parameter format: JPEG or PNG; no cache writes WebP.
    func encoding(_ format: ImageFormat, pixels: Int) -> Int64 {
        Self.time(pixels, at: format == .jpeg ? jpegEncodeRate : pngEncodeRate)
    }

    /// The longest time of one operation, in nanoseconds: 11 days. Sums over a replay then do not overflow.
    private static let longest = 1e15

    private static func time(_ amount: Int, at rate: Int64) -> Int64 {
        rate == .max ? 0 : Int64(min(Double(amount) * 1e9 / Double(rate), longest))
    }
}

/// The duration of decoding an image of one format: a fixed time, a time for each pixel (transforms, colours), and a
/// time for each encoded byte (entropy coding).
///
/// The standard costs have only the time for each pixel. Measurements need all three: with the same number of pixels, a
/// JPEG of 3 bits per pixel took three times as long as one of 0.6.
public struct DecodeCost: Codable, Sendable, Hashable {
    /// Nanoseconds.
    public var fixed: Int64 = 0
    /// Pixels per second.
    public var pixelRate: Int64 = 100_000_000
    /// Encoded bytes per second.
    public var byteRate: Int64 = .max

    init(pixelRate: Int64 = 100_000_000) { self.pixelRate = pixelRate }

    static let none = DecodeCost(pixelRate: .max)
}

extension CostModel {
    /// How a standard cost is known.
    public struct Source: Sendable, Equatable {
        /// "derived", from figures of others, or "assumed", where none was found.
        public let certainty: String
        /// The figures that the cost follows from, or why it is assumed; a sentence without its full stop.
        public let text: String

        private static func assumed(_ text: String) -> Source { Source(certainty: "assumed", text: text) }

        private static func derived(_ text: String) -> Source { Source(certainty: "derived", text: text) }

        static let memory = assumed(
            """
            a round figure; an app's cache adds locks, hashes of URLs, and calls of Objective-C or Java to what the \
            tiers of this project take
            """)
        static let diskLookup = assumed("a round figure, for an index in memory")
        static let diskRead = assumed(
            """
            a round figure for one random read of flash storage: sensing the cells, the controller, and the system's \
            block layer; vendors publish operations per second with many requests queued, which is not the latency of \
            one request
            """)
        static let diskRates = derived(
            """
            between two generations of storage for phones: Samsung's eUFS 2.1 of 2019 reads 1,000 MB/s and writes \
            260 MB/s in sequence, its eUFS 3.1 of 2020 reads 2,100 MB/s and writes 1,200 MB/s (the vendor's figures, \
            in Liliputing, March 2020)
            """)
        static let diskWrite = assumed("a round figure, twice a read, because a file is created and renamed")
        static let decode = assumed("a round figure; no published rate of decoding on a phone was found")
        static let avifDecode = derived(
            """
            a Snapdragon 845 of 2018 decoded 1920 x 1080 pixels in 87 ms and 2560 x 1600 in 157 ms on average, which \
            is 24 and 26 MP/s (a user's measurement in issue 1295 of libavif); on a server, dav1d had 0.14 to 0.34 of \
            the rate of libjpeg-turbo
            """)
        static let heicDecode = assumed(
            """
            what JPEG costs, because iPhones decode HEIC in hardware, and no published rate of it was found; a decoder \
            in software, libde265, had 8 to 24 MP/s on a server, which does not stand for it
            """)
        static let noTime = assumed("the standard costs have all time of decoding in the rate of the pixels")
        static let encode = assumed("a round figure, half of the rate of decoding")
        static let inFlight = assumed(
            """
            no published figure was found; a server can have as much under way as the rate of the link times a round \
            trip, and the device receives it before the server hears of the cancellation
            """)
    }
}

extension CostModel {
    /// A constant of the cost model as files of costs name it. ``all`` is the only list: the parser, the canonical
    /// text, `calibrate` and the documentation derive from it.
    public struct Constant: Sendable {
        public let name: String
        public let unit: Unit
        public let meaning: String
        public let source: Source
        let path: WritableKeyPath<CostModel, Int64> & Sendable

        public enum Unit: Sendable {
            case duration
            case byteRate
            case pixelRate
            case bytes
        }

        /// Returns the value of the constant in a cost model: nanoseconds, bytes, or bytes or pixels per second.
        public func value(in costs: CostModel) -> Int64 { costs[keyPath: path] }

        public func set(_ value: Int64, in costs: inout CostModel) { costs[keyPath: path] = value }

        public static let all: [Constant] = [
            Constant("memory_lookup", .duration, "a lookup in memory, hit or miss", .memory, \.memoryLookup),
            Constant("memory_store", .duration, "a store in memory", .memory, \.memoryStore),
            Constant(
                "disk_lookup", .duration, "a look into the disk tier's index, hit or miss", .diskLookup, \.diskLookup),
            Constant("disk_read", .duration, "a read of a file, beside its bytes", .diskRead, \.diskRead),
            Constant("disk_read_rate", .byteRate, "the bytes of a read", .diskRates, \.diskReadRate),
            Constant("disk_write", .duration, "a write of a file, beside its bytes", .diskWrite, \.diskWrite),
            Constant("disk_write_rate", .byteRate, "the bytes of a write", .diskRates, \.diskWriteRate),
            Constant(
                "jpeg_decode", .duration, "decoding a JPEG, beside its pixels and bytes", .noTime, \.jpegDecode.fixed),
            Constant("jpeg_decode_rate", .pixelRate, "the pixels of a JPEG", .decode, \.jpegDecode.pixelRate),
            Constant("jpeg_decode_byte_rate", .byteRate, "the encoded bytes of a JPEG", .noTime, \.jpegDecode.byteRate),
            Constant(
                "png_decode", .duration, "decoding a PNG, beside its pixels and bytes", .noTime, \.pngDecode.fixed),
            Constant("png_decode_rate", .pixelRate, "the pixels of a PNG", .decode, \.pngDecode.pixelRate),
            Constant("png_decode_byte_rate", .byteRate, "the encoded bytes of a PNG", .noTime, \.pngDecode.byteRate),
            Constant(
                "webp_decode", .duration, "decoding a WebP, beside its pixels and bytes", .noTime, \.webpDecode.fixed),
            Constant("webp_decode_rate", .pixelRate, "the pixels of a WebP", .decode, \.webpDecode.pixelRate),
            Constant("webp_decode_byte_rate", .byteRate, "the encoded bytes of a WebP", .noTime, \.webpDecode.byteRate),
            Constant(
                "avif_decode", .duration, "decoding an AVIF, beside its pixels and bytes", .noTime, \.avifDecode.fixed),
            Constant("avif_decode_rate", .pixelRate, "the pixels of an AVIF", .avifDecode, \.avifDecode.pixelRate),
            Constant(
                "avif_decode_byte_rate", .byteRate, "the encoded bytes of an AVIF", .noTime, \.avifDecode.byteRate),
            Constant(
                "heic_decode", .duration, "decoding a HEIC, beside its pixels and bytes", .noTime, \.heicDecode.fixed),
            Constant("heic_decode_rate", .pixelRate, "the pixels of a HEIC", .heicDecode, \.heicDecode.pixelRate),
            Constant("heic_decode_byte_rate", .byteRate, "the encoded bytes of a HEIC", .noTime, \.heicDecode.byteRate),
            Constant(
                "jpeg_encode_rate", .pixelRate, "the pixels of an image encoded as JPEG", .encode, \.jpegEncodeRate),
            Constant("png_encode_rate", .pixelRate, "the pixels of an image encoded as PNG", .encode, \.pngEncodeRate),
            Constant(
                "in_flight_bytes", .bytes, "no time: what still arrives of a transfer cancelled after its first byte",
                .inFlight, \.inFlightBytes),
        ]

        public static func named(_ name: String) -> Constant? { all.first { $0.name == name } }

        init(
            _ name: String, _ unit: Unit, _ meaning: String, _ source: Source,
            _ path: WritableKeyPath<CostModel, Int64> & Sendable
        ) {
            self.name = name
            self.unit = unit
            self.meaning = meaning
            self.source = source
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
        case .bytes: "a size such as 64kB, of at most 1TB"
        }
    }

    private var isRate: Bool { self == .byteRate || self == .pixelRate }

    /// Parses a value.
    ///
    /// - Returns: Nanoseconds, bytes, or bytes or pixels per second; `Int64.max` for a rate of `none`.
    /// - Throws: A `QuantityError` with the expectation, for a text without a unit, with a unit of something else, and
    ///   for a number that is negative, not finite, or out of range.
    public func value(_ text: String) throws(QuantityError) -> Int64 {
        if isRate, text == "none" { return .max }
        let (number, unit) = try Quantity.split(text, expected: expectation)
        guard let factor = units.first(where: { $0.name == unit })?.factor else {
            let names = units.map(\.name).joined(separator: ", ")
            throw QuantityError(
                unit.isEmpty
                    ? "'\(text)' has no unit (\(names)): expected \(expectation)"
                    : "'\(text)': the unit is one of \(names), not '\(unit)': expected \(expectation)")
        }
        let value = (number * factor).rounded()
        guard isRate ? (1e3...1e18).contains(value) : value <= (self == .bytes ? 1e12 : 60e9) else {
            throw QuantityError("'\(text)' is out of range: expected \(expectation)")
        }
        return Int64(value)
    }

    /// Returns the text of a value. It parses as the same value.
    public func text(_ value: Int64) -> String {
        if isRate, value == .max { return "none" }
        let unit = units.last { Double(value) >= $0.factor } ?? units[0]
        let text = "\(Quantity.plain(Double(value) / unit.factor))\(unit.name)"
        // A number with too many digits for its unit is written in the smallest unit.
        return (try? self.value(text)) == value ? text : "\(value)\(units[0].name)"
    }

    /// In ascending order, with factors to nanoseconds, to bytes, or to bytes or pixels per second.
    private var units: [(name: String, factor: Double)] {
        switch self {
        case .duration: [("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)]
        case .byteRate: [("B/s", 1), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9)]
        case .pixelRate: [("P/s", 1), ("kP/s", 1e3), ("MP/s", 1e6), ("GP/s", 1e9)]
        case .bytes: [("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)]
        }
    }
}
