import Basics
import Foundation
import ReplayEngine

/// The JSON text of a result: what `JSONDecoder` reads as the same value.
///
/// Encoding takes longer than the replay of a session of 800 requests, so the members with many numbers are written one
/// by one. A test compares both for results with a value in each member.
enum RunRecord {
    /// Returns the JSON of a result in one line, without a line break.
    /// - Throws: ``ResultsError`` of kind `badData` if a number is not finite.
    static func json(_ result: RunResult, file: String) throws(ResultsError) -> [UInt8] {
        var writer = JSONWriter(escapes: .none)
        writer.reserve(bytes: 4_096)
        do { try writer.append(result) } catch {
            throw ResultsError(
                .badData, file: file,
                "cannot be written as JSON: a figure is not a finite number; report this as an error of cachereplay")
        }
        return writer.bytes
    }
}

private struct NotFinite: Error {}

extension JSONWriter {
    fileprivate mutating func append(_ result: RunResult) throws {
        try object { record in
            try record.member("identity") { try $0.append(result.identity) }
            if let user = result.user { record.member("user", user) }
            record.member("counts") { $0.append(result.counts) }
            try record.array("latencies", result.latencies) { try $0.append($1) }
            try record.array("timeline", result.timeline) { record, row in
                record.beginArray()
                for number in row.counts { record.integer(number) }
                for number in row.means { try record.mean(number) }
                record.endArray()
            }
            try record.array("marks", result.marks) { try $0.encoded($1) }
            record.member("omittedMarks", result.omittedMarks)
            if let film = result.film { record.array("film", film.numbers) { $0.integer($1) } }
            if let causes = result.causes { try record.member("causes") { try $0.encoded(causes) } }
            record.member("tiers") { $0.append(result.tiers) }
            try record.member("prefetch") { try $0.append(result.prefetch) }
            if let limit = result.memoryLimit { record.member("memoryLimit", limit) }
            if let peak = result.imageMemoryPeak { record.member("imageMemoryPeak", peak) }
            try record.object("blank") { blank in
                try blank.figure("blankTime", result.blank.blankTime)
                try blank.figure("visibleTime", result.blank.visibleTime)
            }
            try record.member("revalidation") { try $0.append(result.revalidation) }
            record.member("traceDuration", result.traceDuration)
            if let machine = result.machine { try record.member("machine") { try $0.encoded(machine) } }
            if let driven = result.driven { try record.member("driven") { try $0.encoded(driven) } }
            try record.array("notes", result.notes) { try $0.encoded($1) }
            if let model = result.nsCacheModel { try record.member("nsCacheModel") { try $0.encoded(model) } }
        }
    }

    private mutating func append(_ identity: RunIdentity) throws {
        try object {
            $0.member("trace", identity.trace)
            $0.member("cache", identity.cache)
            $0.member("specification", identity.specification)
            $0.member("repetition", identity.repetition)
            $0.member("seed", identity.seed)
            $0.member("clock", identity.clock)
            if let speed = identity.speed { try $0.figure("speed", speed) }
            $0.member("timing", identity.timing)
            $0.member("network", identity.network)
            $0.member("holds", identity.holds)
            if let base = identity.base { $0.member("base", base) }
            if let swept = identity.swept { try $0.member("swept") { try $0.encoded(swept) } }
        }
    }

    private mutating func append(_ counts: OutcomeCounts) {
        object {
            $0.member("memoryHits", counts.memoryHits)
            $0.member("diskHits", counts.diskHits)
            $0.member("originFetches", counts.originFetches)
            $0.member("coalesced", counts.coalesced)
            $0.member("deferred", counts.deferred)
            $0.member("cancelled", counts.cancelled)
            $0.member("failed", counts.failed)
            $0.member("wrong", counts.wrong)
            $0.member("shown", counts.shown)
            $0.member("shownWithin16ms", counts.shownWithin16ms)
            $0.member("shownWithin100ms", counts.shownWithin100ms)
            $0.member("shownWithin1s", counts.shownWithin1s)
            $0.member("late", counts.late)
            $0.member("prefetches", counts.prefetches)
            $0.member("staleHits", counts.staleHits)
        }
    }

    private mutating func append(_ prefetch: PrefetchFigures) throws {
        try object {
            $0.member("fetches", prefetch.fetches)
            $0.member("used", prefetch.used)
            $0.member("cancelled", prefetch.cancelled)
            $0.member("bytes", prefetch.bytes)
            $0.member("unusedBytes", prefetch.unusedBytes)
            if let avoided = prefetch.blankAvoided { try $0.figure("blankAvoided", avoided) }
        }
    }

    private mutating func append(_ figures: RevalidationFigures) throws {
        try object {
            $0.member("revalidations", figures.revalidations)
            $0.member("notModified", figures.notModified)
            $0.member("savedBytes", figures.savedBytes)
            try $0.figure("waitTime", figures.waitTime)
            try $0.figure("stalenessShown", figures.stalenessShown)
        }
    }

    private mutating func append(_ latency: LatencySummary) throws {
        try object {
            $0.member("group", latency.group.rawValue)
            $0.member("count", latency.count)
            try $0.figure("mean", latency.mean)
            $0.member("p50", latency.p50)
            $0.member("p90", latency.p90)
            $0.member("p99", latency.p99)
            $0.member("p999", latency.p999)
            $0.member("max", latency.max)
            $0.key("distribution")
            $0.beginArray()
            for point in latency.distribution {
                $0.integer(point.latency)
                $0.integer(latency.seen(point))
            }
            $0.endArray()
        }
    }

    private mutating func append(_ tiers: TierFigures) {
        object {
            $0.member("requestBytes", tiers.requestBytes)
            $0.member("hitBytes", tiers.hitBytes)
            $0.member("originBytes", tiers.originBytes)
            $0.member("diskReadBytes", tiers.diskReadBytes)
            $0.member("diskWrittenBytes", tiers.diskWrittenBytes)
            $0.member("memoryEvictions", tiers.memoryEvictions)
            $0.member("diskEvictions", tiers.diskEvictions)
            $0.member("memoryExpirations", tiers.memoryExpirations)
            $0.member("diskExpirations", tiers.diskExpirations)
            $0.member("damagedFiles", tiers.damagedFiles)
            $0.member("memoryPeakBytes", tiers.memoryPeakBytes)
            $0.member("diskPeakBytes", tiers.diskPeakBytes)
        }
    }

    /// Writes a figure with all its digits.
    private mutating func figure(_ name: String, _ value: Double) throws {
        guard value.isFinite else { throw NotFinite() }
        key(name)
        number("\(value)")
    }

    /// Writes a number; a whole one without a point.
    private mutating func mean(_ value: Double) throws {
        guard value.isFinite else { throw NotFinite() }
        if let whole = Int64(exactly: value) { integer(whole) } else { number("\(value)") }
    }

    private mutating func encoded(_ value: some Encodable) throws { json(try JSONValue(encoding: value).bytes(.line)) }
}
