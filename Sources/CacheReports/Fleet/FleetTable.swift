import ReplayEngine
import TraceAnalysis

/// The figures of all sessions of a fleet with all caches: a table that grows by one small row per run.
///
/// A session with 30 caches takes about 2 kB. The histograms of latencies take at most 0.3 MB per cache.
public struct FleetTable: Sendable {
    /// A session: its trace's name, and its user's number. Sessions of different users may have the same name.
    struct Session: Hashable, Sendable {
        var name: String
        /// An index of `users`, or -1 for a session that is a user of its own.
        var user: Int32
    }

    let caches: [String]
    private let cacheNumbers: [String: Int]
    private(set) var users: [String] = []
    private var userNumbers: [String: Int32] = [:]
    private(set) var sessions: [Session] = []
    private var sessionNumbers: [Session: Int] = [:]
    private var ownUserCount = 0
    /// By ``FleetMeasure``: the sums over the repeats of a session with a cache, by session and then by cache.
    private var sums = [[Double]](repeating: [], count: FleetMeasure.allCases.count)
    /// The repeats that the sums have, by session and then by cache.
    private var runs: [Int32] = []
    /// By cache and then by ``LatencyGroup``; nil without requests. `all` is the sum of the others.
    private var latencies: [FleetLatencies?]

    /// Creates an empty table.
    /// - Parameter caches: The names of all caches, as in ``RunIdentity/cache``. Results of other caches are ignored.
    public init(caches: [String]) {
        self.caches = caches.unique()
        cacheNumbers = Dictionary(uniqueKeysWithValues: self.caches.enumerated().map { ($1, $0) })
        latencies = Array(repeating: nil, count: self.caches.count * LatencyGroup.allCases.count)
    }

    public var sessionCount: Int { sessions.count }

    public var userCount: Int { users.count + ownUserCount }

    /// Adds a run's figures.
    ///
    /// Repeats of a session count as one session with the mean of their figures. In the distributions of latencies, the
    /// requests of all repeats count.
    /// - Parameter user: The user of the session; nil if the session is a user of its own.
    public mutating func add(_ result: RunResult, user: String?) {
        guard let cache = cacheNumbers[result.identity.cache] else { return }
        let place = number(ofSession: result.identity.trace, user: user) * caches.count + cache
        runs[place] += 1
        for measure in FleetMeasure.allCases { sums[measure.rawValue][place] += measure.value(result) }
        // A run without a timeline has coarse distributions, and none of all groups.
        let isCoarse = result.latencies.contains { $0.group == .all && $0.count > 0 && $0.distribution.isEmpty }
        for summary in result.latencies where summary.count > 0 && summary.group != .all {
            latencies[self.place(of: summary.group, cache: cache), default: FleetLatencies()].add(
                summary, isCoarse: isCoarse)
        }
    }

    /// Joins the rows of another table with the same caches, such as one that another thread has filled.
    public mutating func merge(_ other: FleetTable) {
        let numbers = other.caches.map { cacheNumbers[$0] }
        for (row, session) in other.sessions.enumerated() {
            let user = session.user < 0 ? nil : other.users[Int(session.user)]
            let own = number(ofSession: session.name, user: user) * caches.count
            for (cache, number) in numbers.enumerated() {
                guard let number else { continue }
                let place = row * other.caches.count + cache
                runs[own + number] += other.runs[place]
                for measure in sums.indices { sums[measure][own + number] += other.sums[measure][place] }
            }
        }
        for (cache, number) in numbers.enumerated() {
            guard let number else { continue }
            for group in LatencyGroup.allCases {
                guard let added = other.latencies[other.place(of: group, cache: cache)] else { continue }
                latencies[place(of: group, cache: number), default: FleetLatencies()].add(added)
            }
        }
    }

    /// Returns a measure of a session with a cache, as the mean of the repeats; nil without a run.
    func value(_ measure: FleetMeasure, session: Int, cache: Int) -> Double? {
        let place = session * caches.count + cache
        return runs[place] > 0 ? sums[measure.rawValue][place] / Double(runs[place]) : nil
    }

    /// Whether a session was replayed with a cache.
    func hasRun(session: Int, cache: Int) -> Bool { runs[session * caches.count + cache] > 0 }

    /// Returns the latencies of all requests of a group with a cache; nil without requests.
    func latencies(of group: LatencyGroup, cache: Int) -> FleetLatencies? {
        guard group == .all else { return latencies[place(of: group, cache: cache)] }
        let groups = LatencyGroup.allCases.compactMap { latencies[place(of: $0, cache: cache)] }
        return groups.isEmpty ? nil : groups.reduce(into: FleetLatencies()) { $0.add($1) }
    }

    private func place(of group: LatencyGroup, cache: Int) -> Int {
        cache * LatencyGroup.allCases.count + (LatencyGroup.allCases.firstIndex(of: group) ?? 0)
    }

    /// Returns the row of a session, which is a new one the first time.
    private mutating func number(ofSession name: String, user: String?) -> Int {
        let session = Session(name: name, user: user.map { number(ofUser: $0) } ?? -1)
        if let number = sessionNumbers[session] { return number }
        sessionNumbers[session] = sessions.count
        sessions.append(session)
        if user == nil { ownUserCount += 1 }
        runs += repeatElement(0, count: caches.count)
        for measure in sums.indices { sums[measure] += repeatElement(0, count: caches.count) }
        return sessions.count - 1
    }

    private mutating func number(ofUser name: String) -> Int32 {
        if let number = userNumbers[name] { return number }
        let number = Int32(users.count)
        userNumbers[name] = number
        users.append(name)
        return number
    }
}

extension Array {
    /// Accesses an optional element that has a value when it is first changed.
    fileprivate subscript<Value>(_ index: Int, default value: @autoclosure () -> Value) -> Value
    where Element == Value? {
        get { self[index] ?? value() }
        _modify {
            // Taken out of the array, so that the change does not copy it.
            var element = self[index] ?? value()
            self[index] = nil
            defer { self[index] = element }
            yield &element
        }
    }
}
