import SessionModel

/// What operations take in modelled timing. Durations are in nanoseconds, rates in bytes or pixels per second; a rate
/// of `Int64.max` takes no time.
///
/// The standard costs are round figures of the order that a phone of 2023 shows. They do not depend on the machine, and
/// that is their purpose: continuous integration compares like with like. The page "Durations of modelled timing" has
/// the source and the measured range of each. ``Constant/all`` names the constants in files of costs.
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

    public var jpegDecode = DecodeCost()
    public var pngDecode = DecodeCost()
    public var webpDecode = DecodeCost()

    /// Pixels per second.
    public var jpegEncodeRate: Int64 = 50_000_000
    public var pngEncodeRate: Int64 = 50_000_000

    public static let standard = CostModel()

    /// Nothing takes time, the network neither: what a simulation assumes. A replay then has the hits of the
    /// simulation.
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
        (jpegDecode, pngDecode, webpDecode) = (.none, .none, .none)
        jpegEncodeRate = .max
        pngEncodeRate = .max
    }

    /// Whether recorded network latency counts.
    var countsNetwork: Bool { self != .instant }

    func reading(_ bytes: Int) -> Int64 { diskRead + Self.time(bytes, at: diskReadRate) }

    func writing(_ bytes: Int) -> Int64 { diskWrite + Self.time(bytes, at: diskWriteRate) }

    package func decoding(_ format: ImageFormat, pixels: Int, bytes: Int) -> Int64 {
        let cost =
            switch format {
            case .jpeg: jpegDecode
            case .png: pngDecode
            case .webp: webpDecode
            }
        return cost.fixed + Self.time(pixels, at: cost.pixelRate) + Self.time(bytes, at: cost.byteRate)
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

/// What decoding an image of one format takes: a fixed time, a time for each pixel (transforms, colours), and a time
/// for each encoded byte (entropy coding).
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

    init() {}

    static let none = {
        var cost = DecodeCost()
        cost.pixelRate = .max
        return cost
    }()
}
