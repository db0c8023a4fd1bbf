import SessionModel

/// The network and the server of a generated session, which determine the outcome and the times of each fetch.
struct SyntheticNetwork {
    private let profile: NetworkProfile
    /// The share of fetches that fail with a server error.
    private let serverErrors: Double
    private var random: RandomStream
    /// The time at which each connection becomes free, in microseconds.
    private var free: [Int64]

    init(_ profile: NetworkProfile, connections: Int, serverErrors: Double, seed: UInt64) {
        self.profile = profile
        self.serverErrors = serverErrors
        random = RandomStream(seed: seed, name: "network")
        free = [Int64](repeating: 0, count: connections)
    }

    struct Response {
        /// The time at which the request was sent: at once, or when a connection became free.
        var sent: Int64
        var fetch: Fetch
        var ended: Int64
    }

    mutating func fetch(_ body: (bytes: Int, isMissing: Bool), at now: Int64) -> Response {
        let place = free.indices.min { free[$0] < free[$1] } ?? 0
        let sent = max(now, free[place])
        let busy = 1 + free.count { $0 > sent }
        let response = response(body, sent: sent, sharing: busy)
        free[place] = response.ended
        return response
    }

    /// Closes all connections, when the app is terminated.
    mutating func closeConnections(at now: Int64) {
        for index in free.indices { free[index] = min(free[index], now) }
    }

    private mutating func response(_ body: (bytes: Int, isMissing: Bool), sent: Int64, sharing busy: Int) -> Response {
        var firstByte = random.logNormal(median: profile.firstByte, spread: profile.firstByteSpread)
        if random.chance(profile.stallChance) { firstByte += random.uniform(profile.stall) }
        let bandwidth = random.logNormal(median: profile.bandwidth, spread: profile.bandwidthSpread) / Double(busy)
        let isError = random.chance(serverErrors)
        let (status, bytes) = body.isMissing ? (404, 153) : isError ? (500, 170) : (200, body.bytes)
        let (first, transfer) = (microseconds(firstByte), microseconds(Double(bytes) / bandwidth))
        var fetch = Fetch(status: status, bytes: bytes, timeToFirstByte: first, transferTime: transfer)
        fetch.networkProtocol = .http1
        return Response(sent: sent, fetch: fetch, ended: sent + first + transfer)
    }
}

/// The properties of a network. The figures of the profiles are chosen to be plausible, not measured.
public struct NetworkProfile: Sendable, Equatable {
    public var name: String
    /// The median seconds from the request to the first byte (log-normal).
    public var firstByte: Double
    /// The standard deviation of the logarithm of the time to the first byte.
    public var firstByteSpread: Double
    /// The median bytes per second (log-normal, drawn for each fetch), which the fetches in flight share.
    public var bandwidth: Double
    /// The standard deviation of the logarithm of the bandwidth.
    public var bandwidthSpread: Double
    /// The share of fetches that stall, such as when a radio wakes up or a packet is lost.
    public var stallChance: Double
    /// The range of the additional seconds of a fetch that stalls.
    public var stall: ClosedRange<Double>

    /// A wireless local network.
    public static let wifi = NetworkProfile(
        name: "wifi", firstByte: 0.025, firstByteSpread: 0.4, bandwidth: 8e6, bandwidthSpread: 0.3, stallChance: 0.005,
        stall: 0.05...0.3)
    /// A fourth-generation mobile network.
    public static let lte = NetworkProfile(
        name: "lte", firstByte: 0.065, firstByteSpread: 0.35, bandwidth: 3e6, bandwidthSpread: 0.4, stallChance: 0.02,
        stall: 0.2...0.9)
    /// A third-generation mobile network.
    public static let threeG = NetworkProfile(
        name: "3g", firstByte: 0.22, firstByteSpread: 0.5, bandwidth: 2.5e5, bandwidthSpread: 0.5, stallChance: 0.05,
        stall: 0.5...3)

    /// All profiles.
    public static let all = [wifi, lte, threeG]
}
