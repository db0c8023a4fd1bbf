/// What operations take in modelled timing, in nanoseconds. The figures are round ones of the order that a phone of
/// 2023 shows; they do not depend on the machine, and that is their purpose: CI compares like with like.
public struct CostModel: Codable, Sendable, Hashable {
    public var memoryLookup: Int64 = 1_000
    public var memoryStore: Int64 = 2_000
    /// The look into the disk tier's index.
    public var diskLookup: Int64 = 5_000
    public var diskRead: Int64 = 100_000
    public var diskWrite: Int64 = 200_000
    /// Bytes per second.
    public var diskReadRate: Int64 = 1_000_000_000
    public var diskWriteRate: Int64 = 500_000_000

    /// Pixels per second.
    public var decodeRate: Int64 = 100_000_000
    public var encodeRate: Int64 = 50_000_000

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
        decodeRate = .max
        encodeRate = .max
    }

    /// Whether recorded network latency counts.
    var countsNetwork: Bool { self != .instant }

    func reading(_ bytes: Int) -> Int64 { diskRead + Self.time(bytes, at: diskReadRate) }

    func writing(_ bytes: Int) -> Int64 { diskWrite + Self.time(bytes, at: diskWriteRate) }

    func decoding(_ pixels: Int) -> Int64 { Self.time(pixels, at: decodeRate) }

    func encoding(_ pixels: Int) -> Int64 { Self.time(pixels, at: encodeRate) }

    private static func time(_ amount: Int, at rate: Int64) -> Int64 {
        rate == .max ? 0 : Int64(Double(amount) * 1e9 / Double(rate))
    }
}
