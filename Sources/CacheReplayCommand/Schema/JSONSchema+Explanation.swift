import CacheReports
import ReplayEngine

extension JSONSchema {
    // MARK: The output of `explain --json`

    static var explanation: Value {
        let facts: Value = [
            "trace": string, "cache": string, "requests": count,
            "memory_hits": count, "disk_hits": count,
            "causes": list(cause, "The requests that a tier did not answer, by cause."),
            "waits": list(wait, "The blank time, by what was waited for."),
            "blank_ms": number("The time that visible cells had no image."),
            "worst_keys": list(worstKey, "The keys with the most blank time, the worst first."),
            "worst_moments": list(worstMoment, "The seconds with the most blank time, the worst first."),
            "soon_after_warnings": count(
                "The requests of objects that a memory warning had removed at most two seconds before."),
            "changes": list(change, "The effects of changes, each found by another replay."),
        ]
        let runs = record(
            facts,
            optional: [
                "injected": string("The injected events; absent without any."),
                "least_misses": leastMisses,
                "hitches": list(
                    hitches,
                    """
                    How much the main lane delays frames while the list moves, at 60 and at 120 Hz; absent if the list \
                    never moves, and with instant timing.
                    """),
                "least_blank": leastBlank,
            ])
        return document(
            "The output of `cachereplay explain --json`",
            list(runs, "The runs: each trace with each cache."))
    }

    private static var causes: [String] { MissCause.allCases.map(\.name) }
    private static var waits: [String] { Wait.allCases.map(\.name) }

    private static var cause: Value {
        record([
            "tier": words(RunExplanation.Tier.allCases.map(\.rawValue), "The tier that missed."),
            "cause": words(causes, "Why it missed."), "requests": count,
            "share": number("The share of the tier's misses."),
        ])
    }

    private static var wait: Value {
        record([
            "wait": words(waits, "What cells waited for."), "blank_ms": number,
            "share": number("The share of the blank time."),
        ])
    }

    private static var leastBlank: Value {
        let reasons = LeastBlankTime.Exemption.allCases.map(\.rawValue)
        let least = record(
            [
                "ms": number("The least blank time; the sum of the parts."),
                "share": number("The least blank time as a share of the time that cells are visible."),
                "own_share": number("The blank time of the run as such a share."),
                "first_bytes_ms": number("First loads, until their first byte."),
                "transfers_ms": number("First loads, until their last byte, over a link without other transfers."),
                "processing_ms": number("The decoding of first loads, and the first reads from disk after relaunches."),
                "memory_ms": number("Loads of what memory has no room for."),
                "link_ms": number("Transfers that share the link."),
                "connections_ms": number("Fetches that wait for a connection."),
                "holds": words(["decoded", "encoded"], "What memory holds: bitmaps, or the bytes of responses."),
                "has_disk": flag("Whether the caches have a disk."),
                "has_prefetches": flag("Whether the app asks for images ahead of need."), "network": string,
                "exemptions": list(
                    words(reasons, "Why it does not hold for the cache of the run."), "Empty if it holds."),
            ], optional: ["memory_bytes": count("What memory holds at most; absent without a limit.")])
        return described(
            least,
            """
            The least blank time of all caches with the prefetches, the network, the memory and the connections of \
            the run; absent if no cell disappears, and with instant timing.
            """)
    }

    private static var hitches: Value {
        let works = ReplayEvents.Work.allCases.map(\.rawValue)
        let work = record([
            "work": words(works, "The work that takes longest among the work that a frame waits for."), "ms": number,
            "share": number("The share of the hitches."),
        ])
        return record([
            "hz": count("The frames of the display per second."),
            "ms": number("The time by which frames are shown late."),
            "ms_per_s": number("This time for each second in which the list moves."),
            "works": list(work, "This time by kind of work, the most first; work without hitches is left out."),
        ])
    }

    private static var leastMisses: Value {
        described(
            record([
                "least": count("No policy with the same memory has fewer misses."),
                "known": count("The best known schedule of what to keep has as many: the optimum, if equal to least."),
            ]),
            """
            The fewest misses of memory that any policy could have if fetches took no time. Absent if the limit of \
            memory caused no miss, above 20,000 requests, and for a cache with a memory of encoded bytes.
            """)
    }

    private static var worstKey: Value {
        record([
            "key": string, "requests": count, "misses": count, "blank_ms": number,
            "cause": words(causes + [""], "The most frequent cause of its misses in memory; empty without a miss."),
        ])
    }

    private static var worstMoment: Value {
        record([
            "second": count("The second of the session, from 0."), "requests": count, "blank_ms": number,
            "wait": words(waits + [""], "What its requests waited for most; empty without a wait."),
            "cause": words(causes + [""], "The most frequent cause of their misses in memory; empty without a miss."),
        ])
    }

    private static var change: Value {
        record(
            [
                "name": string("The change of the app, the cache or the session."),
                "by": words(["app", "cache", "session"], "Who makes the change."), "memory_hits": count,
                "gained_memory_hits": ["type": "integer"], "blank_ms": number("The blank time with the change."),
                "added_origin_bytes": described(["type": "integer"], "The bytes that are fetched in addition."),
                "added_memory_peak_bytes": described(
                    ["type": "integer"], "By how much the most bytes in memory grow."),
            ],
            optional: [
                "lever": words(Lever.Kind.allCases.map(\.rawValue), "What changes; absent for the session."),
                "setting": string("The rule or the limit with its new value; absent for the session."),
                "attributed_misses": count(
                    "The misses in memory whose causes the change removes; absent if it removes none."),
            ])
    }
}
