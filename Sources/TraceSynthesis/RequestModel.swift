/// Requests that are drawn independently of each other. ``IndependentRequests`` generates them.
public struct RequestModel: Sendable, Equatable {
    public var requests = 1_000
    /// The seed of all random numbers.
    public var seed: UInt64 = 1
    private var values = RequestParameter.all.map(\.value)

    /// Creates a model with the default parameters.
    public init() {}

    public subscript(parameter: RequestParameter) -> Double {
        get { values[parameter.rawValue] }
        set { values[parameter.rawValue] = newValue }
    }

    /// Checks that all parameters are in range.
    ///
    /// - Throws: ``SynthesisError``, which names the parameter, its value and what is expected.
    public func check() throws {
        for (place, facts) in RequestParameter.all.enumerated() { try facts.check(values[place]) }
        guard (1...1_000_000_000).contains(requests) else {
            throw SynthesisError(description: "requests is \(requests); expected 1 to 1000000000")
        }
    }
}

/// A parameter of requests that are drawn independently. ``RequestModel`` has the values.
public enum RequestParameter: Int, Sendable, CaseIterable {
    case objects, exponent, bytes, bytesSpread

    /// The facts about a parameter.
    public struct Facts: ParameterFacts {
        public let name: String
        public let value: Double
        public let unit: String
        public let range: ClosedRange<Double>
        public var isCount = false
        public let meaning: String
    }

    /// All parameters with what is known of them, in the order of the cases.
    public static let all = [
        Facts(
            name: "objects", value: 2_000, unit: "", range: 1...1e8, isCount: true, meaning: "the number of objects"),
        Facts(
            name: "exponent", value: 0.8, unit: "", range: 0...10,
            meaning: "Zipf's exponent of popularity; 0 makes all objects equally popular"),
        Facts(
            name: "bytes", value: 340_000, unit: "B", range: 1...1e9,
            meaning: "the median of the bytes of objects (log-normal)"),
        Facts(
            name: "bytes-spread", value: 0.55, unit: "", range: 0...3,
            meaning: "the standard deviation of the logarithm of the bytes"),
    ]
}
