import SessionModel

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
