import SessionModel

/// A session, a network and the rules of caches, as a bound on blank time sees them.
struct BlankSession {
    /// The stages that delay a fetch, so that the parts of a bound can be told apart.
    enum Stage {
        /// Until the first byte.
        case firstByte
        /// Until the last byte.
        case transfer
        /// Until the image is decoded. Reads from disk take their time too.
        case image
    }

    private let trace: PreparedTrace
    private let rules: LeastBlankTime.Rules
    let visits: BlankVisits
    private let link: LinkRate?
    /// The largest number of fetches at a time; nil for no limit.
    private let connections: Int?
    /// By object; nil for objects that no cell shows.
    private let delays: [LeastDelay?]
    /// By object.
    private let hosts: [Int]
    /// When the first connection to a host can be open, in nanoseconds; empty where connections may be open already.
    private let openings: [Opening: Int64]
    /// In nanoseconds.
    private let bucket: Int64
    private let bucketCount: Int

    /// The shortest bucket, in nanoseconds. A fetch over 3G takes some ten of them, and one over LTE two or three.
    private static let shortest: Int64 = 40_000_000
    /// The largest number of buckets. Longer sessions have longer ones.
    private static let most: Int64 = 20_000

    /// A host since a launch of the app.
    private struct Opening: Hashable {
        var host: Int
        var launch: Int
    }

    init(_ trace: PreparedTrace, _ rules: LeastBlankTime.Rules, _ network: ReplayJob.Network) {
        self.trace = trace
        self.rules = rules
        let losses = BlankVisits.Losses(
            warnings: rules.warningsClear && !rules.pinsShown, backgrounds: rules.backgroundClears && !rules.pinsShown)
        let visits = BlankVisits(trace.trace, trace.foreground, losses, rules.prefetches)
        self.visits = visits
        var model = trace.network(network, seed: 0)
        link = model.link
        let shown = trace.trace.objects.indices.filter { visits.first[$0] < visits.first[$0 + 1] }
        var delays = [LeastDelay?](repeating: nil, count: trace.trace.objects.count)
        for object in shown { delays[object] = LeastDelay(model.possibleSamples(object)) }
        self.delays = delays
        let most = model.hosts.mostFetches(perHost: rules.connectionsPerHost, of: shown)
        connections = rules.limitsConnections ? [rules.connections, most].compactMap { $0 }.min() : nil
        hosts = model.hosts.numbers
        openings = Self.openings(visits.all + visits.unshown, hosts: model.hosts.numbers, network)
        bucket = max(Self.shortest, visits.end / Self.most + 1)
        bucketCount = Int(visits.end / bucket) + 1
    }

    /// Returns when the first connections can be open: the first request of each host opens one. A recording can begin
    /// with open connections, so that only the connections of a profile are known.
    private static func openings(
        _ visits: [BlankVisits.Visit], hosts: [Int], _ network: ReplayJob.Network
    ) -> [Opening: Int64] {
        guard case .profile(let profile) = network, profile.connect > 0 else { return [:] }
        var openings: [Opening: Int64] = [:]
        for visit in visits {
            let opening = Opening(host: hosts[visit.object], launch: visit.launch)
            openings[opening] = min(openings[opening] ?? .max, visit.appeared + profile.connect)
        }
        return openings
    }

    /// Returns the problem without anything that fetches share.
    ///
    /// - Parameter isLimited: Whether the limit of memory counts.
    func problem(until stage: Stage = .image, isLimited: Bool = true) -> BlankProblem {
        let limit = isLimited ? rules.memoryLimit : nil
        let clock = trace.foreground
        let foreground = (0...bucketCount).map { Double(clock.time(at: Int64($0) * bucket)) }
        var all: [BlankProblem.Visit] = []
        all.reserveCapacity(visits.all.count)
        var objects: [BlankProblem.Object] = []
        for object in delays.indices {
            guard let delay = delays[object] else { continue }
            let first = all.count
            for visit in visits.all[visits.first[object]..<visits.first[object + 1]] {
                all.append(self.visit(visit, delay, stage))
            }
            let size =
                rules.holds.map { trace.images.held(object, $0) }
                ?? min(trace.images.held(object, .encoded), trace.images.held(object, .decoded))
            // One variant can enter memory after the other has left, so that neither pays.
            let isPriced = limit != nil && !visits.hasBothVariants[object]
            objects.append(
                BlankProblem.Object(
                    visits: first..<all.count, size: isPriced ? Double(size) : 0,
                    fits: limit.map { size <= $0 } ?? true, demand: 0))
        }
        return BlankProblem(
            bucket: Double(bucket), foreground: foreground, visits: all, objects: objects,
            memory: limit.map { Double($0) }, shared: nil, hasDisk: rules.hasDisk,
            loadsOverlap: !rules.sharesLoads || rules.holdsRequestsBack && visits.hasPrefetches)
    }

    private func visit(_ visit: BlankVisits.Visit, _ delay: LeastDelay, _ stage: Stage) -> BlankProblem.Visit {
        let clock = trace.foreground
        let fetched = end(ofFetch: visit, delay, stage)
        let read = stage == .image ? min(fetched, visit.appeared + reading(visit.object)) : visit.appeared
        return BlankProblem.Visit(
            appeared: Double(visit.appeared), vanished: Double(visit.vanished),
            before: Double(clock.time(at: visit.appeared)),
            visible: Double(clock.time(from: visit.appeared, to: visit.vanished)),
            mayBegin: Double(firstByte(of: visit, delay)), fetched: Double(fetched),
            fetchedForeground: Double(clock.time(at: fetched)), read: Double(read),
            readForeground: Double(clock.time(at: read)), lost: visit.lost.map { Double($0) } ?? -1,
            isRelaunched: visit.isRelaunched, shownUntil: rules.pinsShown ? Double(visit.shownUntil) : -1)
    }

    /// Returns the first moment at which a fetch can end that is asked for at the beginning of a visit.
    private func end(ofFetch visit: BlankVisits.Visit, _ delay: LeastDelay, _ stage: Stage) -> Int64 {
        let firstByte = firstByte(of: visit, delay)
        guard stage != .firstByte else { return firstByte }
        var end = max(firstByte, visit.appeared + delay.whole)
        if let link, delay.bytes > 0 {
            // Images after the session count alike.
            end = max(end, link.end(of: delay.bytes, from: firstByte, until: visits.end + 1))
        }
        return stage == .image ? end + decoding(visit.object) : end
    }

    private func firstByte(of visit: BlankVisits.Visit, _ delay: LeastDelay) -> Int64 {
        let opening = openings[Opening(host: hosts[visit.object], launch: visit.launch)] ?? 0
        return max(visit.appeared, opening) + delay.firstByte
    }

    private func decoding(_ object: Int) -> Int64 {
        guard let costs = rules.costs, rules.waitsForDecoding else { return 0 }
        return trace.images.decoding(object, costs)
    }

    /// Returns the least time of a read from disk with its decoding.
    private func reading(_ object: Int) -> Int64 {
        guard let costs = rules.costs else { return 0 }
        let read = costs.diskLookup + costs.reading(trace.images.encoded[object])
        return (rules.waitsForReads ? read : 0) + (rules.encodesFiles ? 0 : decoding(object))
    }

    /// Returns the problem with the bytes of the link; nil without a shared link.
    func sharingLink(_ problem: BlankProblem) -> BlankProblem? {
        guard let link else { return nil }
        var problem = problem
        let (bytes, fastest) = link.buckets(of: bucket, count: bucketCount)
        problem.shared = BlankProblem.Resource(capacity: bytes, most: bytes, fastest: fastest)
        for (place, delay) in delays.compactMap({ $0 }).enumerated() { problem.objects[place].demand = delay.bytes }
        return problem
    }

    /// Returns the problem with the time of connections; nil if nothing limits them.
    func sharingConnections(_ problem: BlankProblem) -> BlankProblem? {
        guard let connections else { return nil }
        var problem = problem
        let length = Double(bucket)
        func all(_ value: Double) -> [Double] { Array(repeating: value, count: bucketCount) }
        problem.shared = BlankProblem.Resource(
            capacity: all(length * Double(connections)), most: all(length), fastest: all(1))
        let fastest = link?.fastest ?? .infinity
        for (place, delay) in delays.compactMap({ $0 }).enumerated() {
            let whole = Double(delay.firstByte) + (delay.bytes / fastest).rounded(.down)
            problem.objects[place].demand = max(Double(delay.whole), whole)
        }
        // A fetch holds its connection from its start on.
        for place in problem.visits.indices { problem.visits[place].mayBegin = problem.visits[place].appeared }
        return problem
    }
}
