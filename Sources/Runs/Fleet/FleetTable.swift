import Basics
import ReplayEngine

/// The figures of all sessions of a fleet with all caches: a table that grows by one small row per run.
///
/// A session with 30 caches takes about 2.5 kB. The histograms of latencies take at most 0.3 MB per cache.
public struct FleetTable: Sendable {
    /// A session: its trace's name, and its user's number. Sessions of different users may have the same name.
    package struct Session: Hashable, Sendable {
        package var name: String
        /// An index of `users`, or -1 for a session that is a user of its own.
        package var user: Int32
    }

    /// The names of the caches: the ones given at the creation, and then the ones of other results as they came.
    package private(set) var caches: [String]
    private var cacheNumbers: [String: Int]
    /// The networks of the caches that have one of several, by the names of the caches.
    package private(set) var networks: [String: String] = [:]
    package private(set) var users: [String] = []
    private var userNumbers: [String: Int32] = [:]
    package private(set) var sessions: [Session] = []
    private var sessionNumbers: [Session: Int] = [:]
    private var ownUserCount = 0
    private var columns: [Column]
    /// The number of results that were added.
    public private(set) var runCount = 0
    /// The sessions in which no cell disappears.
    private var staying: Set<Session> = []
    /// The texts of the events that were injected into sessions, usually one.
    private(set) var injected: Set<String> = []
    private var generated: Set<Session> = []
    /// By the name of a variant: the name of the cache that differs from it only in the model of NSCache.
    private var bases: [String: String] = [:]
    /// The physical memory in bytes of the devices of caches, by their names. Caches without a preset have none.
    package private(set) var deviceMemory: [String: Int] = [:]

    /// The figures of one cache.
    private struct Column: Sendable {
        /// The repeats that the sums have, by session. Shorter than the list of sessions if the last ones have no run.
        var runs: [Int32] = []
        /// By session and then by ``FleetMeasure``: the sums over the repeats.
        var sums: [Double] = []
        /// By ``LatencyGroup``; nil without requests. `all` is the sum of the others.
        var latencies = [FleetLatencies?](repeating: nil, count: LatencyGroup.allCases.count)
        /// The runs of sessions in which an NSCache evicts nothing. They count for all of its models, and no run is
        /// made with the others.
        var unbound = [FleetLatencies?](repeating: nil, count: LatencyGroup.allCases.count)

        mutating func reach(_ session: Int) {
            guard session >= runs.count else { return }
            runs += repeatElement(0, count: session + 1 - runs.count)
            sums += repeatElement(0, count: runs.count * FleetMeasure.allCases.count - sums.count)
        }

        mutating func add(_ summary: LatencySummary, isCoarse: Bool, isUnbound: Bool) {
            let place = Self.place(of: summary.group)
            latencies[place, default: FleetLatencies()].add(summary, isCoarse: isCoarse)
            if isUnbound { unbound[place, default: FleetLatencies()].add(summary, isCoarse: isCoarse) }
        }

        mutating func add(latencies other: Column) {
            for place in latencies.indices {
                if let added = other.latencies[place] { latencies[place, default: FleetLatencies()].add(added) }
                if let added = other.unbound[place] { unbound[place, default: FleetLatencies()].add(added) }
            }
        }

        static func place(of group: LatencyGroup) -> Int { LatencyGroup.allCases.firstIndex(of: group) ?? 0 }
    }

    /// - Parameter caches: The names of caches, as in `RunIdentity.cache`, in the order of their rows.
    public init(caches: [String] = []) {
        self.caches = caches.unique()
        cacheNumbers = Dictionary(uniqueKeysWithValues: self.caches.enumerated().map { ($1, $0) })
        columns = self.caches.map { _ in Column() }
    }

    /// Returns the name of a cache over one of several networks; nil stands for the only network.
    package static func name(_ cache: String, over network: String?) -> String { RepeatedRun.place(cache, network) }

    package func cacheName(_ name: String) -> String { Self.cacheName(name, networks) }

    static func cacheName(_ name: String, _ networks: [String: String]) -> String {
        networks[name].flatMap { name.dropping(ending: Self.name("", over: $0)) } ?? name
    }

    /// Returns the table with the caches in this order. Caches that are not among them follow in order of their names.
    ///
    /// - Parameter networks: The networks of the results, in order. Caches over one of them are together.
    public func arranged(_ names: [String], _ networks: [String] = []) -> FleetTable {
        let names = names + networks.flatMap { network in names.map { Self.name($0, over: network) } }
        let known = names.unique().filter { cacheNumbers[$0] != nil }
        let order = SweptValue.ordered(names: known + Set(caches).subtracting(known).sorted())
        var table = self
        table.caches = order
        table.cacheNumbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        table.columns = order.compactMap { cacheNumbers[$0].map { columns[$0] } }
        return table
    }

    /// Returns the table of some of the caches, in the same order.
    package func with(caches selected: Set<String>) -> FleetTable {
        var table = self
        let places = caches.indices.filter { selected.contains(caches[$0]) }
        table.caches = places.map { caches[$0] }
        table.columns = places.map { columns[$0] }
        table.cacheNumbers = Dictionary(uniqueKeysWithValues: table.caches.enumerated().map { ($1, $0) })
        return table
    }

    public var sessionCount: Int { sessions.count }

    public var stayingCount: Int { staying.count }

    public var generatedCount: Int { generated.count }

    public var userCount: Int { users.count + ownUserCount }

    /// Adds a run's figures.
    ///
    /// Repeats of a session count as one session with the mean of their figures. In the distributions of latencies, the
    /// requests of all repeats count. A session without a `user` is a user of its own.
    ///
    /// - Parameter network: The network of the run, if there are several: the cache has a column for each.
    public mutating func add(_ result: RunResult, network: String? = nil, user: String?) {
        let name = Self.name(result.identity.cache, over: network)
        if let network { networks[name] = network }
        let cache = add(
            FleetMeasure.allCases.map { $0.value(result) }, cache: name, session: result.identity.trace, user: user)
        let session = sessions[number(ofSession: result.identity.trace, user: user)]
        if let memory = result.deviceMemory { deviceMemory[name] = memory }
        if result.notes.contains(.cellsStay) { staying.insert(session) }
        if result.notes.contains(.sessionSynthetic) { generated.insert(session) }
        if let model = result.nsCacheModel, let base = result.identity.cache.dropping(ending: " [\(model.rawValue)]") {
            bases[name] = Self.name(base, over: network)
        }
        let isUnbound = result.nsCacheModel != nil && result.tiers.memoryEvictions == 0
        if let events = result.identity.injected { injected.insert(events) }
        // A run without a timeline has coarse distributions, and none of all groups.
        let isCoarse = result.latencies.contains { $0.group == .all && $0.count > 0 && $0.distribution.isEmpty }
        for summary in result.latencies where summary.count > 0 && summary.group != .all {
            columns[cache].add(summary, isCoarse: isCoarse, isUnbound: isUnbound)
        }
    }

    /// Adds a run's measures, by ``FleetMeasure``, without latencies.
    ///
    /// - Returns: The number of the cache.
    @discardableResult
    package mutating func add(_ measures: [Double], cache: String, session: String, user: String?) -> Int {
        let cache = number(ofCache: cache)
        let session = number(ofSession: session, user: user)
        runCount += 1
        columns[cache].reach(session)
        columns[cache].runs[session] += 1
        let start = session * FleetMeasure.allCases.count
        for (place, measure) in measures.enumerated() { columns[cache].sums[start + place] += measure }
        return cache
    }

    /// Joins the rows of another table, such as one that another thread has filled.
    public mutating func merge(_ other: FleetTable) {
        let numbers = other.caches.map { number(ofCache: $0) }
        let rows = other.sessions.map { session in
            number(ofSession: session.name, user: session.user < 0 ? nil : other.users[Int(session.user)])
        }
        runCount += other.runCount
        networks.merge(other.networks) { own, _ in own }
        func own(_ session: Session) -> Session {
            let user = session.user < 0 ? nil : other.users[Int(session.user)]
            return sessions[number(ofSession: session.name, user: user)]
        }
        staying.formUnion(other.staying.map(own))
        generated.formUnion(other.generated.map(own))
        injected.formUnion(other.injected)
        bases.merge(other.bases) { own, _ in own }
        deviceMemory.merge(other.deviceMemory) { own, _ in own }
        let width = FleetMeasure.allCases.count
        for (number, column) in zip(numbers, other.columns) {
            for (row, runs) in column.runs.enumerated() where runs > 0 {
                let own = rows[row]
                columns[number].reach(own)
                columns[number].runs[own] += runs
                for measure in 0..<width {
                    columns[number].sums[own * width + measure] += column.sums[row * width + measure]
                }
            }
            columns[number].add(latencies: column)
        }
    }

    /// Returns a measure of a session with a cache, as the mean of the repeats; nil without a run.
    package func value(_ measure: FleetMeasure, session: Int, cache: Int) -> Double? {
        guard let cache = source(session: session, cache: cache) else { return nil }
        let column = columns[cache]
        return column.sums[session * FleetMeasure.allCases.count + measure.rawValue] / Double(column.runs[session])
    }

    /// Whether a session was replayed with a cache, or with the model of its NSCache that has the same figures.
    package func hasRun(session: Int, cache: Int) -> Bool { source(session: session, cache: cache) != nil }

    /// Returns the cache whose runs have the figures of a session with a cache. It is another one for a model of
    /// NSCache in a session that evicts nothing.
    private func source(session: Int, cache: Int) -> Int? {
        [cache, base(of: cache)].compactMap(\.self).first {
            columns[$0].runs.indices.contains(session) && columns[$0].runs[session] > 0
        }
    }

    private func base(of cache: Int) -> Int? { bases[caches[cache]].flatMap { cacheNumbers[$0] } }

    /// Returns the latencies of all requests of a group with a cache; nil without requests.
    func latencies(of group: LatencyGroup, cache: Int) -> FleetLatencies? {
        let places = group == .all ? Array(LatencyGroup.allCases.indices) : [Column.place(of: group)]
        let unbound = base(of: cache).map { columns[$0].unbound }
        let parts = places.compactMap { columns[cache].latencies[$0] } + places.compactMap { unbound?[$0] }
        return parts.isEmpty ? nil : parts.reduce(into: FleetLatencies()) { $0.add($1) }
    }

    private mutating func number(ofCache name: String) -> Int {
        if let number = cacheNumbers[name] { return number }
        cacheNumbers[name] = caches.count
        caches.append(name)
        columns.append(Column())
        return caches.count - 1
    }

    /// Returns the row of a session, which is a new one the first time.
    private mutating func number(ofSession name: String, user: String?) -> Int {
        let session = Session(name: name, user: user.map { number(ofUser: $0) } ?? -1)
        if let number = sessionNumbers[session] { return number }
        sessionNumbers[session] = sessions.count
        sessions.append(session)
        if user == nil { ownUserCount += 1 }
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
