/// What the network is like. The profiles' figures are chosen to be plausible, not measured.
public struct NetworkProfile: Sendable, Equatable {
    public var name: String
    /// Seconds from request to first byte: log-normal.
    public var firstByte: Double
    public var firstByteSpread: Double
    /// Bytes per second, shared by the fetches in flight: log-normal, drawn for each fetch.
    public var bandwidth: Double
    public var bandwidthSpread: Double
    /// The share of fetches that stall, as when a radio wakes up or a packet is lost, for ``stall`` seconds more.
    public var stallChance: Double
    public var stall: ClosedRange<Double>

    public static let wifi = NetworkProfile(
        name: "wifi", firstByte: 0.025, firstByteSpread: 0.4, bandwidth: 8e6, bandwidthSpread: 0.3, stallChance: 0.005,
        stall: 0.05...0.3)
    public static let lte = NetworkProfile(
        name: "lte", firstByte: 0.065, firstByteSpread: 0.35, bandwidth: 3e6, bandwidthSpread: 0.4, stallChance: 0.02,
        stall: 0.2...0.9)
    public static let threeG = NetworkProfile(
        name: "3g", firstByte: 0.22, firstByteSpread: 0.5, bandwidth: 2.5e5, bandwidthSpread: 0.5, stallChance: 0.05,
        stall: 0.5...3)

    public static let all = [wifi, lte, threeG]
}
