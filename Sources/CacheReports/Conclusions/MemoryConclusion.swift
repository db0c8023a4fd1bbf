import Basics
import Runs

/// The memory that the answer holds, and the cache that comes closest with less.
struct MemoryConclusion {
    private let ranking: Ranking
    private var caches: ComparedCaches { ranking.caches }

    init(_ ranking: Ranking) { self.ranking = ranking }

    private struct Peak {
        var standing: Ranking.Standing
        var group: RunGroup
        var bytes: Double { group.median(MemoryConclusion.metric) ?? 0 }
    }

    private static let metric = "memory_peak_bytes"

    private func peak(_ standing: Ranking.Standing) -> Peak? {
        standing.all.filter { $0.median(Self.metric) != nil }.map { Peak(standing: standing, group: $0) }
            .max { $0.bytes < $1.bytes }
    }

    /// nil if memory has no figures, or if a sweep says more about it.
    var finding: Finding? {
        let peaks = ranking.winners.compactMap(peak).stableSorted { $0.bytes < $1.bytes }
        guard caches.parameters.isEmpty, let least = peaks.first, let most = peaks.last else { return nil }
        let differs = !caches.relevanceThreshold.ties(least.bytes, most.bytes, .bytes)
        // Of caches that tie in memory too, no one holds the least or the most.
        let low = differs ? peaks.filter { ties($0, least) } : [least]
        let high = differs ? peaks.filter { ties($0, most) && !ties($0, least) } : []
        let text =
            peaks.count > 1 && differs
            ? "Of these, \(holds(low)); \(holds(high))."
            : peaks.count > 1 ? "Each holds \(amount(least))." : "\(holds(low))."
        let smaller = smaller(than: least)
        let shown = (low + high).map(\.group)
        return Finding(
            subject: .memory, text: text + (smaller?.text ?? ""),
            evidence: caches.evidence(shown + (smaller.map { [$0.peak.group] } ?? []), Self.metric)
                + shown.compactMap { $0.evidence("device_memory_bytes") }
                + caches.evidence(smaller?.groups ?? []),
            caches: (shown + (smaller.map { [$0.peak.group] } ?? [])).map(\.key.cache).unique())
    }

    private func ties(_ one: Peak, _ other: Peak) -> Bool {
        caches.relevanceThreshold.ties(one.bytes, other.bytes, .bytes)
    }

    /// Returns `a holds up to 5 MB in memory`, or `a and b hold …` with the most of several that tie.
    ///
    /// - Parameter peaks: At least one, the smallest first.
    private func holds(_ peaks: [Peak]) -> String {
        let names = NameList.text(peaks.map(\.standing.cache))
        return "\(names) \(peaks.count == 1 ? "holds" : "hold") \(peaks.last.map(amount) ?? "")"
    }

    private func amount(_ peak: Peak) -> String {
        guard peak.bytes > 0 else { return "nothing in memory" }
        let place = caches.places.count == 1 ? "" : " on \(NameList.name(peak.group.key.place))"
        let device = peak.group.median("device_memory_bytes")
        let excess = device.map { peak.bytes > $0 ? ", more than the \(HumanText.bytes($0)) of its device" : "" } ?? ""
        return "up to \(HumanText.bytes(peak.bytes)) in memory\(place)\(excess)"
    }

    /// Returns the cache that comes closest with less memory, a sentence about it, and the runs that differ most.
    private func smaller(than peak: Peak) -> (text: String, peak: Peak, groups: [RunGroup])? {
        let sign: Double = caches.measure.isHigherBetter ? -1 : 1
        let candidates = ranking.standings.dropFirst(ranking.winners.count).compactMap(self.peak)
            .filter { $0.bytes < peak.bytes && !caches.relevanceThreshold.ties($0.bytes, peak.bytes, .bytes) }
            .map { other -> (peak: Peak, cost: Double, place: Int) in
                let costs = zip(other.standing.groups, peak.standing.groups)
                    .map { sign * (caches.figure($0) - caches.figure($1)) }
                let place = costs.indices.max { costs[$0] < costs[$1] } ?? 0
                return (other, costs[place], place)
            }
        guard let closest = candidates.min(by: { ($0.cost, $0.peak.bytes) < ($1.cost, $1.peak.bytes) }),
            closest.cost > 0
        else { return nil }
        let groups = [closest.peak, peak].map { $0.standing.groups[closest.place] }
        let place = caches.places.count == 1 ? "" : " at most, on \(NameList.name(caches.places[closest.place]))"
        // The winner with the least memory need not be the best one, so that this one can tie with it.
        let distance =
            caches.ties(groups[0], groups[1])
            ? "ties with \(NameList.name(peak.standing.cache))" : "is \(AmountText.points(closest.cost)) behind\(place)"
        return (
            """
             With less, \(NameList.name(closest.peak.standing.cache)) comes closest: it holds \(amount(closest.peak)), \
            and \(distance).
            """, closest.peak, groups
        )
    }
}
