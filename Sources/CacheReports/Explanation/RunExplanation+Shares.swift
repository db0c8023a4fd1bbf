import ReplayEngine
import Runs

/// The causes and waits of a run, which `explanation.json` has and charts read.
extension RunExplanation {
    /// The misses of a tier with one cause.
    public struct Cause: Sendable, Codable, Equatable {
        public var tier: Tier
        public var cause: MissCause
        public var requests: Int
        /// The share of the tier's misses.
        public var share: Double

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            try values.encode(tier, forKey: .tier)
            try values.encode(cause.name, forKey: .cause)
            try values.encode(requests, forKey: .requests)
            try values.encode(share, forKey: .share)
        }

        init(tier: Tier, cause: MissCause, requests: Int, share: Double) {
            (self.tier, self.cause, self.requests, self.share) = (tier, cause, requests, share)
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            tier = try values.decode(Tier.self, forKey: .tier)
            cause = try values.decode(MissCause.allCases, by: \.name, forKey: .cause)
            requests = try values.decode(upTo: RunExplanation.mostRequests, forKey: .requests)
            share = try values.decode(Double.self, forKey: .share)
        }
    }

    /// The blank time that cells waited for one thing.
    public struct WaitShare: Sendable, Codable, Equatable {
        public var wait: Wait
        public var milliseconds: Double
        /// The share of the blank time.
        public var share: Double

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Key.self)
            try values.encode(wait.name, forKey: .wait)
            try values.encode(milliseconds, forKey: .milliseconds)
            try values.encode(share, forKey: .share)
        }

        init(wait: Wait, milliseconds: Double, share: Double) {
            (self.wait, self.milliseconds, self.share) = (wait, milliseconds, share)
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            wait = try values.decode(Wait.allCases, by: \.name, forKey: .wait)
            milliseconds = try values.decode(upTo: RunExplanation.mostMilliseconds, forKey: .milliseconds)
            share = try values.decode(Double.self, forKey: .share)
        }
    }

    /// The largest values of a file: sums of so many values do not overflow, and axes end.
    static let (mostRequests, mostMilliseconds) = (1 << 53, 1e15)

    private enum Key: String, CodingKey {
        case tier, cause, requests, share, wait
        case milliseconds = "blank_ms"
    }
}

extension KeyedDecodingContainer {
    /// Returns the element with the name that a member has.
    fileprivate func decode<Value>(_ all: [Value], by name: (Value) -> String, forKey key: Key) throws -> Value {
        let text = try decode(String.self, forKey: key)
        guard let value = all.first(where: { name($0) == text }) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "no such name: \(text)")
        }
        return value
    }

    /// Returns a number from 0 to `most`.
    func decode<Number: Numeric & Comparable & Decodable>(
        upTo most: Number, forKey key: Key
    ) throws -> Number {
        let number = try decode(Number.self, forKey: key)
        guard 0 <= number, number <= most else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not from 0 to \(most)")
        }
        return number
    }
}
