/// Every knob of a made-up session, with what it stands at when nobody turns it.
///
/// Distributions and the network's figures are chosen to be plausible; none is measured. Lengths are in points, times
/// in seconds.
public struct SynthesisModel: Sendable, Equatable {
    /// The number in the header's recorder: another one gives other traces for the same seed.
    public static let version = 1

    public var session = Session.feed
    public var seed: UInt64 = 1
    /// How many requests the trace has.
    public var requests = 1_000

    /// Pictures in the catalogue; each has a thumbnail and a full image.
    public var pictures = 2_000
    /// Zipf's exponent of the pictures that a feed shows, a search finds, and a person opens; 0 makes all alike.
    public var exponent = 0.8
    public var thumbnails = ImageModel(bytes: 26_000, spread: 0.4, pixels: 390)
    public var fullImages = ImageModel(bytes: 340_000, spread: 0.55, pixels: 1_600)
    /// Share of the images that are gone: 404 each time.
    public var missing = 0.005
    /// Share of fetches that end in 500.
    public var serverErrors = 0.005

    /// Nil takes the session's own: 1 for feed and search, 3 for grids.
    public var columns: Int?
    /// Nil takes the session's own: 480 for feed, 96 for search, 130 for grids.
    public var rowHeight: Double?
    public var viewport = 844.0
    /// Also the length of a page of the detail view.
    public var width = 390.0
    /// How far outside the viewport cells already appear.
    public var overscan = 0.0
    /// Rows that are prefetched ahead of the edge towards which the list moves; 0 for none.
    public var prefetchRows = 2
    /// Points per second above which nothing is prefetched.
    public var prefetchSpeed = 2_500.0

    /// See ``ScrollPhysics/rate``.
    public var deceleration = ScrollPhysics.normalRate
    /// Points per second at which the finger lets go: log-normal.
    public var flickSpeed = 2_200.0
    public var flickSpread = 0.4
    /// Seconds of the drag before: the list speeds up evenly.
    public var drag = 0.18
    /// Seconds between two gestures: log-normal.
    public var dwell = 1.2
    public var dwellSpread = 0.6
    /// How likely a person opens a picture after a gesture, where the session has details.
    public var openChance = 0.3
    /// Seconds between scroll events while the list moves; 0 for events only where the phase changes.
    public var scrollInterval = 0.1

    public var network = NetworkProfile.lte
    public var connections = 6
    /// Mean seconds between two spells without network; nil for none.
    public var offlineEvery: Double?
    /// Seconds of such a spell: log-normal, spread 0.5.
    public var offlineLength = 6.0

    /// Mean seconds between memory warnings; nil for none.
    public var memoryWarningEvery: Double?
    /// Mean seconds between visits to other apps; nil for none.
    public var backgroundEvery: Double?
    /// Seconds in the background: log-normal, spread 0.8.
    public var backgroundLength = 40.0
    /// How likely the system ends the app there.
    public var terminateChance = 0.1
    /// Seconds between the two visits of a `return`.
    public var away = 86_400.0

    public init() {}

    public enum Session: String, Sendable, CaseIterable {
        /// An endless list of full images, one below the other.
        case feed
        /// Thumbnails in columns; a tap opens the full image, and a swipe the next one.
        case grid
        /// A list of results that each keystroke replaces; a tap opens one.
        case search
        /// A grid, flicked fast forth and back over the same stretch.
        case backAndForth = "back-and-forth"
        /// A grid; the app is ended, and the person comes back to it after a day, when there are new pictures on top.
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
        /// Half of them have fewer encoded bytes: log-normal.
        public var bytes: Double
        public var spread: Double
        /// The longer side.
        public var pixels: Int

        public init(bytes: Double, spread: Double, pixels: Int) {
            self.bytes = bytes
            self.spread = spread
            self.pixels = pixels
        }
    }
}
