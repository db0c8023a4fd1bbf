import Basics
import CacheTiers

/// The network as virtual lanes use it: one fetch at a time, which takes the time that it reports. The lanes add the
/// recorded latency.
protocol ReplayNetwork {
    associatedtype Body

    /// Makes what later fetches share, such as a connection. The cost of that is not the cache's.
    mutating func begin()

    /// Fetches the cell's object from an origin that answers as `sample` says. The answer has the bytes of body that
    /// crossed the network, also those of a failed or incomplete response.
    mutating func fetch(_ cell: Cell, _ sample: NetworkModel.Sample) throws -> Answer<Body>
}

/// The network of modelled timing: a fetch succeeds or fails as the recording says, and takes no time of its own.
struct ModelledNetwork: ReplayNetwork {
    let images: ImageSizes

    func begin() {}

    func fetch(_ cell: Cell, _ sample: NetworkModel.Sample) -> Answer<Int> {
        let succeeds = sample.succeeds
        return Answer(
            found: succeeds ? .hit : .miss, body: succeeds ? cell.object : nil, duration: 0,
            bytes: succeeds ? images.encoded[cell.object] : sample.failedBytes)
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

    func fetch(_ cell: Cell, _ sample: NetworkModel.Sample) throws -> Answer<ReplayBody> {
        let url = "\(origin)/\(cell.object)?\(sample.originQuery)"
        let (response, duration) = MonotonicClock.timing { curl.fetch(url) }
        return try tiers.answer(cell, response, duration)
    }
}
