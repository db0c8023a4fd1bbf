import Basics
import Foundation
import Runs

/// The facts that a verdict of a gate states besides the figures: what changed in the caches, and in which file and
/// lines.
public struct VerdictContext: Sendable, Equatable {
    /// A cache as the files of both sides describe it.
    public struct CacheText: Sendable, Equatable {
        public var name: String
        /// nil if the side does not have the cache.
        public var baseline: String?
        public var candidate: String?

        public init(name: String, baseline: String?, candidate: String?) {
            (self.name, self.baseline, self.candidate) = (name, baseline, candidate)
        }

        /// The parts of the text that only one side has, the baseline's first; nil if both texts are equal.
        var change: String? {
            guard baseline != candidate else { return nil }
            guard let baseline else { return "new: \(candidate ?? "")" }
            guard let candidate else { return "removed, was \(baseline)" }
            let old = baseline.components(separatedBy: "; ")
            let new = candidate.components(separatedBy: "; ")
            let gone = old.filter { !new.contains($0) }.joined(separator: "; ")
            let come = new.filter { !old.contains($0) }.joined(separator: "; ")
            // The parts are in another order.
            if gone.isEmpty, come.isEmpty { return "\(baseline) → \(candidate)" }
            return "\(gone.isEmpty ? "nothing" : gone) → \(come.isEmpty ? "nothing" : come)"
        }
    }

    /// The caches of both files; empty if a side is a results folder.
    public var caches: [CacheText] = []
    /// The sessions with their numbers of requests.
    public var sessions: [String] = []
    public var base: String?
    /// The candidate's file of caches; nil for a results folder.
    public var file: String?
    public var lines: [String: Int] = [:]
    /// The address of the report; nil without one.
    public var report: ReportAddress?

    public init() {}

    /// The text of the verdict about the sides, one sentence each.
    var texts: [String] {
        var texts: [String] = []
        for cache in caches {
            guard let change = cache.change else { continue }
            texts.append("cache \(VisibleText.printable("\(cache.name): \(change)"))")
        }
        if !sessions.isEmpty {
            let more = sessions.count > 10 ? " and \(sessions.count - 10) more" : ""
            texts.append("sessions: \(sessions.prefix(10).joined(separator: ", "))\(more)")
        }
        if let base { texts.append("base: commit \(VisibleText.printable(base))") }
        return texts
    }

    /// The link to the report; nothing without its address.
    var links: [RichText] {
        guard let report else { return [] }
        let link: RichText = "report: \(external: "baseline beside candidate", to: report.text)"
        return [link]
    }
}

// MARK: JSON

extension VerdictContext {
    /// The members of the verdict's JSON: the commit of the baseline, the caches of both sides, the sessions, and the
    /// address of the report.
    var members: [(String, JSONValue)] {
        let texts: [JSONValue] = sessions.map { JSONValue.string($0) }
        let sides: [JSONValue] = caches.map { $0.json }
        return [
            ("base_commit", Self.text(base)), ("caches", .array(sides)), ("sessions", .array(texts)),
            ("report", Self.text(report?.text)),
        ]
    }

    fileprivate static func text(_ text: String?) -> JSONValue {
        guard let text else { return .null }
        return .string(text)
    }
}

extension VerdictContext.CacheText {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("baseline", VerdictContext.text(baseline)),
            ("candidate", VerdictContext.text(candidate)), ("change", VerdictContext.text(change)),
        ])
    }
}

extension ResultSet {
    /// The sessions with their numbers of requests: `feed (272 requests)`.
    public var sessionTexts: [String] {
        var seen: Set<String> = []
        var texts: [String] = []
        for run in runs where seen.insert(run.trace).inserted {
            let name = VisibleText.printable(run.trace)
            guard let requests = run.metrics["requests"] else {
                texts.append(name)
                continue
            }
            texts.append("\(name) (\(HumanText.count(Int(requests), "request")))")
        }
        return texts
    }
}

extension Comparison {
    /// The sentence above the entries that accept what is red, and the entries; nil if there is nothing to accept.
    var acceptance: (text: String, entries: String)? {
        guard let file = context?.file, let entries = acceptableEntries else { return nil }
        let name = VisibleText.printable(file)
        return ("To accept, paste this into \(name), below its accept: if it has one, and say why.", entries)
    }
}

/// The address of the report, or of the run of a pipeline that keeps it, to which a verdict links.
public struct ReportAddress: Sendable, Equatable {
    /// The address, of characters that need no escape in a link of Markdown between angle brackets.
    public let text: String

    /// - Returns: nil for a text that does not begin with `https://` or `http://` and a host, that has characters which
    ///   an address cannot have, or that is longer than 2,000 bytes.
    public init?(_ text: String) {
        let schemes: [String] = ["https://", "http://"]
        guard let scheme = schemes.first(where: { text.hasPrefix($0) }), text.utf8.count <= 2_000,
            text.utf8.allSatisfy({ Self.isPermitted($0) })
        else { return nil }
        let place = text.dropFirst(scheme.count)
        guard let first = place.first, first.isLetter || first.isNumber else { return nil }
        self.text = text
    }

    /// Whether a byte is part of an address (RFC 3986, 2.2 and 2.3). Brackets and quotes are not: they could end a
    /// link, and addresses of pipelines do not have them.
    private static func isPermitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%:/?#@!$&()*+,;=".utf8.contains(byte)
        }
    }
}
