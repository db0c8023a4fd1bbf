import Basics
import Foundation
import Runs

/// The facts that a verdict of a gate states beside the figures: what changed in the caches, and in which file and
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

        /// The parts of the text that only one side has, those of the baseline first; nil if both texts are equal.
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
    /// The commit of the baseline.
    public var base: String?
    /// The candidate's file of caches; nil for a results folder.
    public var file: String?
    /// The lines of the caches in that file.
    public var lines: [String: Int] = [:]
    /// The address of the report; nil without one.
    public var report: ReportAddress?

    public init() {}

    /// What the verdict says about the sides, one sentence each.
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
