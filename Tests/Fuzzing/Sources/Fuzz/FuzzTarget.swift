import CachePolicies
import CacheTraces
import SessionModel

/// One parser under test: an input must be read, or refused with the parser's own error, and what was read must make
/// sense.
struct FuzzTarget: Sendable {
    var name: String
    var feed: @Sendable ([UInt8]) -> Void
    var seeds: [[UInt8]]
    /// Longer inputs find no more, and cost time.
    var maximumLength = 4096

    static let all: [FuzzTarget] = TraceFormat.all.map(FuzzTarget.init) + [.recognition, .compression, .policy]

    /// Lines that stand for many requests: a few of them say all.
    private static let shortInputs = ["arc": 256, "meta-kv": 512, "meta-block": 512]

    init(_ format: TraceFormat) {
        name = format.name
        seeds = Seeds.of(format.name)
        feed = { bytes in check(TraceInput(bytes: bytes, path: "fuzz"), format) }
        maximumLength = Self.shortInputs[format.name] ?? maximumLength
    }

    private init(name: String, seeds: [[UInt8]], feed: @escaping @Sendable ([UInt8]) -> Void) {
        (self.name, self.seeds, self.feed) = (name, seeds, feed)
    }

    static let recognition = FuzzTarget(name: "recognition", seeds: TraceFormat.all.flatMap { Seeds.of($0.name) }) {
        bytes in
        check(TraceInput(bytes: bytes, path: "fuzz"), nil)
    }

    static let compression = FuzzTarget(name: "compression", seeds: Seeds.compressed) { bytes in
        do {
            let input = try TraceInput(TraceStream(contents: bytes, path: "fuzz"))
            require(input.count <= 1 << 30, "grew to \(input.count) bytes")
        } catch {
            require(error is TraceError, "another error than a TraceError: \(error)")
        }
    }

    static let policy = FuzzTarget(name: "policy", seeds: Seeds.policies) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let context = PolicyContext(
            workload: Workload(uniqueBytes: 1_000_000, objects: 1000), capacity: .bytes(100_000))
        do {
            let canonical = try context.canonical(text)
            let again = try context.canonical(canonical)
            require(canonical == again, "canonical form '\(canonical)' reads as '\(again)'")
            _ = try context.policy(text)
        } catch {
            require(error is SpecError, "another error than a SpecError: \(error)")
        }
    }
}

/// Ends the process where a promise is broken, so that libFuzzer keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
