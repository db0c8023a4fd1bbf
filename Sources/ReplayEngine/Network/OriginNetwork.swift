import Basics
import CacheTiers

/// The network as virtual lanes use it: one fetch at a time, which takes the time that it reports. The lanes add the
/// recorded latency.
protocol ReplayNetwork {
    associatedtype Body

    /// Makes what later fetches share, such as a connection. The cost of that is not the cache's.
    mutating func begin()

    /// Fetches the cell's object from an origin that answers with `status`.
    mutating func fetch(_ cell: Cell, status: Int) throws -> Answer<Body>
}

/// The network of modelled timing: a fetch succeeds or fails as the recording says, and takes no time of its own.
struct ModelledNetwork: ReplayNetwork {
    let images: ImageSizes

    func begin() {}

    func fetch(_ cell: Cell, status: Int) -> Answer<Int> {
        let succeeded = (200..<300).contains(status)
        return Answer(
            found: succeeded ? .hit : .miss, body: succeeded ? cell.object : nil, duration: 0,
            bytes: succeeded ? images.encoded[cell.object] : 0)
    }
}

/// The network of measured timing: libcurl fetches from the loopback origin. It belongs to one thread.
struct OriginNetwork: ReplayNetwork {
    private let tiers: RealTiers
    private let curl: CurlOrigin
    private let origin: String

    /// - Parameter origin: The address under which the loopback origin serves objects by number.
    init(_ tiers: RealTiers, origin: String) throws {
        self.tiers = tiers
        self.origin = origin
        curl = try CurlOrigin()
    }

    func begin() {
        // The first transfer allocates what libcurl keeps for later ones. The origin has no such object, and counts
        // nothing.
        _ = curl.fetch("\(origin)/warm-up")
    }

    func fetch(_ cell: Cell, status: Int) throws -> Answer<ReplayBody> {
        let (response, duration) = MonotonicClock.timing { curl.fetch("\(origin)/\(cell.object)?status=\(status)") }
        return try tiers.answer(cell, response, duration)
    }
}
