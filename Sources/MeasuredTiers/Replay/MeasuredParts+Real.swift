import Basics
import CacheTiers
import CacheTraces
import ReplayEngine
import SessionModel

extension MeasuredParts {
    /// Real memory, files and connections, and child processes.
    public static let real = MeasuredParts(
        startProgram: { try OwnProgram($0, keys: $1) },
        measure: { try $0.measure($1) })
}

extension PreparedRun {
    fileprivate func measure(_ progress: (_ events: Int) throws -> Void) throws -> FinishedReplay {
        let kept = try job.bodies.map { try BodyIndex(folder: $0).bodies(of: trace) }
        let tiers = try RealTiers(
            objects, checks: PayloadCheck.checks(trace, kept), standIns: standIns(for: kept), memory: memoryPolicy(),
            disk: diskPolicy(), folder: job.folder ?? "")
        if let recorder { tiers.keepJournals(for: recorder) }
        let clock = ContinuousClock()
        let start = clock.now
        var replayed = try replay(on: tiers, OriginNetwork(tiers, origin: job.origin ?? ""), progress)
        replayed.result.machine?.wallTime = (clock.now - start).nanoseconds
        replayed.delivered.kept = kept.map { $0.count { $0 != nil } }
        if let decoded = tiers.decodedCounts {
            (replayed.delivered.decoded, replayed.delivered.generated) = (decoded.kept, decoded.generated)
            replayed.delivered.modelled = decoded.modelled
        }
        replayed.delivered.assumedFiles = tiers.assumedFileCount
        return replayed
    }

    /// Returns the images that are decoded in place of bodies that were not kept; nil if images are not decoded.
    private func standIns(for kept: [BodyIndex.Entry?]?) -> StandInImages? {
        guard job.decode else { return nil }
        let needed = trace.shownObjects().enumerated().map { $1 && kept?[$0] == nil }
        return StandInImages.shared(job.standInsFile, trace, objects.images, needed: needed)
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

    func fetch(
        _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<MeasuredBody> {
        let url = "\(origin)/\(imageKey.object)?\(sample.originQuery)"
        let fields = conditions.map { (name: $0.name, value: $0.value) }
        let (response, duration) = MonotonicClock.timing { curl.fetch(url, fields: fields) }
        return try tiers.answer(imageKey, response, duration)
    }
}
