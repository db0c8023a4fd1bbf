import Foundation
import ReplayEngine

/// The JSON text of a result: what `JSONDecoder` reads as the same value.
///
/// `JSONEncoder` takes longer than the replay of a session of 800 requests, so the members with many numbers are
/// written by hand. A test compares both for results with a value in each member.
struct RunRecord {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Returns the JSON of a result in one line, without a line break.
    /// - Throws: ``ResultsError`` of kind `badData` if a number is not finite.
    static func json(_ result: RunResult, file: String) throws(ResultsError) -> [UInt8] {
        var record = RunRecord()
        record.bytes.reserveCapacity(4_096)
        do { try record.append(result) } catch {
            throw ResultsError(
                .badData, file: file,
                "cannot be written as JSON: a figure is not a finite number; report this as an error of cachereplay")
        }
        return record.bytes
    }

    private struct NotFinite: Error {}

    private mutating func append(_ result: RunResult) throws {
        try object { record in
            try record.member("identity") { try $0.append(result.identity) }
            if let user = result.user { record.member("user", user) }
            try record.member("counts") { try $0.append(result.counts) }
            try record.member("latencies") { try $0.list(result.latencies) { try $0.append($1) } }
            try record.member("timeline") {
                try $0.list(result.timeline) { record, row in
                    record.bytes.append(UInt8(ascii: "["))
                    for number in row.counts {
                        record.write(number)
                        record.comma()
                    }
                    try record.write(row.fetchesInFlight)
                    record.comma()
                    try record.write(row.blankCells)
                    record.bytes.append(UInt8(ascii: "]"))
                }
            }
            try record.member("marks") { try $0.list(result.marks) { try $0.encoded($1) } }
            record.member("omittedMarks", result.omittedMarks)
            if let film = result.film { try record.member("film") { try $0.list(film.numbers) { $0.write($1) } } }
            if let causes = result.causes { try record.member("causes") { try $0.encoded(causes) } }
            try record.member("tiers") { try $0.append(result.tiers) }
            try record.member("prefetch") { try $0.append(result.prefetch) }
            if let limit = result.memoryLimit { record.member("memoryLimit", limit) }
            if let peak = result.imageMemoryPeak { record.member("imageMemoryPeak", peak) }
            try record.member("blank") { blank in
                try blank.object {
                    try $0.member("blankTime", result.blank.blankTime)
                    try $0.member("visibleTime", result.blank.visibleTime)
                }
            }
            try record.member("revalidation") { try $0.append(result.revalidation) }
            record.member("traceDuration", result.traceDuration)
            if let machine = result.machine { try record.member("machine") { try $0.encoded(machine) } }
            if let driven = result.driven { try record.member("driven") { try $0.encoded(driven) } }
            try record.member("notes") { try $0.list(result.notes) { try $0.encoded($1) } }
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
            if let speed = identity.speed { try $0.member("speed", speed) }
            $0.member("timing", identity.timing)
            $0.member("network", identity.network)
            $0.member("holds", identity.holds)
            if let base = identity.base { $0.member("base", base) }
            if let swept = identity.swept { try $0.member("swept") { try $0.encoded(swept) } }
        }
    }

    private mutating func append(_ counts: OutcomeCounts) throws {
        try object {
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
            if let avoided = prefetch.blankAvoided { try $0.member("blankAvoided", avoided) }
        }
    }

    private mutating func append(_ figures: RevalidationFigures) throws {
        try object {
            $0.member("revalidations", figures.revalidations)
            $0.member("notModified", figures.notModified)
            $0.member("savedBytes", figures.savedBytes)
            try $0.member("waitTime", figures.waitTime)
            try $0.member("stalenessShown", figures.stalenessShown)
        }
    }

    private mutating func append(_ latency: LatencySummary) throws {
        try object {
            $0.member("group", latency.group.rawValue)
            $0.member("count", latency.count)
            try $0.member("mean", latency.mean)
            $0.member("p50", latency.p50)
            $0.member("p90", latency.p90)
            $0.member("p99", latency.p99)
            $0.member("p999", latency.p999)
            $0.member("max", latency.max)
            try $0.member("distribution") {
                try $0.list(latency.distribution) { record, point in
                    record.write(point.latency)
                    record.comma()
                    record.write(latency.seen(point))
                }
            }
        }
    }

    private mutating func append(_ tiers: TierFigures) throws {
        try object {
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

    // MARK: JSON

    private mutating func object(_ body: (inout RunRecord) throws -> Void) rethrows {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        try body(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func list<Element>(
        _ elements: [Element], _ write: (inout RunRecord, Element) throws -> Void
    ) rethrows {
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { comma() }
            try write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    private mutating func comma() { bytes.append(UInt8(ascii: ",")) }

    private mutating func key(_ name: StaticString) {
        if needsComma { comma() }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
        key(name)
        write(value)
    }

    private mutating func member(_ name: StaticString, _ value: Double) throws {
        guard value.isFinite else { throw NotFinite() }
        key(name)
        bytes.append(contentsOf: "\(value)".utf8)
    }

    private mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20: bytes.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func member(_ name: StaticString, _ write: (inout RunRecord) throws -> Void) rethrows {
        key(name)
        try write(&self)
        needsComma = true
    }

    private mutating func encoded(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        bytes.append(contentsOf: try encoder.encode(value))
    }

    /// Writes a number; a whole one without a point.
    private mutating func write(_ value: Double) throws {
        guard value.isFinite else { throw NotFinite() }
        if let whole = Int64(exactly: value) { write(whole) } else { bytes.append(contentsOf: "\(value)".utf8) }
    }

    private mutating func write(_ value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = UInt64(value.magnitude)
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }
}
