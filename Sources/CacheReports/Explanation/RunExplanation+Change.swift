import ReplayEngine

/// What a change would bring, and how few misses are possible.
extension RunExplanation {
    /// The fewest misses that any policy with the same memory could have if fetches took no time.
    public struct LeastMisses: Sendable, Encodable, Equatable {
        /// No policy has fewer.
        public var least: Int
        /// The best known schedule of what to keep has as many.
        public var known: Int

        public init(least: Int, known: Int) {
            self.least = least
            self.known = known
        }
    }

    /// The effect of a change of the app, the cache or the session.
    public struct Change: Sendable, Encodable, Equatable {
        /// The change, such as `no memory limit`.
        public var name: String
        /// The lever that makes the change; nil for a change of the session.
        public var lever: Lever?
        /// The misses in memory whose causes the change removes; nil for a change that removes no cause.
        public var attributed: Int?
        /// The memory hits with the change, and the difference.
        public var memoryHits: Int
        public var gainedHits: Int
        /// The blank time with the change, and the difference, in milliseconds.
        public var blankMilliseconds: Double
        public var addedBlank: Double
        /// The differences of the bytes fetched and of the most bytes in memory.
        public var addedBytes: Int64
        public var addedPeak: Int64

        /// - Parameters:
        ///   - name: The change.
        ///   - lever: The lever that makes it; nil for a change of the session.
        ///   - removed: The causes of misses in memory that it removes; none for a change that removes none.
        ///   - result: The run with the change.
        ///   - run: The run without it.
        public init(
            _ name: String, by lever: Lever?, removing removed: [MissCause], _ result: RunResult, _ run: RunExplanation
        ) {
            self.name = name
            self.lever = lever
            let misses = run.memoryMisses(of: removed)
            attributed = misses > 0 ? misses : nil
            memoryHits = result.counts.memoryHits
            gainedHits = result.counts.memoryHits - run.memoryHits
            blankMilliseconds = result.blank.blankTime / 1e6
            addedBlank = blankMilliseconds - run.blankMilliseconds
            addedBytes = result.tiers.originBytes - run.originBytes
            addedPeak = result.tiers.memoryPeakBytes - run.memoryPeakBytes
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: ChangeKey.self)
            try values.encode(name, forKey: .name)
            try values.encode(maker, forKey: .maker)
            try values.encodeIfPresent(lever?.kind.rawValue, forKey: .lever)
            try values.encodeIfPresent(lever?.setting.text, forKey: .setting)
            try values.encodeIfPresent(attributed, forKey: .attributed)
            try values.encode(memoryHits, forKey: .memoryHits)
            try values.encode(gainedHits, forKey: .gainedHits)
            try values.encode(blankMilliseconds, forKey: .blankMilliseconds)
            try values.encode(addedBytes, forKey: .addedBytes)
            try values.encode(addedPeak, forKey: .addedPeak)
        }

        /// Who makes the change.
        var maker: String { lever?.maker ?? "session" }

        private enum ChangeKey: String, CodingKey {
            case name, lever, setting
            case maker = "by"
            case attributed = "attributed_misses"
            case memoryHits = "memory_hits"
            case gainedHits = "gained_memory_hits"
            case blankMilliseconds = "blank_ms"
            case addedBytes = "added_origin_bytes"
            case addedPeak = "added_memory_peak_bytes"
        }
    }
}
