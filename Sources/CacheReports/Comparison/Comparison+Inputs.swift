import Basics
import Foundation
import ReplayEngine
import Runs

/// What two results have to have in common.
extension Comparison {
    /// Returns the inputs that differ, so that figures do not mean the same although their names agree.
    static func differences(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup]
    ) -> [String] {
        var differences: [String] = []
        func add(_ text: String) {
            if !differences.contains(text) { differences.append(text) }
        }
        for old in common {
            guard let new = after[old.key] else { continue }
            let trace = VisibleText.printable(old.key.trace)
            if let was = baseline.traceHashes[old.key.trace], let now = candidate.traceHashes[old.key.trace] {
                if was != now { add("trace \(trace) is not the same file on both sides (its SHA-256 differs)") }
            } else if ["requests", "trace_s"].contains(where: { isDifferent(old, new, $0) }) {
                add("trace \(trace) does not seem to be the same: its requests or its length differ")
            }
            for setting in ["clock", "timing", "network"] {
                let (was, now) = (old.settings(setting), new.settings(setting))
                if was != now { add("the \(setting) differs: \(list(was)) before, \(list(now)) now") }
            }
            if old.injected != new.injected {
                add(
                    "the injected events differ: \(old.injected ?? "none") before, \(new.injected ?? "none") now")
            }
            // Each repeat has the next seed.
            if old.firstSeed != new.firstSeed {
                add("the seed differs: \(old.firstSeed ?? "none") before, \(new.firstSeed ?? "none") now")
            }
        }
        if let was = baseline.costs, let now = candidate.costs, was != now {
            add("the costs of modelled timing differ (--costs)")
        }
        if let was = baseline.version, let now = candidate.version, was != now {
            add("the version of cachereplay differs: \(was) before, \(now) now")
        }
        return differences
    }

    private static func list(_ names: Set<String>) -> String { names.sorted().joined(separator: "/") }

    /// Returns what a reader has to know about figures that are compared.
    static func warnings(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup]
    ) -> [String] {
        var warnings: [String] = []
        for old in common {
            guard let new = after[old.key] else { continue }
            let (was, now) = (old.settings("holds"), new.settings("holds"))
            let text = "the holds differs: \(list(was)) before, \(list(now)) now"
            if was != now, !warnings.contains(text) { warnings.append(text) }
            guard let injected = old.injected, injected == new.injected else { continue }
            let events = "both sides have these injected events: \(injected)"
            if !warnings.contains(events) { warnings.append(events) }
        }
        let isMeasured = common.contains { !$0.isExact }
        if isMeasured, let was = baseline.machine, let now = candidate.machine, was != now {
            warnings.append(
                """
                the machines differ: \(was.summary) before, \(now.summary) now; measured times of two machines differ \
                without any change
                """)
        }
        if isMeasured, let was = baseline.program, let now = candidate.program, was != now {
            warnings.append("the builds of cachereplay differ; `cachereplay gate` measures both sides with one build")
        }
        return warnings
    }

    /// Returns whether a figure differs by more than the rounding of a CSV file.
    private static func isDifferent(_ old: RunGroup, _ new: RunGroup, _ metric: String) -> Bool {
        guard let was = old.median(metric), let now = new.median(metric) else {
            return (old.median(metric) == nil) != (new.median(metric) == nil)
        }
        return abs(was - now) > 1e-6
    }
}
