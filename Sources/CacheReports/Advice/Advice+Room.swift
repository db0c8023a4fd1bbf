import Advising
import Basics

extension Advice {
    /// The room that is left, as a bound, or why no bound is known; nothing if none was computed.
    var left: [Finding] {
        guard let room else { return [] }
        let evidence = room.least.map { least in
            [Finding.Evidence(trace: "", cache: room.cache, metric: "blank_ratio", value: least.ownRatio)]
        }
        return [Finding(subject: .room, text: text(room), evidence: evidence ?? [], caches: [room.cache])]
    }

    private func text(_ room: AdviceRoom) -> String {
        let name = NameList.name(room.cache)
        guard room.sessions > 0 else {
            return "No session records that cells disappear, so no bound of the blank time is known."
        }
        guard let least = room.least else {
            let reasons = room.exempt.first { $0.cache == room.cache }?.reasons ?? []
            return """
                How much better it could get is not known: no bound of the blank time holds for \(name), because it \
                \(RunExplanation.LeastBlank.reasons(reasons)).
                """
        }
        let networks = room.networks.count == 1 ? RunExplanation.LeastBlank.place(room.networks[0]) : "their networks"
        let size = budget.map { HumanText.bytes(Double($0)) } ?? "any size"
        let prefetching = RunExplanation.LeastBlank.prefetching(least.hasPrefetches)
        let cache = "cache of \(size) over \(networks) \(prefetching)"
        let hasRivals = keep != room.cache && room.exempt.isEmpty && rows.count { $0.qualifies } > 1
        let own = hasRivals ? "the best here" : name
        let sample = room.sessions < sessions ? " on \(room.sessions) of \(sessions) sessions" : ""
        let foresight = "Prefetching with foresight could remove almost all of it."
        guard least.blankRatio >= 0.0005 else {
            let share = HumanText.share(least.ownRatio)
            return "It is not known that a \(cache) must leave anything blank; \(own) leaves \(share)\(sample)."
        }
        let (bound, share) = HumanText.shares(bound: least.blankRatio, least.ownRatio)
        return """
            No \(cache) leaves less than \(bound) blank; \(own) leaves \(share)\(sample). Of the \(bound), \
            \(parts(least)). \(foresight)
            """
    }

    /// The two largest parts of the bound: `first bytes are 48%, transfers 23%`.
    private func parts(_ least: AdviceRoom.Least) -> String {
        let amounts = [least.firstBytes, least.transfers, least.processing, least.memory, least.link]
        let named = Array(zip(amounts, RunExplanation.LeastBlank.partNames))
        let largest = named.stableSorted { $0.0 > $1.0 }.prefix(2).filter { $0.0 >= least.blankRatio / 200 }
        return RunExplanation.LeastBlank.text(ofParts: largest, of: least.blankRatio)
    }

    /// The other caches that answer the question, and for which the bound does not hold; nothing if it holds for all.
    var exempt: [Finding] {
        guard let room, room.least != nil, !room.exempt.isEmpty else { return [] }
        let reasons = room.exempt.map { exempt in
            "\(NameList.name(exempt.cache)), which \(RunExplanation.LeastBlank.reasons(exempt.reasons))"
        }
        return [
            Finding(
                subject: .room, text: "The bound does not hold for \(reasons.joined(separator: "; for ")).",
                caches: room.exempt.map(\.cache))
        ]
    }
}
