import Basics
import CacheReports
import ResultColumns
import Runs

/// The sentence that compares the pinned cache with the current one.
struct PlayHeadline: Sendable, Equatable {
    /// The figures of a cache that the sentence is made of.
    struct Figures: Sendable, Equatable {
        /// The share of the visible time without an image; nil if no cell was visible.
        var blank: Double?
        /// The share of the requests that memory or disk answers.
        var hits: Double?
        /// The peak of memory, in bytes; nil if it is not known.
        var memory: Double?
        /// The bytes fetched.
        var fetched: Double?
    }

    let text: String
    /// Whether the figure that is compared differs by no more than the tolerance.
    let isTie: Bool

    /// Compares two caches.
    ///
    /// - Parameters:
    ///   - one: The pinned cache.
    ///   - other: The current cache.
    ///   - change: The only difference of the caches in words: `With two rows prefetched`; nil for several differences.
    ///   - tolerance: The smallest difference that counts.
    init(from one: Figures, to other: Figures, change: String?, tolerance: Tolerance = .standard) {
        let measure: (noun: String, whole: String, before: Double, after: Double)
        if let before = one.blank, let after = other.blank {
            measure = ("blank time", "", before, after)
        } else {
            measure = ("hits", " of the requests", one.hits ?? 0, other.hits ?? 0)
        }
        let (before, after) = HumanText.shares(measure.before, measure.after)
        isTie = tolerance.ties(measure.before, measure.after, .ratio)
        let isPlural = measure.noun == "hits"
        var words: String
        if isTie {
            let stay = isPlural ? "stay" : "stays"
            words =
                before == after
                ? "\(measure.noun) \(stay) at \(before)\(measure.whole)"
                : """
                \(measure.noun) \(stay) within \(Tolerance.number(tolerance.points)) points, at \(before) and \(after)\
                \(measure.whole)
                """
        } else {
            let verb = measure.after < measure.before ? "fall" : "rise"
            words = "\(measure.noun) \(verb)\(isPlural ? "" : "s") from \(before) to \(after)\(measure.whole)"
        }
        let costs = [
            Self.amount(one.memory, other.memory, "memory", tolerance),
            Self.amount(one.fetched, other.fetched, "fetched", tolerance),
        ].compactMap(\.self)
        if !costs.isEmpty { words += ", with \(costs.joined(separator: " and "))" }
        if let change {
            text = "\(change), \(words)."
        } else {
            text = "\(words.prefix(1).uppercased())\(words.dropFirst())."
        }
    }

    /// Describes the only cache.
    init(of name: String, _ figures: Figures) {
        isTie = false
        if let blank = figures.blank {
            text = "\(NameList.name(name)) leaves \(HumanText.share(blank)) of the visible time blank."
        } else {
            text = "\(NameList.name(name)) answers \(HumanText.share(figures.hits ?? 0)) of the requests."
        }
    }

    /// Returns `16 MB less memory`; nil for a difference that does not count.
    private static func amount(
        _ before: Double?, _ after: Double?, _ noun: String, _ tolerance: Tolerance
    ) -> String? {
        guard let before, let after, !tolerance.ties(before, after, .bytes) else { return nil }
        return "\(HumanText.bytes(abs(after - before))) \(after < before ? "less" : "more") \(noun)"
    }
}
