import SessionModel

/// The network and the server of a made-up session: how each fetch goes.
struct SyntheticNetwork {
    private let model: SynthesisModel
    private var random: RandomStream
    private var spells: RandomStream
    /// When each connection is free again, in microseconds.
    private var free: [Int64]
    /// The spell without network that is on or comes next.
    private var offline: Range<Int64>

    /// How long it takes until a request fails when there is no network.
    private static let failure: Int64 = 50_000

    init(_ model: SynthesisModel) {
        self.model = model
        random = RandomStream(seed: model.seed, name: "network")
        spells = RandomStream(seed: model.seed, name: "offline")
        free = [Int64](repeating: 0, count: model.connections)
        offline = .max..<Int64.max
        if model.offlineEvery != nil { offline = nextSpell(after: 0) }
    }

    struct Answer {
        /// When the request was sent: at once, or when a connection became free.
        var sent: Int64
        var fetch: Fetch
        var ended: Int64
    }

    mutating func fetch(_ body: (bytes: Int, isMissing: Bool), at now: Int64) -> Answer {
        let place = free.indices.min { free[$0] < free[$1] } ?? 0
        let sent = max(now, free[place])
        let busy = 1 + free.count { $0 > sent }
        let answer = answer(body, sent: sent, sharing: busy)
        free[place] = answer.ended
        return answer
    }

    /// A terminated app has no connections.
    mutating func closeConnections(at now: Int64) {
        for index in free.indices { free[index] = min(free[index], now) }
    }

    private mutating func answer(_ body: (bytes: Int, isMissing: Bool), sent: Int64, sharing busy: Int) -> Answer {
        let profile = model.network
        var firstByte = random.logNormal(median: profile.firstByte, spread: profile.firstByteSpread)
        if random.chance(profile.stallChance) { firstByte += random.uniform(profile.stall) }
        let bandwidth = random.logNormal(median: profile.bandwidth, spread: profile.bandwidthSpread) / Double(busy)
        let isError = random.chance(model.serverErrors)
        let (status, bytes) = body.isMissing ? (404, 153) : isError ? (500, 170) : (200, body.bytes)
        let (first, transfer) = (Int64((firstByte * 1e6).rounded()), Int64((Double(bytes) / bandwidth * 1e6).rounded()))
        let ended = sent + first + transfer
        while let every = model.offlineEvery, every > 0, offline.upperBound <= sent {
            offline = nextSpell(after: offline.upperBound)
        }
        if offline.lowerBound < ended {
            return Answer(sent: sent, fetch: Fetch(status: 0), ended: max(sent, offline.lowerBound) + Self.failure)
        }
        return Answer(
            sent: sent, fetch: Fetch(status: status, bytes: bytes, timeToFirstByte: first, transferTime: transfer),
            ended: ended)
    }

    private mutating func nextSpell(after time: Int64) -> Range<Int64> {
        let begin = time + Int64(spells.exponential(mean: (model.offlineEvery ?? 0) * 1e6).rounded())
        let length = Int64((spells.logNormal(median: model.offlineLength, spread: 0.5) * 1e6).rounded())
        return begin..<begin + max(1, length)
    }
}
