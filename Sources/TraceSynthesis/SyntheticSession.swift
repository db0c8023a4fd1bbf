/// The state of a session during its generation: the clock, the list on the screen, and the person.
///
/// `+Scrolling` moves the list, `+System` contains the events of the system, `+Lists` and `+Details` the screens.
struct SyntheticSession<Sink: SynthesisSink> {
    let model: SynthesisModel
    let catalogue: PictureCatalogue
    var recorder: SyntheticRecorder<Sink>
    /// The microseconds since the start.
    var now: Int64 = 0
    /// The random numbers of the person.
    var person: RandomStream
    var system: SystemPlan

    // The list on the screen.
    var geometry: ListGeometry
    var content = ListContent.feed
    var offset = 0.0
    var visible = 0..<0
    /// The places that were prefetched in the direction of movement.
    var prefetched = 0..<0
    let feedSeed: UInt64

    init(_ model: SynthesisModel, sink: Sink) throws {
        try model.check()
        self.model = model
        catalogue = PictureCatalogue(model)
        recorder = try SyntheticRecorder(model, catalogue, sink)
        person = RandomStream(seed: model.seed, name: "person")
        system = SystemPlan(model)
        var feed = RandomStream(seed: model.seed, name: "feed")
        feedSeed = feed.next()
        geometry = Self.geometry(model, count: .max)
    }

    /// Generates the session until it has the wanted number of requests. Then the view cells disappear and the app
    /// enters the background.
    mutating func run() throws {
        switch model.session {
        case .feed: try feed()
        case .grid: try grid()
        case .search: try search()
        case .backAndForth: try backAndForth()
        case .return: try comeBack()
        }
        try clear()
        try recorder.add(.background, at: now)
        try recorder.finish()
    }

    var isDone: Bool { recorder.isDone }

    static func geometry(_ model: SynthesisModel, count: Int) -> ListGeometry {
        let (columns, height) =
            switch model.session {
            case .feed: (1, 480.0)
            case .search: (1, 96.0)
            case .grid, .backAndForth, .return: (3, 130.0)
            }
        return ListGeometry(
            columns: model.columns ?? columns, rowHeight: model.rowHeight ?? height, viewport: model.viewport,
            overscan: model.overscan,
            count: count)
    }

    mutating func wait(_ seconds: Double) {
        now += Int64((seconds * 1e6).rounded())
    }

    /// Waits about `seconds` while the person looks at the screen.
    mutating func look(_ seconds: Double? = nil) {
        wait(person.logNormal(median: seconds ?? model.dwell, spread: model.dwellSpread))
    }

    /// Waits as ``look(_:)`` does. Events of the system may happen, after which the list may be at its top.
    mutating func dwell(_ seconds: Double? = nil) throws {
        look(seconds)
        try systemEvents()
    }
}

/// The content of a list.
enum ListContent {
    /// An endless list whose pictures are drawn by popularity.
    case feed
    /// Pictures in a given order: a gallery, or the results of a search.
    case pictures([Int32])
}
