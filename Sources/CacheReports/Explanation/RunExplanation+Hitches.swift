import ReplayEngine

extension RunExplanation {
    /// The time by which a display with one rate shows frames late. `FrameTally` of ReplayEngine defines it.
    public struct Hitches: Sendable, Encodable, Equatable {
        /// The frames of the display per second.
        public var rate: Int
        public var milliseconds: Double
        /// For each second in which the list moves.
        public var millisecondsPerSecond: Double
        /// The work that takes longest among the work that a frame waits for: most hitches first. Work without hitches
        /// is left out.
        public var works: [WorkShare]

        enum CodingKeys: String, CodingKey {
            case works
            case rate = "hz"
            case milliseconds = "ms"
            case millisecondsPerSecond = "ms_per_s"
        }

        init(rate: Int, _ delays: FrameDelays, perSecond: Double) {
            self.rate = rate
            milliseconds = Double(delays.hitchTime) / 1e6
            millisecondsPerSecond = perSecond
            works = delays.hitchTimes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { work, time in
                WorkShare(
                    work: work, milliseconds: Double(time) / 1e6, share: Double(time) / Double(delays.hitchTime))
            }
        }

        /// The hitches of one kind of work.
        public struct WorkShare: Sendable, Encodable, Equatable {
            /// The raw value of the `ReplayEvents.Work`.
            public var work: String
            public var milliseconds: Double
            /// The share of the hitches.
            public var share: Double

            enum CodingKeys: String, CodingKey {
                case work, share
                case milliseconds = "ms"
            }
        }
    }
}
