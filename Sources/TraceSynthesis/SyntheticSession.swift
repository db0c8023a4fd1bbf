/// A made-up session under way: the clock, the list on the screen, and the person before it.
///
/// Its parts are `+Scrolling` (how the list moves), `+System` (what the system does), and one file for each kind of
/// session.
struct SyntheticSession<Sink: SynthesisSink> {
    let model: SynthesisModel
    let catalogue: PictureCatalogue
    var recorder: SyntheticRecorder<Sink>
    /// Microseconds since the beginning.
    var now: Int64 = 0
    /// What the person does.
    var person: RandomStream
    var system: SystemPlan

    // The list on the screen.
    var geometry: ListGeometry
    var content = ListContent.feed
    var offset = 0.0
    var visible = 0..<0
    /// The places that were prefetched ahead of where the list is.
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

    /// Until the trace has the requests that were asked for; then the cells leave and the app goes to the background.
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

    /// Looks at what there is for about `seconds`.
    mutating func look(_ seconds: Double? = nil) {
        wait(person.logNormal(median: seconds ?? model.dwell, spread: model.dwellSpread))
    }

    /// The same; meanwhile the system may do something, and the list be back at its top.
    mutating func dwell(_ seconds: Double? = nil) throws {
        look(seconds)
        try systemEvents()
    }
}

/// What the cells of a list show.
enum ListContent {
    /// At each place whatever the popularity draws, endlessly.
    case feed
    /// Pictures in an order of their own: a gallery, or the results of a search.
    case pictures([Int32])
}
