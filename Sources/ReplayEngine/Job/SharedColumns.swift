import Basics
import CacheTiers
import HTTPCaching
import SessionModel

/// Columns, one value for each object, that follow from a trace and from rules which many caches have in common.
///
/// Each column is made when a replay asks for it first, and all replays of the trace share it, also in several threads.
/// Rules that differ from cache to cache would fill the memory, so only columns of rules with few values are kept.
final class SharedColumns: Sendable {
    private struct Known {
        var responses: [ResponseSource: [ResponseRules]] = [:]
        /// Without dates, and with them.
        var validators: [Bool: [HTTPValidators]] = [:]
        var defects: HeaderDefects?
        var memoryKeys: [KeyRule: (keys: [String], first: [Int])] = [:]
        var files: [DiskLayout: [Int]] = [:]
        /// The plan that was asked for last.
        var plan: (rule: PrefetchRule, plan: PrefetchPlan)?
        /// The costs that were asked for last, with their durations.
        var decoding: (costs: CostModel, durations: [Int64])?
    }

    private struct ResponseSource: Hashable {
        var lifetime: LifetimeRule
        var revalidation: RevalidationRule
    }

    private let known = Locked(Known())

    /// Returns the rules of each object's response.
    func responses(_ trace: Trace, lifetime: LifetimeRule, revalidation: RevalidationRule) -> [ResponseRules] {
        let source = ResponseSource(lifetime: lifetime, revalidation: revalidation)
        return known.withLock { known in
            if let rules = known.responses[source] { return rules }
            let rules = ResponseRules.all(
                trace.objects.map(\.headers), lifetime: lifetime, revalidation: revalidation,
                received: trace.header.started.flatMap(Timestamp.microseconds))
            known.responses[source] = rules
            return rules
        }
    }

    /// Returns the validators of each object.
    ///
    /// - Parameter sendsDates: Whether `Last-Modified` validates too.
    func validators(_ trace: Trace, sendsDates: Bool = true) -> [HTTPValidators] {
        known.withLock { known in
            if let validators = known.validators[sendsDates] { return validators }
            let validators = trace.objects.map { object in
                let validators = HTTPValidators(object.headers)
                return sendsDates ? validators : validators.withoutDate
            }
            known.validators[sendsDates] = validators
            return validators
        }
    }

    func headerDefects(_ trace: Trace) -> HeaderDefects {
        known.withLock { known in
            if let defects = known.defects { return defects }
            let defects = HeaderDefects(trace)
            known.defects = defects
            return defects
        }
    }

    /// The key of each object in memory, and the first object with the same one.
    func memoryKeys(_ keys: [String], _ rule: KeyRule) -> (keys: [String], first: [Int]) {
        known.withLock { known in
            if let keys = known.memoryKeys[rule] { return keys }
            let own = keys.map(rule.key)
            let made = (keys: own, first: ReplayObjects.firstObjectsWithSameKey(own))
            known.memoryKeys[rule] = made
            return made
        }
    }

    /// By object: the first object with the same file, in a layout whose keys share files.
    func objectsWithSameFile(_ keys: [String], _ layout: DiskLayout) -> [Int] {
        known.withLock { known in
            if let objects = known.files[layout] { return objects }
            let objects = ReplayObjects.firstObjectsWithSameKey(keys.map { layout.fileName(for: $0) ?? $0 })
            known.files[layout] = objects
            return objects
        }
    }

    func prefetchPlan(_ trace: Trace, _ rule: PrefetchRule) -> PrefetchPlan {
        known.withLock { known in
            if let last = known.plan, last.rule == rule { return last.plan }
            let plan = PrefetchPlan(trace, rule)
            known.plan = (rule, plan)
            return plan
        }
    }

    /// The modelled duration of decoding each object, in nanoseconds.
    ///
    /// - Parameter images: The sizes of the trace's objects. All replays of the trace pass these sizes.
    func decodeDurations(_ images: ImageSizes, _ costs: CostModel) -> [Int64] {
        known.withLock { known in
            if let decoding = known.decoding, decoding.costs == costs { return decoding.durations }
            let durations = images.encoded.indices.map { images.decoding($0, costs) }
            known.decoding = (costs, durations)
            return durations
        }
    }
}
