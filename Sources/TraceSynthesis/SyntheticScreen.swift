import SessionModel

/// The list on the screen of a generated session, with its clock: view cells appear and disappear as the list moves.
struct SyntheticScreen<Sink: SynthesisSink> {
    let model: SynthesisModel
    var recorder: SyntheticRecorder<Sink>
    /// The microseconds since the start.
    var now: Int64 = 0
    var geometry: ListGeometry
    var content = ListContent.pictures([])
    var offset = 0.0
    var visible = 0..<0
    /// The places that were prefetched in the direction of movement.
    var prefetched = 0..<0

    init(_ model: SynthesisModel, geometry: ListGeometry, recorder: SyntheticRecorder<Sink>) {
        self.model = model
        self.geometry = geometry
        self.recorder = recorder
    }

    var isDone: Bool { recorder.isDone }

    mutating func wait(_ seconds: Double) {
        now += model.microseconds(seconds)
    }

    /// Leaves the screen: all view cells disappear, and the app enters the background.
    mutating func finish() throws {
        try clear()
        try recorder.add(.background, at: now)
        try recorder.finish()
    }
}

/// The content of a list.
enum ListContent {
    /// An endless list of full images, drawn by popularity. A place has the same picture whenever it appears.
    case endless(ZipfSampler, seed: UInt64)
    /// Thumbnails of pictures in a given order: a gallery, or the results of a search.
    case pictures([Int32])
    /// Images in a given order.
    case items([ListItem])

    /// The number of places; `.max` for an endless list.
    var count: Int {
        switch self {
        case .endless: .max
        case .pictures(let order): order.count
        case .items(let items): items.count
        }
    }
}

/// What a place of a list shows.
struct ListItem: Hashable {
    private var code: Int32

    init(_ picture: Int, _ variant: Variant) { code = Int32(picture) << 1 | Int32(variant.rawValue) }

    var picture: Int { Int(code >> 1) }
    var variant: Variant { code & 1 == Int32(Variant.full.rawValue) ? .full : .thumbnail }
}

extension SyntheticScreen {
    /// The seconds of a frame of the display. View cells appear and disappear when a frame is drawn.
    private static var frame: Double { 1.0 / 60 }

    /// Returns the picture and the variant at a place of the list.
    func picture(at place: Int) -> (number: Int, variant: Variant) {
        switch content {
        case .endless(let popularity, let seed): (popularity.rank(place: place, seed: seed), .full)
        case .pictures(let order): (Int(order[place]), .thumbnail)
        case .items(let items): (items[place].picture, items[place].variant)
        }
    }

    /// Shows a list from its top.
    mutating func show(_ content: ListContent) throws {
        try clear()
        self.content = content
        geometry.count = content.count
        offset = 0
        try layOut()
        try report(.atRest, velocity: 0)
    }

    /// Makes all view cells disappear.
    mutating func clear() throws {
        for place in visible { try disappear(place) }
        visible = 0..<0
        prefetched = 0..<0
    }

    /// Makes view cells disappear and appear according to the offset. Layout stops when the trace has all requests.
    mutating func layOut() throws {
        let before = visible
        let after = geometry.visible(at: offset)
        guard before != after else { return }
        for place in before where !after.contains(place) { try disappear(place) }
        var low = max(before.lowerBound, after.lowerBound)
        var high = max(low, min(before.upperBound, after.upperBound))
        if before.isEmpty || low >= high { (low, high) = (after.lowerBound, after.lowerBound) }
        visible = low..<high
        for place in after where !before.contains(place) && !isDone {
            let (picture, variant) = picture(at: place)
            try recorder.appear(picture, variant, at: now)
            visible = min(visible.lowerBound, place)..<max(visible.upperBound, place + 1)
        }
    }

    /// Draws a frame every 60th of a second along a path, until the path or the list ends or the trace has all
    /// requests.
    mutating func move(
        _ phase: ScrollPhase, for seconds: Double, along path: (Double) -> (offset: Double, velocity: Double)
    ) throws {
        let start = now
        var reported = 0.0
        var time = 0.0
        while time < seconds, !isDone {
            time = min(seconds, time + Self.frame)
            now = start + model.microseconds(time)
            let (place, velocity) = path(time)
            offset = min(geometry.end, max(0, place))
            try layOut()
            if abs(velocity) < model.prefetchSpeed { try prefetch(forward: velocity > 0) }
            if model.scrollInterval > 0, time - reported >= model.scrollInterval {
                try report(phase, velocity: velocity)
                reported = time
            }
            if place != offset { return }
        }
    }

    /// Whether scrolling can show further view cells.
    var hidesCells: Bool { geometry.visible(at: 0).upperBound < geometry.count }

    private mutating func prefetch(forward: Bool) throws {
        guard model.prefetchRows > 0, !isDone else { return }
        let columns = geometry.columns
        let edge =
            forward ? (visible.upperBound + columns - 1) / columns : visible.lowerBound / columns - model.prefetchRows
        let wanted = geometry.places(rows: edge, edge + model.prefetchRows)
        guard wanted != prefetched else { return }
        for place in wanted where !prefetched.contains(place) {
            let (picture, variant) = picture(at: place)
            try recorder.prefetch(picture, variant, at: now)
        }
        prefetched = wanted
    }

    private mutating func disappear(_ place: Int) throws {
        let (picture, variant) = picture(at: place)
        try recorder.disappear(picture, variant, at: now)
    }

    /// Adds a scroll event with the precision of recorders: tenths of a point or whole ones, and whole points per
    /// second.
    mutating func report(_ phase: ScrollPhase, velocity: Double) throws {
        let velocity = min(1e9, max(-1e9, velocity)).rounded()
        try recorder.add(
            .scroll(phase, offset: roundedOffset, velocity: velocity == 0 ? 0 : velocity), at: now)
    }

    private var roundedOffset: Double {
        model.hasWholePoints ? offset.rounded() : (offset * 10).rounded() / 10
    }

    /// Shows a range of pages of the detail view, and hides the others.
    mutating func showPages(_ shown: inout Range<Int>, _ pages: Range<Int>) throws {
        for page in shown where !pages.contains(page) {
            try recorder.disappear(picture(at: page).number, .full, at: now)
        }
        var kept = shown.clamped(to: pages)
        for page in pages where !shown.contains(page) && !isDone {
            try recorder.appear(picture(at: page).number, .full, at: now)
            kept = kept.isEmpty ? page..<page + 1 : min(kept.lowerBound, page)..<max(kept.upperBound, page + 1)
        }
        shown = kept
    }
}

/// The geometry of a list, with rows of equal height.
struct ListGeometry: Sendable, Equatable {
    var columns: Int
    /// The height of a row in points, like all lengths.
    var rowHeight: Double
    var viewport: Double
    /// The distance outside of the viewport at which view cells already appear.
    var overscan: Double
    /// The number of view cells; `.max` for an endless list.
    var count: Int

    /// The greatest offset.
    var end: Double {
        guard count < .max else { return .infinity }
        return max(0, Double((count + columns - 1) / columns) * rowHeight - viewport)
    }

    /// Returns the places that are visible at an offset.
    func visible(at offset: Double) -> Range<Int> {
        let first = ((offset - overscan) / rowHeight).rounded(.down)
        let last = ((offset + viewport + overscan) / rowHeight).rounded(.up)
        return places(rows: Int(first), Int(last))
    }

    /// Returns the existing places of the rows from `first` to below `last`.
    func places(rows first: Int, _ last: Int) -> Range<Int> {
        let low = min(count, max(0, first) * columns)
        return low..<min(count, max(low, max(0, last) * columns))
    }
}
