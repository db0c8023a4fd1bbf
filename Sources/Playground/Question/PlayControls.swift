import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine

/// A control of the page. Each is a rule of the command line, or a limit.
struct PlayControl: Sendable {
    enum Kind: Sendable {
        /// A size on a logarithmic scale, `unlimited`, and other words.
        case size(words: [String])
        case choice([String])
        /// A whole number, or `none`.
        case count(ClosedRange<Int>)
    }

    let rule: String
    let label: String
    let kind: Kind

    init(_ rule: String, _ label: String, _ kind: Kind) {
        (self.rule, self.label, self.kind) = (rule, label, kind)
    }
}

/// A size that matters in a session, such as the size of its largest image.
struct PlayMark: Sendable, Equatable {
    var bytes: Int
    var label: String

    /// Returns the marks of a session: images as memory holds them.
    static func marks(of session: PlaySession) -> [PlayMark] {
        let marks = [
            PlayMark(bytes: session.largestImage, label: "largest image"),
            PlayMark(bytes: session.workingSet, label: "all images"),
        ]
        return marks.filter { $0.bytes > 0 }
    }
}

/// The controls of the page, in its order.
enum PlayControls {
    private static let flag = PlayControl.Kind.choice(["true", "false"])

    static let all: [PlayControl] = [
        PlayControl("memory", "Memory limit", .size(words: [])),
        PlayControl("disk", "Disk limit", .size(words: ["none"])),
        PlayControl(
            "prefetch", "Prefetch",
            .choice([
                "none", "recorded", "rows(1)", "rows(2)", "rows(4)", "next(4)", "next(12)", "velocity(250ms)",
                "velocity(500ms)",
            ])),
        PlayControl("prefetchCancels", "Cancel prefetches behind", flag),
        PlayControl("prefetchLast", "Prefetch only when idle", flag),
        PlayControl("connections", "Connections", .count(1...16)),
        PlayControl("connectionsPerHost", "Connections to a host", .count(1...16)),
        PlayControl("order", "Order of downloads", .choice(FetchOrder.allCases.map(\.rawValue))),
        PlayControl("cancelOnDisappear", "Cancel when a cell vanishes", flag),
        PlayControl("coalesce", "Join equal downloads", flag),
        PlayControl("policy", "Policy of memory", .choice(policies)),
        PlayControl("lifetime", "Lifetime", .choice(["5min", "1h", "1d", "7d", "30d", "never"])),
        PlayControl("memoryOnWarning", "At a memory warning", .choice(["keep", "50%", "clear"])),
        PlayControl("memoryOnBackground", "In the background", .choice(["keep", "50%", "clear"])),
        PlayControl("decodeLanes", "Images decoded at a time", .count(1...8)),
        PlayControl("decodeOnMainLane", "Decode on the main lane", flag),
        PlayControl("ram", "Memory of the device", .choice(["1GB", "2GB", "3GB", "4GB", "6GB", "8GB", "12GB"])),
        PlayControl(
            "memoryClass", "Memory class of Android",
            .choice(["48MiB", "96MiB", "128MiB", "192MiB", "256MiB", "512MiB"])),
    ]

    private static let policies = PolicyRegistry.builtIn.entries.filter(\.needsOnlyLimits).map(\.name)

    /// Returns names of rules in the order of the controls, and others behind them in the order of their names.
    static func ordered(_ names: [String]) -> [String] {
        let ranks = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.rule, $0) })
        return names.sorted { (ranks[$0] ?? .max, $0) < (ranks[$1] ?? .max, $1) }
    }

    /// Returns the value that a rule has in a cache; nil if it has none, or one that cannot be named.
    ///
    /// - Parameter text: The specification of the cache, for the facts of its device.
    static func value(
        _ rule: String, in cache: CacheConfiguration, _ text: String, registry: PolicyRegistry
    ) -> String? {
        switch rule {
        case "memory": cache.own == nil ? limit(cache.memory, registry) : nil
        case "disk": cache.disk.map { limit($0, registry) } ?? "none"
        case "policy": cache.own == nil ? innermost(cache.memory).name : nil
        case "lifetime": lifetime(cache)
        default: Rule.named(rule)?.text(in: cache) ?? fact(rule, text)
        }
    }

    /// Returns the limit in bytes of a policy, `unlimited` if it has none; nil for one of objects or of several tiers.
    private static func limit(_ policy: PolicySpec, _ registry: PolicyRegistry) -> String? {
        guard policy.limitsBytes(registry) else {
            return policy.quantities.contains { isOfObjects($0) } ? nil : SweptValue.unlimited
        }
        if let bytes = try? PolicyContext(registry: registry).byteLimit(of: policy) {
            return bytes > 0 && bytes < PolicySpec.noLimit ? Size.bytes(bytes).description : SweptValue.unlimited
        }
        // A share of the working set.
        return policy.quantities.first { if case .share? = try? Size($0) { true } else { false } }
    }

    private static func isOfObjects(_ quantity: String) -> Bool {
        if case .objects? = try? Size(quantity) { true } else { false }
    }

    private static func innermost(_ policy: PolicySpec) -> PolicySpec {
        var policy = policy
        while let inner = policy.arguments.lazy.compactMap({ argument -> PolicySpec? in
            if argument.label == nil, case .spec(let inner) = argument.value { inner } else { nil }
        }).first {
            policy = inner
        }
        return policy
    }

    private static func lifetime(_ cache: CacheConfiguration) -> String? {
        let policies = [cache.memory] + [cache.disk].compactMap(\.self)
        guard let ttl = policies.lazy.compactMap({ $0.first(named: "ttl") }).first else { return nil }
        for argument in ttl.arguments where argument.label == "lifetime" {
            switch argument.value {
            case .quantity(let text): return text
            case .spec(let word): return word.name
            }
        }
        return nil
    }

    /// Returns a fact of the device of a preset; nil for another cache.
    private static func fact(_ name: String, _ text: String) -> String? {
        guard let fact = DeviceFact.all.first(where: { $0.name == name }),
            let found = try? CacheConfiguration.presetAndDevice(in: text)
        else { return nil }
        return fact.text(found.device)
    }

    /// Writes the controls as the member `controls` of the start.
    ///
    /// - Parameter marks: The sizes that matter in the session.
    static func write(_ marks: [PlayMark], to json: inout JSONWriter) {
        json.array("controls", all) { json, control in
            json.object { json in
                json.member("rule", control.rule)
                json.member("label", control.label)
                json.member("meaning", Rule.named(control.rule)?.meaning)
                switch control.kind {
                case .size(let words):
                    json.member("kind", "size")
                    json.member("unlimited", true)
                    json.member("values", words)
                    json.array("marks", marks) { json, mark in
                        json.object { json in
                            json.member("value", Size.bytes(mark.bytes).description)
                            json.member("bytes", mark.bytes)
                            json.member("label", mark.label)
                        }
                    }
                case .choice(let values):
                    json.member("kind", "choice")
                    json.member("values", values)
                case .count(let range):
                    json.member("kind", "count")
                    json.member("least", range.lowerBound)
                    json.member("most", range.upperBound)
                    json.member("values", ["none"])
                }
            }
        }
    }
}
