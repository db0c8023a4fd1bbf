#if MeasuredReplays
import Basics
import CacheTiers
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
        let headers = conditions.lines
        let (response, duration) = MonotonicClock.timing { curl.fetch(url, headers: headers) }
        return try tiers.answer(cell, response, duration)
    }
}

extension [HTTPField] {
    /// The fields as lines of a request: `if-none-match: "5f"`.
    var lines: [String] { map { "\($0.name): \($0.value)" } }
}
#endif
