import Basics
import CachePolicies
import CacheTiers

/// One setting of a cache besides the policies of its tiers: its name, type, default and meaning, and where a
/// ``CacheConfiguration`` stores it.
///
/// ``all`` is the only list of rules. The parser of specifications, the YAML reader, the canonical text of a cache, the
/// help of the command, `cachereplay list rules` and the page of all rules in the documentation derive from it.
public struct Rule: Sendable {
    /// The part of a cache that a rule belongs to. In a YAML file, it is the key that the rule is written under.
    public enum Section: String, Sendable, CaseIterable {
        case memory
        case disk
        case pipeline
    }

    public let name: String
    public let section: Section
    /// The accepted values, in words.
    public let values: String
    public let forms: [ValueForm]
    /// The meaning, in one sentence or two.
    public let meaning: String
    private let parse: @Sendable (String, inout CacheConfiguration) -> Bool
    private let read: @Sendable (CacheConfiguration) -> String

    /// Creates a rule that is stored at a key path.
    init<Value: Sendable>(
        _ name: String, _ section: Section, _ path: WritableKeyPath<CacheConfiguration, Value> & Sendable,
        _ type: RuleType<Value>, _ meaning: String
    ) {
        self.name = name
        self.section = section
        self.meaning = meaning
        values = type.expectation
        forms = type.forms
        parse = { text, cache in
            guard let value = type.value(text) else { return false }
            cache[keyPath: path] = value
            return true
        }
        read = { type.text($0[keyPath: path]) }
    }

    /// Returns the rule's value in a cache, as it is written.
    public func text(in cache: CacheConfiguration) -> String { read(cache) }

    /// The default, as it is written.
    public var defaultText: String { read(CacheConfiguration.defaults) }

    /// Sets the rule in a cache.
    ///
    /// - Throws: ``RuleError`` that names the accepted values.
    public func set(_ text: String, in cache: inout CacheConfiguration) throws(RuleError) {
        guard parse(text, &cache) else {
            throw RuleError(rule: name, message: "\(name) is \(values), not '\(text)'")
        }
    }

    /// Whether the rule says what an app does, and not its cache: what its cells do, and what it asks for ahead of
    /// need. A preset has a value of it all the same, which is an assumption unless the code of the library decides.
    public var isOfApp: Bool { Self.ofApp.contains(name) }

    private static let ofApp: Set<String> = ["prefetch", "prefetchCancels", "prefetchOnMetered", "cancelOnDisappear"]

    /// Returns the rule with the given name, or nil.
    public static func named(_ name: String) -> Rule? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

}

/// A rule that does not exist, or a value that a rule does not accept.
public struct RuleError: Error, Sendable, CustomStringConvertible {
    public var rule: String
    public var message: String

    package init(rule: String, message: String) {
        self.rule = rule
        self.message = message
    }

    public var description: String { message }
}

/// The type of a rule's value: which texts are values of it, and how a value is written.
struct RuleType<Value: Sendable>: Sendable {
    /// The texts that are accepted, in words: `true or false`.
    let expectation: String
    let forms: [ValueForm]
    /// Parses a text; nil if it is not a value.
    let value: @Sendable (String) -> Value?
    /// Returns the text of a value. It parses as the same value.
    let text: @Sendable (Value) -> String
}

extension RuleType where Value == Bool {
    static var flag: Self { Self(expectation: "true or false", forms: [.flag], value: { Bool($0) }, text: { "\($0)" }) }
}

extension RuleType where Value == Int {
    /// A whole number from `least` to 1000.
    static func count(atLeast least: Int) -> Self {
        Self(
            expectation: "a whole number from \(least) to 1000", forms: [.whole(least...1_000)],
            value: { text in Int(text).flatMap { (least...1_000).contains($0) ? $0 : nil } }, text: { "\($0)" })
    }
}

extension RuleType where Value == Int? {
    /// A whole number from 1 to 1000, or `none`.
    static var limit: Self { optional(.count(atLeast: 1)) }

    /// A size in bytes, or `none`.
    static var bytes: Self {
        optional(.size)
    }

    private static func optional(_ type: RuleType<Int>) -> Self {
        Self(
            expectation: "\(type.expectation), or none", forms: type.forms + [.words(["none"])],
            value: { $0 == "none" ? .some(nil) : type.value($0).map { $0 } },
            text: { $0.map(type.text) ?? "none" })
    }
}

extension RuleType where Value == Int {
    /// A size in bytes.
    static var size: Self {
        Self(
            expectation: "a size such as 80MB", forms: [.size],
            value: { if case .bytes(let bytes)? = try? Size($0) { bytes } else { nil } },
            text: { Size.bytes($0).description })
    }
}

extension RuleType where Value == Int64 {
    /// A duration in microseconds.
    static var duration: Self {
        Self(
            expectation: "a duration such as 500ms or 4s", forms: [.duration],
            value: { try? TimeSpan.microseconds($0) },
            text: TimeSpan.text)
    }
}

extension RuleType where Value == PressureAction {
    static var pressureAction: Self {
        Self(
            expectation: "keep, clear, or a size such as 50MB or a share such as 50% or 10% of limit to trim to",
            forms: [.words(["keep", "clear"]), .size, .share, .limitShare],
            value: { text in
                switch text {
                case "keep": return .keep
                case "clear": return .clear
                default:
                    switch try? Size(text) {
                    case .bytes(let bytes): return bytes == 0 ? .clear : .trim(to: bytes)
                    case .share(let share) where share <= 1: return share == 0 ? .clear : .trimToShare(share)
                    default: return EntryLimit.shareOfLimit(text).map { $0 == 0 ? .clear : .trimToLimit($0) }
                    }
                }
            },
            text: { action in
                switch action {
                case .keep: "keep"
                case .clear: "clear"
                case .trim(let bytes): Size.bytes(bytes).description
                case .trimToShare(let share): Size.share(share).description
                case .trimToLimit(let share): EntryLimit.text(shareOfLimit: share)
                }
            })
    }
}

/// A rule's value that is one of a few words.
protocol RuleChoice: RawRepresentable<String>, CaseIterable, Sendable {}

extension RuleType where Value: RuleChoice {
    static var choice: Self {
        Self(
            expectation: "one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))",
            forms: [.words(Value.allCases.map(\.rawValue))],
            value: { Value(rawValue: $0) }, text: \.rawValue)
    }
}

/// A form that texts of a value have. A value has one of a few forms.
public enum ValueForm: Sendable, Equatable {
    case words([String])
    case flag
    case whole(ClosedRange<Int>)
    /// Bytes.
    case size
    /// A percentage.
    case share
    /// A percentage of the limit of a tier.
    case limitShare
    /// A percentage of the limit of a tier, for its entries: also below it, and with a least size.
    case entryShare
    case duration
    /// One of these names, with an argument in parentheses.
    case call([String])
}

extension Rule {
    /// All rules, in the order of a cache's canonical text.
    public static let all: [Rule] = memory + disk + pipeline

    private static let memory: [Rule] = [
        Rule(
            "cost", .memory, \.memoryRules.cost, .choice,
            """
            The cost of an object against a limit in bytes: that of what memory holds (held), the bytes of the \
            response, those of the bitmap (width x height x 4), both, those of the file with its overhead if the cache \
            has a disk tier, or nothing.
            """),
        Rule(
            "holds", .memory, \.memoryRules.holds, .choice,
            """
            What the memory tier holds of an object: the bitmap, or the bytes of the response, which are decoded for \
            each delivery.
            """
        ),
        Rule(
            "entryLimit", .memory, \.memoryRules.entryLimit, .entryLimit,
            """
            The highest cost of a single object. A share of the limit follows it. The policy's limits apply in any case.
            """),
        Rule(
            "oversize", .memory, \.memoryRules.oversize, .choice,
            """
            What happens to the old object when a new one for its key is larger than entryLimit: ignored keeps it, \
            removed deletes it.
            """),
        Rule(
            "memoryKey", .memory, \.memoryRules.memoryKey, .choice,
            """
            The key of an object in memory: the URL, every fifth character of it, or its host, port and path. URLs \
            that \
            share a key share an object.
            """),
        Rule(
            "memorySizes", .memory, \.memoryRules.sizes, .choice,
            """
            The entries of an image that views of several sizes show, in sessions that record these sizes: one, in the \
            size of the image (one); one for each size, because the key contains it (each); or one, which serves views \
            that are at most as large, and which a larger one replaces (largest). Files and fetches have no sizes.
            """),
        Rule(
            "sizeTolerance", .memory, \.memoryRules.sizeTolerance, .count(atLeast: 0),
            """
            With memorySizes: largest, a bitmap serves a larger view too from which its width or its height differs by \
            at most so many pixels.
            """),
        Rule(
            "countsFrames", .memory, \.memoryRules.countsFrames, .flag,
            """
            The bitmap of an animated image has all frames that the trace records, in memory and in its cost. Without \
            this rule, and for an image whose frames are not recorded, it has one.
            """),
        Rule(
            "memoryOnBackground", .memory, \.memoryRules.onBackground, .pressureAction,
            """
            What happens to memory when the app enters the background. A size trims to that cost, and a share to that \
            part of the present cost, or of the limit; all need a policy that names its next victim.
            """),
        Rule(
            "memoryOnWarning", .memory, \.memoryRules.onWarning, .pressureAction,
            "What happens to memory at a memory warning; the values are those of memoryOnBackground."),
        Rule(
            "pinsShown", .memory, \.memoryRules.pinsShown, .flag,
            """
            An object that a visible cell shows is outside of the policy: it is always a hit, costs nothing against \
            the limits, and enters the policy anew when its last cell disappears. It excludes live.
            """),
        Rule(
            "live", .memory, \.memoryRules.live, .choice,
            """
            What a request finds of an object that a visible cell shows, and that the policy counts, and has \
            evicted or refused: nothing (none); the object, which then enters the policy anew (returns); or the \
            object, which does not (stays).
            """),
        Rule(
            "encodedMemory", .memory, \.memoryRules.encodedMemory, .bytes,
            """
            The size of a second memory, of encoded bytes, that is asked between memory and disk: an LRU whose \
            entries take up at most an eighth of it. It needs a disk tier.
            """),
        Rule(
            "promotedForever", .memory, \.memoryRules.promotedForever, .flag,
            "An object that is promoted from disk to memory never expires there, whatever the policy's lifetime."),
        Rule(
            "memoryLifetime", .memory, \.memoryRules.lifetime, .choice,
            """
            The source of an object's lifetime in memory: the policy, the recorded HTTP headers (RFC 9111), headers \
            that state a lifetime explicitly (httpExplicit); then other responses are not stored; max-age alone, and \
            7 days without it (maxAge); or headers, counted from the date that the server states (httpDate). An object \
            without such headers has the policy's lifetime, or none if the policy has none.
            """),
        Rule(
            "memoryRevalidate", .memory, \.memoryRules.revalidate, .choice,
            """
            What happens to an object past its lifetime by HTTP headers: it expires (never); it stays, and a request \
            asks the origin first whether it is current (conditional); within stale-while-revalidate it is shown \
            meanwhile; every request shows it and asks meanwhile (cacheThenNetwork); or a request past its lifetime \
            does so (staleThenNetwork). It needs memoryLifetime: http, httpExplicit, maxAge or httpDate.
            """),
    ]

    private static let disk: [Rule] = [
        Rule(
            "layout", .disk, \.diskRules.format.layout, .choice,
            "The names of files on disk, and the folders or the database that hold them."),
        Rule(
            "diskContent", .disk, \.diskRules.content, .choice,
            """
            What is written of an object: the bytes of the response, or the image encoded again as JPEG of quality \
            1.0, or as JPEG or PNG after its original format, in which a GIF stays as it is.
            """),
        Rule(
            "overwrites", .disk, \.diskRules.overwrites, .flag,
            "A store replaces a file that exists. Without this rule, the existing file stays."),
        Rule(
            "diskEntryLimit", .disk, \.diskRules.entryLimit, .entryLimit,
            """
            The largest size of a single file. A share of the limit follows it. The policy's limits apply in any case.
            """),
        Rule(
            "diskOversize", .disk, \.diskRules.oversize, .choice,
            """
            What happens to the old file when a new one for its key is larger than diskEntryLimit: ignored keeps it, \
            removed deletes it.
            """),
        Rule(
            "diskFailures", .disk, \.diskRules.failures, .choice,
            """
            What the answer to a fetch that has failed for good changes on disk: nothing (ignored); with status 404, \
            the file of the object leaves (removed); or with status 404, 405, 410, 414 or 501, the answer takes its \
            place, and a request that finds it fails without a fetch, until it leaves (stored).
            """),
        Rule(
            "diskLifetime", .disk, \.diskRules.lifetime, .choice,
            "The source of a file's lifetime; the values are those of memoryLifetime."),
        Rule(
            "diskRevalidate", .disk, \.diskRules.revalidate, .choice,
            """
            What happens to a file past its lifetime by HTTP headers; the values are those of memoryRevalidate. It \
            needs diskLifetime: http, httpExplicit, maxAge or httpDate.
            """),
        Rule(
            "keepsAccessDates", .disk, \.diskRules.format.keepsAccessDates, .flag,
            "Each read sets the file's date of last access."),
        Rule(
            "wholeSeconds", .disk, \.diskRules.format.wholeSeconds, .flag,
            "Dates on disk are whole seconds, rounded up."),
        Rule(
            "atomicWrites", .disk, \.diskRules.format.atomicWrites, .flag,
            "A file appears complete or not at all. Without this rule, it is written in place."),
        Rule(
            "keepsDamaged", .disk, \.diskRules.format.keepsDamaged, .flag,
            """
            A damaged file stays on disk, and each request for it fails. Without this rule, it is removed and fetched \
            again.
            """
        ),
        Rule(
            "diskOverhead", .disk, \.diskRules.format.overhead, .size,
            "The bytes of a file beside its content, such as an archive's structure. They count against the limits."),
        Rule(
            "diskBlock", .disk, \.diskRules.format.block, .bytes,
            """
            The unit in which the limits count file sizes, rounded up: the allocated size that a file system reports. \
            none counts bytes.
            """),
    ]

    private static let pipeline: [Rule] = [
        Rule(
            "connections", .pipeline, \.pipeline.connections, .limit,
            "The number of fetches that run at the same time. none: as many as the network allows."),
        Rule(
            "prefetchConnections", .pipeline, \.pipeline.prefetchConnections, .limit,
            "The number of those fetches that may be prefetches."),
        Rule(
            "connectionsPerHost", .pipeline, \.pipeline.connectionsPerHost, .limit,
            """
            The number of connections to one host over HTTP/1.1, each of which carries one fetch at a time. Over \
            HTTP/2 \
            and HTTP/3, all fetches share one connection. none: as many as the recording shows.
            """
        ),
        Rule(
            "fetchesPerSecond", .pipeline, \.pipeline.fetchesPerSecond, .limit,
            "The rate of a token bucket that fetches pass before the connections."),
        Rule(
            "burst", .pipeline, \.pipeline.burst, .count(atLeast: 1),
            "The capacity of that token bucket: the number of fetches that start at once after a pause."),
        Rule(
            "order", .pipeline, \.pipeline.order, .choice,
            """
            The order of fetches that wait for a connection: the oldest first, the newest first, or those first that a \
            visible cell waits for.
            """),
        Rule(
            "queue", .pipeline, \.pipeline.queue, .choice,
            """
            What a fetch waits for before it gets a connection: the limits above; or first as long as the same fetch \
            of the recording waited in the queue of its client (recorded), such as a browser's, which also loads \
            resources that are no images. A fetch that the recording does not have has no such wait.
            """),
        Rule(
            "coalesce", .pipeline, \.pipeline.coalesce, .flag,
            "A request for an object that is being fetched joins that fetch."),
        Rule(
            "coalesceDisk", .pipeline, \.pipeline.coalesceDisk, .flag,
            """
            A request or prefetch for an object that is being read from disk joins that read, and shares its decoding \
            and its promotion.
            """),
        Rule(
            "keepsWaiters", .pipeline, \.pipeline.keepsWaiters, .flag,
            "A defect: the list of waiting requests outlives its fetch, and later requests for the key wait forever."),
        Rule(
            "failureReaches", .pipeline, \.pipeline.failureReaches, .choice,
            "The requests that learn of a failed fetch. With first, a defect, the others wait forever."),
        Rule(
            "fetchWhileScrolling", .pipeline, \.pipeline.fetchWhileScrolling, .flag,
            "Fetches start while the list moves. Without this rule, misses wait until the list is at rest."),
        Rule(
            "store", .pipeline, \.pipeline.store, .choice, "The tiers that store a fetched object."),
        Rule(
            "promote", .pipeline, \.pipeline.promote, .flag,
            "An object that is read from disk is stored in memory too."),
        Rule(
            "prefetchInto", .pipeline, \.pipeline.prefetchInto, .choice,
            """
            Where a prefetch ends: its image is decoded and stored in memory; one that was on disk stays there \
            (memoryIfFetched); or none is decoded, and a fetched one is stored on disk alone (disk). An image that a \
            request waits for is always decoded.
            """),
        Rule(
            "prefetch", .pipeline, \.pipeline.prefetch, .prefetch,
            """
            What is fetched ahead of need: what the app asked for in the recording; nothing; the next cells or rows in \
            the direction of movement; the cells that the list reaches in a time at its present speed; or each cell a \
            time before it appears (oracle), which no app can know.
            """),
        Rule(
            "prefetchCancels", .pipeline, \.pipeline.prefetchCancels, .flag,
            """
            When the list changes its direction, fetches ahead of need that lie behind are cancelled, unless a cell \
            waits for them. Recorded prefetches are never cancelled.
            """),
        Rule(
            "prefetchLast", .pipeline, \.pipeline.prefetchLast, .flag,
            "A fetch ahead of need starts only if no other fetch that may start waits for a connection."),
        Rule(
            "prefetchOnMetered", .pipeline, \.pipeline.prefetchOnMetered, .flag,
            "Prefetches are made on a metered network too. A profile of --network says whether it is metered."),
        Rule(
            "cancelOnDisappear", .pipeline, \.pipeline.cancelOnDisappear, .flag,
            "A request is cancelled when its cell disappears, and a fetch when its last request is."),
        Rule(
            "retries", .pipeline, \.pipeline.retries, .count(atLeast: 0),
            "The number of further attempts after a fetch has failed."),
        Rule(
            "retriesAfter", .pipeline, \.pipeline.retriesAfter, .choice,
            """
            The failures after which a fetch is attempted again: all (anyFailure), no response or a status from 500 on \
            (serverErrors), or no response (noResponse).
            """),
        Rule(
            "retryDelay", .pipeline, \.pipeline.retryDelay, .duration,
            """
            The delay before the second attempt. Each further delay is retryFactor times as long, up to \
            retryDelayLimit.
            """),
        Rule(
            "retryFactor", .pipeline, \.pipeline.retryFactor, .count(atLeast: 1),
            "The factor by which the delay grows with each further attempt."),
        Rule(
            "retryDelayLimit", .pipeline, \.pipeline.retryDelayLimit, .duration,
            "The longest delay between two attempts, up to a day."),
        Rule(
            "undecodable", .pipeline, \.pipeline.undecodable, .choice,
            """
            What becomes of a response whose status is a success and whose body is not an image: it is thrown away \
            (discarded); nothing is fetched for its URL until the app is relaunched either (blocked); it is stored as \
            an image would be, and a request that finds it fails without a fetch (stored); or it is stored on disk, \
            and a request that finds it there fetches again (storedAndFetched), which replaces the file with \
            overwrites: true, and fails with overwrites: false.
            """),
        Rule(
            "cancelledReads", .pipeline, \.pipeline.cancelledReads, .choice,
            """
            What becomes of a disk read whose requests were cancelled: it is finished and promotes; it is dropped \
            while \
            it waits, but promotes once it has begun; or it never promotes.
            """),
        Rule(
            "diskLanes", .pipeline, \.pipeline.diskLanes, .count(atLeast: 1),
            "The number of disk operations that run at the same time. 1 is the serial queue of most image libraries."),
        Rule(
            "diskOnMainLane", .pipeline, \.pipeline.diskOnMainLane, .flag,
            "Disk reads run on the main lane, which does nothing else meanwhile."),
        Rule(
            "decodeLanes", .pipeline, \.pipeline.decodeLanes, .count(atLeast: 1),
            "The number of images that are decoded at the same time, with --decode."),
        Rule(
            "decodeOnMainLane", .pipeline, \.pipeline.decodeOnMainLane, .flag,
            """
            With --decode, images are decoded on the main lane, as an image is that is decoded when it is first drawn.
            """),
        Rule(
            "memoryHitsRenewFiles", .pipeline, \.pipeline.memoryHitsRenewFiles, .flag,
            "A hit in memory also counts as an access to the object's file, and renews its dates."),
        Rule(
            "sweepOnBackground", .pipeline, \.pipeline.sweepOnBackground, .flag,
            """
            When the app enters the background, expired files are removed, and the disk policy does the trimming that \
            it \
            reserves for that moment.
            """),
        Rule(
            "sweepOnTerminate", .pipeline, \.pipeline.sweepOnTerminate, .flag,
            """
            When the app ends, expired files are removed, and the disk policy does the trimming that it reserves for \
            the background.
            """),
    ]
}
