import Runs

/// A statement about results: a sentence, its subject, and the figures that it follows from.
///
/// The terminal and the pages say the same findings. The JSON of a replay has its conclusions,
/// ``ResultSet/conclusions``, too. The JSON of an explanation or a comparison has the figures instead.
public struct Finding: Sendable, Equatable {
    /// The subject of a finding. The raw value is a word of the JSON.
    public enum Subject: String, Sendable {
        /// The answer: the caches with the least blank time, or that they tie, or that nothing can be told.
        case best
        /// The factors that made the difference between the runs of a sweep, by amount.
        case difference
        /// The factors that made no difference.
        case noDifference = "no_difference"
        /// For how many users the best cache is better than the next one.
        case users
        /// The figure of one user in 20 with the best cache, or if caches tie, which of them are the best for that
        /// user.
        case tail
        /// The memory that the answer holds, or the swept value that is enough, and what less costs.
        case memory
        /// The caches that delay frames noticeably.
        case hitches
        /// The caches whose images take up more than the physical memory of the device.
        case deviceMemory = "device_memory"
        /// The caches that show pictures of other keys.
        case wrongPictures = "wrong_pictures"
        /// The caches whose limits have no effect on these traces.
        case limits
        /// The basis of the figures, and what to record next.
        case basis
        /// Why images were missing, and cells blank.
        case causes
        /// The statistics of the repeats of two results on the change of a figure.
        case chance
        /// A figure above its budget.
        case budget
        /// How much of a figure no cache can avoid, as a bound.
        case room

        /// The subjects of the conclusions about a replay, which have at most one each, in this order.
        public static let ofReplays: [Subject] = [
            .best, .difference, .noDifference, .memory, .wrongPictures, .limits, .basis,
        ]
    }

    /// A figure that the sentence follows from.
    public struct Evidence: Sendable, Hashable {
        /// Of users, which figure of them it is instead: `mean`, `95th percentile`, …; empty for a figure over all
        /// users of an advice.
        public var trace: String
        /// The network, where there are several; otherwise nil.
        public var network: String?
        public var cache: String
        /// A column of `summary.csv`.
        public var metric: String
        /// The median of the repeats; for an explanation, the value of the run.
        public var value: Double

        var place: String { RepeatedRun.place(trace, network) }
    }

    public var subject: Subject
    /// One or two sentences, with the figures that decide.
    public var text: String
    /// The figures; empty if the sentence stands beside a table of them.
    public var evidence: [Evidence] = []
    /// The caches that the sentence names. Caches that it only counts are left out.
    public var caches: [String] = []
    /// The title of a page that begins with this finding; empty if it is ``text``.
    var headline = ""
    /// The text below the title of a page; empty for nothing.
    var context = ""
}
