import Basics
import CacheTiers
import ReplayEngine
import SessionModel

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

    func fetch(
        _ cell: Cell, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<ReplayBody> {
        let url = "\(origin)/\(cell.object)?\(sample.originQuery)"
        let fields = conditions.map { (name: $0.name, value: $0.value) }
        let (response, duration) = MonotonicClock.timing { curl.fetch(url, fields: fields) }
        return try tiers.answer(cell, response, duration)
    }
}
