import SessionModel

/// The state of a session during its generation: the list on the screen, and the person.
///
/// `+Scrolling` moves the list and contains the events of the system, `+Lists` the screens.
struct SyntheticSession<Sink: SynthesisSink> {
    let model: SynthesisModel
    let catalogue: PictureCatalogue
    /// The list on the screen.
    var screen: SyntheticScreen<Sink>
    /// The random numbers of the person.
    var person: RandomStream
    var system: SystemPlan
    let feedSeed: UInt64

    init(_ model: SynthesisModel, sink: Sink) throws {
        try model.check()
        self.model = model
        catalogue = PictureCatalogue(model)
        let recorder = try SyntheticRecorder(
            model, catalogue, TraceHeader(model), pictures: model.pictures, sink)
        screen = SyntheticScreen(model, geometry: Self.geometry(model, count: .max), recorder: recorder)
        person = RandomStream(seed: model.seed, name: "person")
        system = SystemPlan(model)
        var feed = RandomStream(seed: model.seed, name: "feed")
        feedSeed = feed.next()
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
        try screen.finish()
    }

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

    /// Waits about `seconds` while the person looks at the screen.
    mutating func look(_ seconds: Double? = nil) {
        screen.wait(person.logNormal(median: seconds ?? model.dwell, spread: model.dwellSpread))
    }

    /// Waits as ``look(_:)`` does. Events of the system may happen, after which the list may be at its top.
    mutating func dwell(_ seconds: Double? = nil) throws {
        look(seconds)
        try systemEvents()
    }
}

extension TraceHeader {
    /// The header of a session of a model.
    init(_ model: SynthesisModel) {
        self.init(
            title: model.session.title,
            recorder:
                """
                cachereplay trace synthesize, model \(SynthesisModel.version), session \(model.session.rawValue), \
                seed \(model.seed)
                """,
            synthetic: true)
    }
}
