import Basics

extension ResultSet {
    /// The conclusions from these figures, at most one of each subject, in the order of ``Finding/Subject/ofReplays``.
    public var conclusions: [Finding] {
        let groups = groups
        guard !groups.isEmpty else { return [] }
        let caches = ComparedCaches(groups, relevanceThreshold, budgets)
        let ranking = Ranking(caches)
        let factors = Factor.all(caches)
        let findings: [Finding?] = [
            ranking.answer, Factor.difference(factors, caches), Factor.noDifference(factors, caches),
            SweepConclusion(caches).finding ?? MemoryConclusion(ranking).finding, Self.wrongPictures(groups),
            Self.unboundLimits(groups), basis(groups),
        ]
        // No memory is enough where nothing keeps the limits.
        return findings.compactMap(\.self).filter { caches.brokenBudgets.isEmpty || $0.subject != .memory }
    }

    private static func wrongPictures(_ groups: [RunGroup]) -> Finding? {
        let wrong = groups.filter(\.showsWrongPictures)
        let caches = wrong.map(\.key.cache).unique()
        guard let most = wrong.max(by: { share($0) < share($1) }), let count = most.median("wrong"),
            let requests = most.median("requests")
        else { return nil }
        let isAll = groups.allSatisfy { caches.contains($0.key.cache) }
        let others = caches.filter { $0 != most.key.cache }
        let rest = others.isEmpty ? "" : " \(NameList.text(others)) \(others.count == 1 ? "does" : "do") so too."
        return Finding(
            subject: .wrongPictures,
            text: """
                \(NameList.name(most.key.cache)) shows wrong pictures: \(HumanText.count(count)) of \
                \(HumanText.count(requests)) requests on \(NameList.name(most.key.place)) got the picture of another \
                key\(isAll ? "" : ", so no answer names it").\(rest)
                """,
            evidence: wrong.flatMap { group in ["wrong", "requests"].compactMap { group.evidence($0) } },
            caches: [most.key.cache])
    }

    private static func share(_ group: RunGroup) -> Double {
        (group.median("wrong") ?? 0) / max(1, group.median("requests") ?? 1)
    }

    /// A cache that has evicted nothing on any trace behaves as one without limits.
    private static func unboundLimits(_ groups: [RunGroup]) -> Finding? {
        func evictions(_ group: RunGroup) -> Double? {
            guard let memory = group.median("memory_evictions"), let disk = group.median("disk_evictions") else {
                return nil
            }
            return memory + disk
        }
        let caches = groups.map(\.key.cache).unique()
        let unbound = caches.filter { cache in
            let own = groups.filter { $0.key.cache == cache }
            // A cache without any tier has no limit to reach.
            return own.allSatisfy { evictions($0) == 0 } && own.contains { holdsSomething($0) }
        }
        guard !unbound.isEmpty else { return nil }
        let names = unbound.count == caches.count ? "any cache" : NameList.text(unbound)
        let place = Set(groups.map(\.key.trace)).count == 1 ? "this session" : "any of the sessions"
        let isSwept = groups.contains { $0.settings("swept").contains { !$0.isEmpty } }
        return Finding(
            subject: .limits,
            text: """
                No limit of \(names) was reached on \(place): nothing was evicted, so the figures say nothing about \
                smaller limits.\(isSwept ? "" : " Try some, such as --sweep memory=8MB..64MB.")
                """,
            evidence: groups.filter { unbound.contains($0.key.cache) }.compactMap { $0.evidence("memory_evictions") })
    }

    private static func holdsSomething(_ group: RunGroup) -> Bool {
        (group.median("memory_peak_bytes") ?? 0) + (group.median("disk_peak_bytes") ?? 0) > 0
    }

    private func basis(_ groups: [RunGroup]) -> Finding? {
        func settings(_ name: String) -> [String] {
            groups.reduce(into: Set<String>()) { $0.formUnion($1.settings(name)) }.filter { !$0.isEmpty }.sorted()
        }
        let timings = settings("timing")
        guard let first = timings.first else { return nil }
        let networks = settings("network")
        let network =
            networks.count > 1
            ? "the networks \(NameList.text(networks))" : networks.map(BasisWords.network).joined()
        let durations =
            first.hasPrefix("instant")
            ? "no durations at all (instant timing)"
            : "\(NameList.text(timings.map { BasisWords.durations($0) })) and \(network)"
        let repeats = Set(groups.map(\.runs.count)).sorted()
        let runs =
            repeats == [1]
            ? "one run of each cache" : "\(repeats.map(String.init).joined(separator: " to ")) runs of each cache"
        let next =
            sessionOrigins.isEmpty
            ? "Sessions of more users would tell for how many of them this holds."
            : "\(sessionOrigins.joined(separator: " ")) Sessions of people would tell what they see."
        return Finding(subject: .basis, text: "These figures rest on \(durations), and on \(runs). \(next)")
    }
}

extension RunGroup {
    func evidence(_ metric: String) -> Finding.Evidence? {
        median(metric).map {
            .init(trace: key.trace, network: key.network, cache: key.cache, metric: metric, value: $0)
        }
    }
}

package enum NameList {
    /// The longest name in a sentence, in columns.
    private static let longest = 60

    /// Returns a name that neither breaks a line nor fills it.
    package static func name(_ name: String) -> String {
        let printable = VisibleText.printable(name)
        guard TextGrid.width(printable) > longest else { return printable }
        return TextGrid.prefix(printable, width: longest - 1) + "…"
    }

    /// Returns `both` or `all 7`.
    static func all(_ count: Int, begins: Bool = false) -> String {
        count == 2 ? (begins ? "Both" : "both") : "\(begins ? "All" : "all") \(count)"
    }

    /// Returns the names that ``text(_:most:)`` shows; it counts the others.
    static func shown(_ names: [String], most: Int = 3) -> [String] {
        names.count > most ? Array(names.prefix(most - 1)) : names
    }

    /// Returns `a`, `a and b`, `a, b and c`, or `a, b and 5 more`.
    package static func text(_ names: [String], most: Int = 3) -> String {
        let shown = shown(names, most: most)
        var parts = shown.map(name)
        if names.count > shown.count { parts.append("\(names.count - shown.count) more") }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return "\(parts.dropLast().joined(separator: ", ")) and \(last)"
    }
}
