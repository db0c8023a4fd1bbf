import Advising
import CacheReports
import ImageLibraries
import ReplayEngine

extension JSONSchema {
    // MARK: The output of `advise --json`

    static var advice: Value {
        document(
            "The output of `cachereplay advise --json`",
            record(
                [
                    "users": count, "sessions": count,
                    "sessions_left_out": count("The sessions that the limit of time left out."),
                    "sessions_without_disappearances": count(
                        "The sessions without a recorded disappearance of a cell: their blank time is an assumption."
                    ),
                    "replays": count, "relevance_threshold": relevanceThreshold,
                    "objective": words(Advice.Objective.allCases.map(\.rawValue), "The figure that orders the rows."),
                    "platform": words(AppPlatform.allCases.map(\.rawValue), "The platform whose caches are compared."),
                    "findings": list(adviceFinding, "What the advice says, the answer first."),
                    "levers": list(leverGain, "What each change of the best caches, or of the kept one, brings."),
                    "left_out": list(string, "The caches of no row, whose disk has no limit that could be set."),
                    "rows": list(adviceRow, "The caches at the given limits, the best first."),
                    "ties": count("The number of rows, from the first on, that tie by the objective."),
                    "settings": list(adviceSetting, "The code that sets the limits."),
                    "points": list(advicePoint, "Each cache with each limit."),
                ],
                optional: [
                    "budget_bytes": count("The limit of memory; absent if not limited."),
                    "disk_budget_bytes": count("The limit of the disk; absent if each cache keeps its own."),
                    "data_per_day_bytes": count("The limit of what a day of use fetches; absent without one."),
                    "app": described(appMemory, "The memory of the app; absent without one."),
                    "runner_up": described(runnerUp, "The first row that does not tie; absent if all tie."),
                    "change_gain": described(
                        runnerUp, "The first row without the changes of its rules; absent without changes."),
                    "why": string("The causes that make the runner-up worse; absent if none is known."),
                    "keep": string("The cache that the user has; absent without --keep."),
                    "switch_gain": described(
                        runnerUp, "What the kept cache has more than the best row; absent if both tie."),
                    "room": room,
                    "search": described(adviceSearch, "What was replayed."),
                    "injected": string("The injected events; absent without any."),
                ]))
    }

    private static var relevanceThreshold: Value {
        described(
            record([
                "points": number("Of blank time, in percentage points."),
                "percent": number("Of bytes and memory, in per cent."),
            ]), "The smallest difference that counts.")
    }

    private static var adviceFinding: Value {
        let subjects: [Finding.Subject] = [.best, .difference, .noDifference, .memory, .budget, .limits, .basis, .room]
        return record([
            "subject": words(subjects.map(\.rawValue), "What the finding is about."),
            "text": string("One or two sentences."),
            "caches": list(string, "The caches that it names."),
            "evidence": list(
                record([
                    "cache": string("The cache, with the setting of a lever behind its name."),
                    "metric": words(["blank_ratio", "origin_bytes", "memory_peak_bytes"], "The figure of advice.csv."),
                    "value": number,
                ]), "The figures that the sentence follows from."),
        ])
    }

    private static var leverGain: Value {
        record(
            [
                "cache": string, "lever": words(Lever.Kind.allCases.map(\.rawValue), "What changes."),
                "setting": string("The rule or the limit with its new value."),
                "by": words(["app", "cache"], "Who makes the change."),
                "value": number("The figure of the objective with the change."),
                "gain": number("By how much the figure of the objective falls."),
                "added_blank_ratio": number("By how much blank_ratio rises."),
                "added_origin_bytes": number("By how much origin_bytes rises."),
                "added_memory_peak_bytes": number("By how much memory_peak_bytes rises."),
                "relevant": flag("Whether the gain or the loss is above the tolerance, and above chance."),
            ], optional: interval("low", "high", of: "the gain").merging(better) { $1 })
    }

    private static var room: Value {
        let least = record([
            "blank_ratio": number("No cache has less, as a share of the visible time. The sum of the parts."),
            "own_blank_ratio": number("The blank time of the cache that is compared."),
            "first_bytes_ratio": number("First loads, until their first byte."),
            "transfers_ratio": number("First loads, until their last byte, over a link without other transfers."),
            "processing_ratio": number("The decoding of first loads, and the first reads from disk after relaunches."),
            "memory_ratio": number("Loads of what memory has no room for."),
            "link_ratio": number("Transfers that share the link."),
            "has_prefetches": flag("Whether the app asks for images ahead of need."),
        ])
        let exempt = record([
            "cache": string,
            "reasons": list(
                words(LeastBlankTime.Exemption.allCases.map(\.rawValue), "Why the bound does not hold for it."),
                "At least one."),
        ])
        let all = record(
            [
                "cache": string("The cache that is compared: the kept one, or the one with the least blank time."),
                "sessions": count("The sessions of the sample in which cells disappear."),
                "networks": list(string, "The networks of these sessions."),
                "exempt": list(exempt, "The caches that answer the question, and for which the bound does not hold."),
            ],
            optional: [
                "least": described(
                    least,
                    """
                    The least blank time of all caches with the given limit of memory, and with the prefetches of the \
                    app, in the mean over users. Absent if no cell disappears, and if it does not hold for the \
                    recommended or kept cache.
                    """)
            ])
        return described(
            all, "What no cache can avoid. Absent if no cache answers the question, and after --time-limit.")
    }

    private static var adviceSearch: Value {
        record([
            "replays": count("The replays that ran."),
            "replays_read": count("The replays of an interrupted search that were read again."),
            "sample": count("The sessions on which settings were searched."),
            "settings": count("The settings whose figures count."),
            "exhaustive_replays": number("The replays of all settings on all sessions."),
            "complete": flag("Whether the search came to its end; false after --time-limit."),
            "varied": list(string, "The rules that were searched beside the limits."),
            "skipped": list(string, "The sessions that could not be replayed."),
            "groups": [
                "type": "object", "additionalProperties": count,
                "description": "The sessions of each group without a common host, by a host; empty for a single group.",
            ],
        ])
    }

    private static var changes: Value {
        list(
            record(["parameter": string("The name of the rule."), "value": string]),
            "The values of rules that are not the cache's own.")
    }

    private static var appMemory: Value {
        record(
            ["app_limit_bytes": count("The memory at which the system stops the app.")],
            optional: [
                "device": string("The name of the device; absent if a limit was given instead."),
                "app_baseline_bytes": count("The memory of the app beside the cache; absent if it was not given."),
            ])
    }

    private static var runnerUp: Value {
        record(
            [
                "cache": string,
                "difference": number("Its figure of the objective minus that of the first row."),
            ], optional: interval("low", "high", of: "the difference").merging(better) { $1 })
    }

    private static var better: Value {
        ["better_for_users": number("The share of users for whom the first row, or the change, is better.")]
    }

    private static var nearLimit: Value {
        record([
            "share": number("The share of sessions within a tenth of the app's limit, or above it."),
            "low": number("The lower end of its 95 % interval."), "high": number("The upper end."),
            "near": count("The sessions near the limit."), "sessions": count,
            "cache_only_sessions": count(
                "The sessions of which only the cache's memory counts, because they do not record when cells vanish."),
        ])
    }

    private static func interval(_ low: String, _ high: String, of what: String) -> Value {
        [
            low: number("The lower end of the 95 % interval of \(what); absent without an interval."),
            high: number("The upper end."),
        ]
    }

    private static var blankRatio: Value {
        number("The mean over users of the share of visible time that cells were blank.")
    }
    private static var peakBytes: Value { number("The 95th percentile over users of the most bytes in memory.") }
    private static var originBytes: Value { number("The mean over users of the bytes that a session fetches.") }
    private static var diskLimit: Value { count("The limit of the disk; absent if the cache keeps its own.") }

    private static var adviceRow: Value {
        let optional: Value = [
            "disk_limit_bytes": diskLimit,
            "enough_bytes": count("The smallest limit of memory that is enough; absent if only the given one is."),
            "enough_disk_bytes": count("The smallest limit of the disk that is enough with the given memory."),
            "bytes_per_day": number("The bytes of a day of use; absent if they are not asked for."),
            "unchanged": number("The figure of the objective with the cache's own rules; absent without changes."),
            "enough_on_average_bytes": count("The smallest limit of memory that is enough for the mean over users."),
            "enough_for_users": number("The share of users for whom the smallest limit is enough."),
            "on_average_for_users": number("The share of users for whom enough_on_average_bytes is enough."),
            "near_app_limit": described(nearLimit, "The sessions near the app's limit; absent without one."),
            "enough_near_app_limit": described(nearLimit, "The sessions near it with enough_bytes of memory."),
        ]
        return record(
            [
                "cache": string, "changes": changes, "blank_ratio": blankRatio, "origin_bytes": originBytes,
                "memory_peak_bytes": peakBytes,
                "enough_pairs": list(
                    record(
                        ["disk_limit_bytes": count("The limit of the disk.")],
                        optional: ["memory_limit_bytes": count("The limit of memory; absent if not limited.")]),
                    "Pairs of smaller limits of memory and disk that are enough, without those that have a smaller one."
                ),
                "needed_peak_bytes": number(
                    """
                    The 95th percentile over users of the most bytes in memory, with the smallest limit that is enough.
                    """
                ),
                "binds": flag("Whether the limit makes objects leave."),
                "qualifies": flag("Whether the cache answers the question with the given limits."),
                "fits": flag("Whether the peak of memory is within the limit of the question."),
            ],
            optional: optional.merging(interval("low", "high", of: "blank_ratio")) { $1 }
                .merging(interval("enough_for_users_low", "enough_for_users_high", of: "enough_for_users")) { $1 }
                .merging(interval("origin_low", "origin_high", of: "origin_bytes")) { $1 })
    }

    private static var adviceSetting: Value {
        record(
            [
                "cache": string, "changes": changes, "code": string("The statements; empty if no statement is known."),
                "not_set": list(string, "What the code does not set, a sentence each."),
            ],
            optional: [
                "limit_bytes": count("The limit of memory that the code sets; absent if it sets no limit."),
                "disk_limit_bytes": diskLimit,
                "library": string("The library; absent if no code is known."),
                "language": words(SettingAsCode.Language.allCases.map(\.rawValue), "The language of the code."),
                "source": string("Where the names of the library were read."),
            ])
    }

    private static var advicePoint: Value {
        record(
            [
                "cache": string, "changes": changes, "blank_ratio": blankRatio, "memory_peak_bytes": peakBytes,
                "origin_bytes": originBytes,
                "front": flag("Whether the point is on the front of blank time, memory and bytes."),
                "knee": flag("Whether the point is the knee of blank time over memory."),
            ],
            optional: [
                "memory_limit_bytes": count("The limit of memory; absent if not limited."),
                "disk_limit_bytes": diskLimit,
                "near_app_limit": described(nearLimit, "The sessions near the app's limit; absent without one."),
            ])
    }
}
