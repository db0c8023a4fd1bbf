import HTTPCaching
import SessionModel

/// The network as virtual lanes use it: one fetch at a time, which takes the time that it reports. The lanes add the
/// recorded latency.
package protocol ReplayNetwork<Body> {
    associatedtype Body

    /// Prepares the resources that later fetches share, such as a connection. Their cost is not the cache's.
    mutating func begin()

    /// Fetches the cell's object from an origin that answers as `sample` says. The answer has the bytes of body that
    /// the response brings, also a failed or incomplete one. Header fields make the request conditional.
    mutating func fetch(
        _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<Body>
}

/// The network of modelled timing: a fetch succeeds or fails as the recording says, and takes no time of its own.
package struct ModelledNetwork: ReplayNetwork {
    package let images: ImageSizes
    /// By object: the validators of its current response at the origin. Empty for a cache that sends no conditions.
    package var validators: [HTTPValidators] = []

    package func begin() {}

    package func fetch(_ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]) -> Answer<Int> {
        let succeeds = sample.succeeds
        if succeeds, !conditions.isEmpty, validators[imageKey.object].confirm(conditions) {
            return Answer(found: .miss, body: nil, duration: 0, isNotModified: true)
        }
        return Answer(
            found: succeeds ? .hit : .miss, body: succeeds ? imageKey.object : nil, duration: 0,
            bytes: sample.bodyBytes(ofObject: images.encoded[imageKey.object]))
    }
}

/// A network that replaces the recorded one: a link that all transfers share, its delays, and when it is down.
///
/// Each fetch opens a connection as `ConnectionPool` decides, waits ``firstByte``, and then gets an equal share of
/// the link. Whether it succeeds is recorded. A fetch that starts while the network is down fails after 50 ms, as a
/// device fails that knows that it is offline; a transfer that runs then stands still until the network is back.
public struct NetworkProfile: Codable, Sendable, Hashable {
    /// The name in results.
    public var name: String
    /// The rate of the link, in bytes per second.
    public var bytesPerSecond: Double
    /// The time to open a connection, in nanoseconds.
    public var connect: Int64
    /// The time from a request to the first byte of its response, in nanoseconds.
    public var firstByte: Int64
    /// Whether the user pays by the byte.
    public var isMetered: Bool
    /// When the network is down, in nanoseconds since the start of the session; in order, without overlaps.
    public var outages: [Outage]
    /// The rates of a measured link, which replace ``bytesPerSecond``; nil for a link with one rate.
    public var measured: MeasuredLink?

    public struct Outage: Codable, Sendable, Hashable {
        public var start: Int64
        public var end: Int64

        public init(start: Int64, end: Int64) { (self.start, self.end) = (start, end) }
    }

    public init(
        name: String, bytesPerSecond: Double, connect: Int64, firstByte: Int64, isMetered: Bool = false,
        outages: [Outage] = []
    ) {
        self.name = name
        self.bytesPerSecond = bytesPerSecond
        self.connect = connect
        self.firstByte = firstByte
        self.isMetered = isMetered
        self.outages = outages
    }

    /// Creates a profile from a round trip: opening a connection takes two (TCP, and TLS 1.3), and the first byte one
    /// and the time of the server.
    ///
    /// - Parameters:
    ///   - megabits: The rate of the link, in millions of bits per second.
    ///   - roundTrip: In milliseconds.
    ///   - server: The time of the server, in milliseconds.
    private init(name: String, megabits: Double, roundTrip: Int64, server: Int64, isMetered: Bool) {
        self.init(
            name: name, bytesPerSecond: megabits * 125_000, connect: 2 * roundTrip * 1_000_000,
            firstByte: (roundTrip + server) * 1_000_000, isMetered: isMetered)
    }

    /// A third-generation mobile network: 1.6 Mbit/s and 300 ms, the profile `3G` of WebPageTest.
    public static let threeG = NetworkProfile(name: "3g", megabits: 1.6, roundTrip: 300, server: 20, isMetered: true)
    /// A fourth-generation mobile network: 12 Mbit/s and 70 ms, the profile `LTE` of WebPageTest.
    public static let lte = NetworkProfile(name: "lte", megabits: 12, roundTrip: 70, server: 20, isMetered: true)
    /// A wireless local network: 40 Mbit/s and 12 ms, as the bundled sessions over Wi-Fi were recorded.
    public static let wifi = NetworkProfile(name: "wifi", megabits: 40, roundTrip: 12, server: 20, isMetered: false)

    public static let all = [threeG, lte, wifi]

    /// The time after which a fetch fails that starts while the network is down, in nanoseconds.
    static let failure: Int64 = 50_000_000

    /// Whether the network is down. Complexity: O(n) for n outages.
    func isDown(at time: Int64) -> Bool { outages.contains { $0.start <= time && time < $0.end } }

    /// The rate of the link over time.
    package var link: LinkRate {
        if let measured { return measured.rate }
        let rate = bytesPerSecond / 1e9
        var segments = [LinkRate.Segment(start: 0, rate: rate)]
        for outage in outages {
            // A rate is above 0: at this one, a byte takes 30 years.
            segments.append(LinkRate.Segment(start: outage.start, rate: 1e-18))
            segments.append(LinkRate.Segment(start: outage.end, rate: rate))
        }
        return LinkRate(segments: segments)
    }
}

/// The rates of a link that were measured at equal intervals. After the last interval, the first one follows again.
public struct MeasuredLink: Codable, Sendable, Hashable {
    /// The nanoseconds of an interval.
    public let interval: Int64
    /// The bytes that the link delivers in each interval. One of them is above 0.
    public let bytes: [Double]

    /// The largest number of intervals.
    public static let mostIntervals = (1 << 24) - 1

    /// Returns nil without intervals, for more than ``mostIntervals``, for an interval that is not above 0 or longer
    /// than 2^38 ns, for a number of bytes that is negative or not below 10^15, and for a link that never delivers
    /// anything.
    public init?(interval: Int64, bytes: [Double]) {
        guard interval > 0, interval <= 1 << 38, bytes.count <= Self.mostIntervals,
            bytes.allSatisfy({ $0 >= 0 && $0 < 1e15 }), bytes.contains(where: { $0 > 0 })
        else { return nil }
        self.interval = interval
        self.bytes = bytes
    }

    /// The mean rate in bytes per second.
    public var mean: Double { bytes.reduce(0, +) / (Double(bytes.count) * Double(interval) / 1e9) }

    /// The rate over time.
    var rate: LinkRate {
        var segments: [LinkRate.Segment] = []
        for (index, bytes) in bytes.enumerated() {
            // A rate is above 0: at this one, a byte takes 30 years.
            let rate = max(bytes / Double(interval), 1e-18)
            if segments.last?.rate != rate { segments.append(.init(start: Int64(index) * interval, rate: rate)) }
        }
        return LinkRate(segments: segments, period: Int64(bytes.count) * interval)
    }
}
