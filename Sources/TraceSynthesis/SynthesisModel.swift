/// The parameters of a generated session, with their defaults.
///
/// The distributions and figures are chosen to be plausible; none is measured. Lengths are in points, times in seconds.
/// The spread of a log-normal distribution is the standard deviation of the logarithm.
public struct SynthesisModel: Sendable, Equatable {
    /// The version of the model, which the header states. Versions give different traces for the same seed.
    public static let version = 1

    /// The kind of session.
    public var session = Session.feed
    /// The seed of all random numbers.
    public var seed: UInt64 = 1
    /// The number of requests.
    public var requests = 1_000

    /// The number of pictures; each has a thumbnail and a full image.
    public var pictures = 2_000
    /// Zipf's exponent of the pictures that a feed shows, a search finds and a person opens; 0 makes all equally
    /// popular.
    public var exponent = 0.8
    /// The thumbnails.
    public var thumbnails = ImageModel(bytes: 26_000, spread: 0.4, pixels: 390)
    /// The full images.
    public var fullImages = ImageModel(bytes: 340_000, spread: 0.55, pixels: 1_600)
    /// The share of images that are missing on the server (404).
    public var missing = 0.005
    /// The share of fetches that fail with a server error (500).
    public var serverErrors = 0.005

    /// The number of columns; nil for that of the session: 1 for feed and search, 3 for grids.
    public var columns: Int?
    /// The height of a row; nil for that of the session: 480 for feed, 96 for search, 130 for grids.
    public var rowHeight: Double?
    /// The height of the visible part of the list.
    public var viewport = 844.0
    /// The width of the visible part, which is also the length of a page of the detail view.
    public var width = 390.0
    /// The distance outside of the viewport at which view cells already appear.
    public var overscan = 0.0
    /// The number of rows that are prefetched in the direction of movement; 0 for none.
    public var prefetchRows = 2
    /// The speed in points per second above which nothing is prefetched.
    public var prefetchSpeed = 2_500.0

    /// The deceleration rate; see ``ScrollPhysics/rate``.
    public var deceleration = ScrollPhysics.normalRate
    /// The median speed in points per second at which the finger releases the list (log-normal).
    public var flickSpeed = 2_200.0
    /// The spread of ``flickSpeed``.
    public var flickSpread = 0.4
    /// The seconds of the drag before the release, during which the list accelerates evenly.
    public var drag = 0.18
    /// The median seconds between two gestures (log-normal).
    public var dwell = 1.2
    /// The spread of ``dwell``.
    public var dwellSpread = 0.6
    /// The probability that the person opens a picture after a gesture, in sessions with details.
    public var openChance = 0.3
    /// The seconds between scroll events while the list moves; 0 for events only at changes of phase.
    public var scrollInterval = 0.1

    /// The network.
    public var network = NetworkProfile.lte
    /// The number of connections.
    public var connections = 6
    /// The mean seconds between two outages of the network; nil for none.
    public var offlineEvery: Double?
    /// The median seconds of an outage (log-normal, spread 0.5).
    public var offlineLength = 6.0

    /// The mean seconds between memory warnings; nil for none.
    public var memoryWarningEvery: Double?
    /// The mean seconds between visits to other apps; nil for none.
    public var backgroundEvery: Double?
    /// The median seconds in the background (log-normal, spread 0.8).
    public var backgroundLength = 40.0
    /// The probability that the system ends the app in the background.
    public var terminateChance = 0.1
    /// The seconds between the two visits of the session `return`.
    public var away = 86_400.0

    /// The unit of times in microseconds, to which they are rounded.
    var timeUnit: Int64 = 1
    /// Whether offsets are whole points, instead of tenths.
    var hasWholePoints = false

    /// Creates a model with the default parameters.
    public init() {}

    /// Returns seconds as microseconds.
    func microseconds(_ seconds: Double) -> Int64 {
        timeUnit * Int64((seconds * 1e6 / Double(timeUnit)).rounded())
    }

    /// A kind of session.
    public enum Session: String, Sendable, CaseIterable {
        /// An endless list of full images in one column.
        case feed
        /// Thumbnails in columns; a tap opens the full image, and a swipe the next one.
        case grid
        /// A list of results that each keystroke replaces; a tap opens one.
        case search
        /// A grid that is scrolled fast back and forth over the same part.
        case backAndForth = "back-and-forth"
        /// A grid; the app ends, and the person returns after a day, when there are new pictures at the top.
        case `return`

        var title: String {
            switch self {
            case .feed: "Feed"
            case .grid: "Grid with details"
            case .search: "Search"
            case .backAndForth: "Back and forth"
            case .return: "Return after a while"
            }
        }
    }

    /// The images of one variant.
    public struct ImageModel: Sendable, Equatable {
        /// The median of encoded bytes (log-normal).
        public var bytes: Double
        /// The spread of ``bytes``.
        public var spread: Double
        /// The pixels of the longer side.
        public var pixels: Int

        /// Creates the images of one variant.
        public init(bytes: Double, spread: Double, pixels: Int) {
            self.bytes = bytes
            self.spread = spread
            self.pixels = pixels
        }
    }
}
