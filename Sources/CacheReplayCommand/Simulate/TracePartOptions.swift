import ArgumentParser
import Basics
import CacheSimulation
import CacheTraces

/// A length of a trace: a number of its requests, a share of them, or a time since its start.
enum TraceLength: Sendable, Equatable {
    case requests(Int)
    /// Above 0 and below 100.
    case share(percent: Double)
    /// Microseconds.
    case time(Int64)

    /// Reads a length such as `10000`, `10%` or `1h`.
    /// - Throws: `ValidationError` that says what is expected.
    static func parse(_ text: String) throws -> TraceLength {
        if let count = Int(text) {
            guard count > 0 else { throw ValidationError("expected a number of requests above 0") }
            return .requests(count)
        }
        if text.hasSuffix("%") {
            guard let number = Double(text.dropLast()), number > 0, number < 100 else {
                throw ValidationError("expected a share above 0% and below 100%, such as 10%")
            }
            return .share(percent: number)
        }
        guard let time = try? TimeSpan.microseconds(text), time > 0 else {
            throw ValidationError(
                "expected a number of requests such as 10000, a share of them such as 10%, or a time such as 1h")
        }
        return .time(time)
    }

    var text: String {
        switch self {
        case .requests(let count): "\(count)"
        case .share(let percent): "\(Quantity.plain(percent))%"
        case .time(let time): TimeSpan.text(time)
        }
    }

    /// Returns a share of a number of requests, rounded to whole requests.
    static func share(_ percent: Double, of requests: Int) -> Int {
        Int((percent / 100 * Double(requests)).rounded())
    }

    /// Returns the number of requests of a trace in this length, from its start. It can be more than the trace has.
    func requests(of trace: DenseTrace) -> Int {
        switch self {
        case .requests(let count): count
        case .share(let percent): Self.share(percent, of: trace.requestCount)
        case .time(let time): trace.requests(before: time)
        }
    }
}

/// The requests before those that count.
struct WarmUp: Sendable, Equatable {
    var requests: Int
    var bytes: Int

    var marks: [Int] { requests > 0 ? [requests] : [] }
}

/// The options that choose the requests of a trace that count.
struct TracePartOptions: ParsableArguments {
    @Option(help: "Leave out the first requests of each trace: the caches do not see them.")
    var skip: Int?

    @Option(help: "Simulate only this number of requests of each trace, from the first one that is not skipped.")
    var first: Int?

    @Option(
        help: ArgumentHelp(
            """
            Let the first requests of each trace change the caches without counting them: a number of requests, a \
            share of them such as 10%, or a time since the start of the trace such as 1h.
            """,
            valueName: "length"),
        transform: { try TraceLength.parse($0) })
    var warmup: TraceLength?

    @Option(
        help: ArgumentHelp(
            """
            Also write the miss ratio over time to miss_ratio_over_time.csv and to --json: of each part of so many \
            requests, or of a time such as 1h.
            """,
            valueName: "length"),
        transform: { try TraceLength.parse($0) })
    var every: TraceLength?

    @Flag(
        help: """
            Also write which requests hit: hits/ gets a file for each policy and capacity, with a bit for each \
            request. The simulation takes several times as long.
            """)
    var hits = false

    var cuts: Bool { skip != nil || first != nil }

    /// The options on which figures depend, as `run.json` has them.
    var settings: [String: String] {
        var settings = [
            "skip": skip.map { "\($0)" } ?? "none", "first": first.map { "\($0)" } ?? "all",
            "warmup": warmup?.text ?? "none", "every": every?.text ?? "none",
        ]
        // Only with the option, so that results without it do not change.
        if hits { settings["hits"] = "yes" }
        return settings
    }

    /// Whether the times of requests are needed.
    var needsTimes: Bool {
        // Parts have the times of their first requests.
        if every != nil { return true }
        if case .time? = warmup { return true }
        return false
    }

    /// Returns the parts that these options choose of a trace that is read in windows.
    ///
    /// - Parameter warmup: The warm-up, as ``SimulateCommand/streamedWarmUp(_:)`` has it; nil without one.
    func streamed(warmup: PartMarks.Length?) -> StreamedSweep.Parts {
        var cut = StreamedSweep.Parts(warmup: warmup)
        cut.skip = skip ?? 0
        cut.first = first
        cut.every =
            switch every {
            case .requests(let count): .requests(count)
            case .time(let time): .time(time)
            case .share, nil: nil
            }
        cut.most = SimulateCommand.mostParts
        return cut
    }
}

extension SimulateCommand {
    /// Refuses what parts of traces and a warm-up exclude.
    /// - Throws: `ValidationError` with the remedy.
    func validateParts() throws {
        for (name, count) in [("--skip", parts.skip), ("--first", parts.first)] {
            guard let count, count < 1 else { continue }
            throw ValidationError("\(name) is \(count), but must be at least 1.")
        }
        try validateEvery()
        try validateHits()
        guard parts.warmup != nil else { return }
        if curve {
            throw ValidationError(
                "--curve counts all requests; leave --warmup out, or give --policy lru and capacities in its place.")
        }
        if bounds {
            throw ValidationError("--bounds proves the fewest misses of all requests; leave --warmup out.")
        }
        if sample != nil {
            throw ValidationError("--warmup counts the requests of the whole trace; leave --sample out.")
        }
    }

    private func validateEvery() throws {
        guard let every = parts.every else { return }
        if case .share = every {
            throw ValidationError("--every is a number of requests such as 10000, or a time such as 1h.")
        }
        if policy == nil { throw ValidationError("--every needs --policy.") }
        if results.output == nil, !printing.json {
            throw ValidationError("--every needs --output, a folder for miss_ratio_over_time.csv, or --json.")
        }
        if sample != nil {
            throw ValidationError("--every counts the requests of the whole trace; leave --sample out.")
        }
    }

    private func validateHits() throws {
        guard parts.hits else { return }
        if policy == nil { throw ValidationError("--hits needs --policy.") }
        if results.output == nil { throw ValidationError("--hits needs --output, a folder for the files of hits/.") }
        if sample != nil {
            throw ValidationError("--hits notes the requests of the whole trace; leave --sample out.")
        }
    }

    /// The most parts of a trace. Each part has a row for each policy and capacity.
    static var mostParts: Int { 10_000 }

    /// Returns the requests of a trace at which a further part of `--every` begins, rising; empty without the option.
    /// - Throws: ``CommandFailure`` if there are too many.
    func partMarks(of trace: DenseTrace, behind warmup: WarmUp?, _ path: String) throws -> [Int] {
        guard let every = parts.every else { return [] }
        let (first, all) = (warmup?.requests ?? 0, trace.requestCount)
        let marks: [Int] =
            switch every {
            // A length beyond the trace has no further part, and none overflows.
            case .requests(let count): count >= all ? [] : Array(stride(from: first + count, to: all, by: count))
            case .time(let time): trace.marks(every: time, from: first)
            case .share: []
            }
        guard marks.count < Self.mostParts else {
            throw Self.tooManyParts(path, every.text, "\(marks.count + 1) parts")
        }
        return marks
    }

    /// Returns the failure for a trace with too many parts. Their number is not counted in windows.
    static func tooManyParts(_ path: String, _ every: String, _ parts: String) -> CommandFailure {
        CommandFailure(
            .usage, "\(path): --every \(every) makes \(parts) of the trace, more than \(mostParts); give a longer one")
    }

    /// Returns the part of a trace that `--skip` and `--first` choose.
    /// - Throws: ``CommandFailure`` if no request is left.
    func part(of trace: DenseTrace, _ path: String) throws -> DenseTrace {
        guard parts.cuts else { return trace }
        let (all, skipped) = (trace.requestCount, parts.skip ?? 0)
        guard skipped < all else { throw Self.allSkipped(path, skipped, of: all) }
        return trace.part(requests: skipped..<(skipped + min(all - skipped, parts.first ?? all)))
    }

    /// Returns the failure for a trace that ends before the skipped requests do.
    static func allSkipped(_ path: String, _ skipped: Int, of requests: Int) -> CommandFailure {
        CommandFailure(
            .usage, "\(path): --skip \(skipped) leaves none of the trace's \(requests) requests; give less")
    }

    /// Returns the requests of a trace before those that count; nil without `--warmup`.
    /// - Throws: ``CommandFailure`` if no request is left.
    func warmUp(of trace: DenseTrace, _ path: String) throws -> WarmUp? {
        guard let length = parts.warmup else { return nil }
        let count = length.requests(of: trace)
        let all = trace.requestCount
        guard count < all else { throw Self.onlyWarmUp(path, length.text, requests: all) }
        guard count > 0 else { return WarmUp(requests: 0, bytes: 0) }
        return WarmUp(requests: count, bytes: trace.requestParts(at: [count])[0].bytes)
    }

    /// Returns the warm-up of a trace that is read in windows; nil without `--warmup`. For a share, the requests are
    /// counted first, unless the size of the file tells their number.
    /// - Throws: ``CommandFailure`` for a share of a pipe, and `TraceError`.
    func streamedWarmUp(_ file: TraceFile) throws -> PartMarks.Length? {
        switch parts.warmup {
        case nil: return nil
        case .requests(let count): return .requests(count)
        case .time(let time): return .time(time)
        case .share(let percent):
            guard file.isRereadable else {
                throw CommandFailure(
                    .usage,
                    """
                    \(file.path): a share such as --warmup \(TraceLength.share(percent: percent).text) needs the \
                    number \
                    of requests, which are counted in a first pass over a file, and this is a pipe or a device; give a \
                    number of requests such as --warmup 10000, or a file
                    """)
            }
            let skipped = parts.skip ?? 0
            let (end, overflow) = skipped.addingReportingOverflow(parts.first ?? .max)
            let count = try DenseTrace.countRequests(
                of: file.place, try columnOptions(), upTo: overflow ? .max : end)
            return .requests(TraceLength.share(percent, of: max(0, count - skipped)))
        }
    }

    /// Returns the failure for a trace that ends before a warm-up does.
    static func onlyWarmUp(_ path: String, _ length: String, requests: Int) -> CommandFailure {
        CommandFailure(
            .usage,
            """
            \(path): --warmup \(length) has all \(requests) requests of the trace, so that none is counted; give a \
            shorter warm-up
            """)
    }
}
