import SessionModel

/// The size of each object of a trace in its several forms, in bytes, indexed by `ObjectID`.
///
/// A trace records encoded bytes, and often pixel sizes and content types. What is missing is assumed, and counted:
/// - decoded, if the pixel size is unknown: ``assumedDecodedFactor`` times the encoded bytes;
/// - encoded again, unless a replay encodes: as JPEG of quality 1.0 ``jpegFactor`` times, as PNG ``pngFactor`` times
///   the encoded bytes, and not more than the bitmap.
///
/// The last two factors are medians over 24 photographs, of full size and of a quarter, that were encoded as JPEG of
/// quality 80, decoded, and encoded again by libjpeg-turbo 2.1.5 (4:4:4) and libpng 1.6.39: from 2.4 to 6.6 times, and
/// from 4.4 to 10.8. The encoded size predicts them better than the number of pixels.
public struct ImageSizes: Sendable {
    public let encoded: [Int]
    public let decoded: [Int]
    /// Objects whose pixel size was assumed.
    public let assumedCount: Int
    private let contentTypes: [String?]

    /// A photograph of 4 bytes a pixel decoded and a third of a byte encoded: usual for JPEG of quality 0.75 to 0.8.
    public static let assumedDecodedFactor = 12
    public static let jpegFactor = 4.7
    public static let pngFactor = 8.2

    public init(_ trace: Trace, sizes: ResolvedSizes) {
        encoded = sizes.bytes
        var assumed = 0
        decoded = zip(trace.objects, sizes.bytes).map { object, bytes in
            if let width = object.pixelWidth, let height = object.pixelHeight, let pixels = Self.product(width, height),
                pixels > 0
            {
                return 4 * pixels
            }
            assumed += 1
            return bytes.multipliedReportingOverflow(by: Self.assumedDecodedFactor).overflow
                ? bytes : bytes * Self.assumedDecodedFactor
        }
        assumedCount = assumed
        contentTypes = trace.objects.map(\.contentType)
    }

    /// - Parameter decoded: The real size of the bitmap, if there is one.
    func cost(_ object: Int, _ cost: ObjectCost, decoded: Int? = nil) -> Int {
        switch cost {
        case .encoded, .file: encoded[object]
        case .decoded: decoded ?? self.decoded[object]
        case .encodedAndDecoded: encoded[object] + (decoded ?? self.decoded[object])
        case .none: 0
        }
    }

    func held(_ object: Int, _ form: HeldForm) -> Int {
        switch form {
        case .encoded: encoded[object]
        case .decoded: decoded[object]
        }
    }

    /// Whether the object is an image: false if the recording has another content type.
    func isImage(_ object: Int) -> Bool { contentTypes[object].map { $0.lowercased().hasPrefix("image/") } ?? true }

    /// What a file of the object is long.
    func written(_ object: Int, _ content: DiskContent) -> Int {
        let type = contentTypes[object]?.lowercased() ?? ""
        switch content {
        case .original: return encoded[object]
        case .jpeg: return encodedAgain(object, Self.jpegFactor)
        case .jpegOrPNG where type.hasPrefix("image/png"): return encoded[object]
        case .jpegOrPNG where type.hasPrefix("image/jpeg") || type.isEmpty: return encodedAgain(object, Self.jpegFactor)
        case .jpegOrPNG: return encodedAgain(object, Self.pngFactor)
        }
    }

    private func encodedAgain(_ object: Int, _ factor: Double) -> Int {
        max(encoded[object], Int(min(Double(encoded[object]) * factor, Double(decoded[object]))))
    }

    /// nil where it is beyond what any image has.
    private static func product(_ width: Int, _ height: Int) -> Int? {
        guard width > 0, height > 0, width <= 1 << 20, height <= 1 << 20 else { return nil }
        return width * height
    }
}
