import ReplayEngine
import Runs
import SessionModel

/// A session that advice rests on.
public struct AdviceSession: Sendable {
    public let name: String
    /// The user that a name or a pattern gives; nil if only the trace can tell.
    public let user: String?
    /// The bytes of the file, for the choice of traces that stay in memory.
    public let size: Int
    /// Returns the identity of the file's content.
    public let fingerprint: @Sendable () throws -> String
    /// Reads the trace, and checks that it can tell anything.
    public let load: @Sendable () throws -> Loaded

    /// A trace that is ready for replays.
    public struct Loaded: Sendable {
        public let trace: PreparedTrace
        public let network: ReplayJob.Network

        public init(_ trace: PreparedTrace, _ network: ReplayJob.Network) {
            self.trace = trace
            self.network = network
        }
    }

    public init(
        name: String, user: String?, size: Int, fingerprint: @escaping @Sendable () throws -> String,
        load: @escaping @Sendable () throws -> Loaded
    ) {
        self.name = name
        self.user = user
        self.size = size
        self.fingerprint = fingerprint
        self.load = load
    }
}

/// The figures of one replay that advice needs.
struct AdviceRun: Codable, Sendable, Equatable {
    /// By `FleetMeasure`.
    var measures: [Double]
    /// The objects that left memory to make room.
    var evictions: Int

    init(_ result: RunResult) {
        measures = FleetMeasure.allCases.map { $0.value(result) }
        evictions = result.tiers.memoryEvictions
    }
}

/// The hosts of sessions, to tell sessions of different apps apart.
enum SessionHosts {
    /// Returns the hosts of a session's keys, sorted; empty if its keys are no URLs.
    static func hosts(of trace: Trace) -> [String] {
        var hosts: Set<Substring> = []
        for object in trace.objects {
            guard let end = object.key.range(of: "://")?.upperBound else { continue }
            let host = object.key[end...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if !host.isEmpty { hosts.insert(host) }
        }
        return hosts.map(String.init).sorted()
    }

    /// Returns the groups of sessions that are connected by common hosts: for each, the number of sessions and one of
    /// its hosts, the largest first. Sessions without hosts are in none.
    static func groups(_ sessions: [[String]]) -> [(sessions: Int, host: String)] {
        var parents: [Int] = []
        var places: [String: Int] = [:]
        func root(_ place: Int) -> Int {
            var place = place
            while parents[place] != place { place = parents[place] }
            return place
        }
        for hosts in sessions {
            for host in hosts where places[host] == nil {
                places[host] = parents.count
                parents.append(parents.count)
            }
            for host in hosts.dropFirst() {
                guard let one = places[hosts[0]], let other = places[host] else { continue }
                parents[root(other)] = root(one)
            }
        }
        var counts: [Int: Int] = [:]
        for hosts in sessions {
            if let host = hosts.first, let place = places[host] { counts[root(place), default: 0] += 1 }
        }
        var names: [Int: String] = [:]
        for (host, place) in places.sorted(by: { $0.key < $1.key }) where names[root(place)] == nil {
            names[root(place)] = host
        }
        return counts.map { (sessions: $0.value, host: names[$0.key] ?? "") }
            .sorted { ($1.sessions, $0.host) < ($0.sessions, $1.host) }
    }
}
