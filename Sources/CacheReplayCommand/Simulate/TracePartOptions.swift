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

    /// The length as the command line has it.
    var text: String {
        switch self {
        case .requests(let count): "\(count)"
        case .share(let percent): "\(Quantity.plain(percent))%"
        case .time(let time): TimeSpan.text(time)
        }
    }

    /// Returns the number of requests of a trace in this length, from its start. It can be more than the trace has.
    func requests(of trace: DenseTrace) -> Int {
        switch self {
        case .requests(let count): count
        case .share(let percent): Int((percent / 100 * Double(trace.requestCount)).rounded())
        case .time(let time): trace.requests(before: time)
        }
    }
}

/// The requests before those that count.
struct WarmUp: Sendable, Equatable {
    var requests: Int
    var bytes: Int

    /// The marks of a simulation that has this warm-up.
    var marks: [Int] { requests > 0 ? [requests] : [] }
}

/// Which requests of a trace count.
struct TracePartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Let the first requests of each trace change the caches without counting them: a number of requests, a \
            share of them such as 10%, or a time since the start of the trace such as 1h.
            """,
            valueName: "length"),
        transform: { try TraceLength.parse($0) })
    var warmup: TraceLength?

    /// Whether the times of requests are needed.
    var needsTimes: Bool { if case .time? = warmup { true } else { false } }

    /// The warm-up as a number of requests; nil for another length, and without one.
    var warmupRequests: Int? { if case .requests(let count)? = warmup { count } else { nil } }
}

extension SimulateCommand {
    /// Refuses what a warm-up excludes.
    /// - Throws: `ValidationError` with the remedy.
    func validateParts() throws {
        guard parts.warmup != nil else { return }
        if curve {
            throw ValidationError(
                "--curve counts all requests; leave --warmup out, or give --policy lru and capacities in its place.")
        }
        if bounds {
            throw ValidationError("--bounds proves the fewest misses of all requests; leave --warmup out.")
        }
        if sample != nil || sampleSize != nil {
            throw ValidationError("--warmup counts the requests of the whole trace; leave --sample out.")
        }
        if stream, parts.warmupRequests == nil {
            throw ValidationError(
                """
                With --stream the requests of a trace are not known before its end: write --warmup as a number of \
                requests, such as 10000.
                """)
        }
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
