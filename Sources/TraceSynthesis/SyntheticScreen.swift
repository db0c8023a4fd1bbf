import SessionModel

/// The list on the screen of a generated session, with its clock: view cells appear and disappear as the list moves.
struct SyntheticScreen<Sink: SynthesisSink> {
    /// The number of rows that are prefetched in the direction of movement.
    let prefetchRows: Int
    var recorder: SyntheticRecorder<Sink>
    /// The microseconds since the start.
    var now: Int64 = 0
    var geometry: ListGeometry
    /// The content of the places of the list.
    var content: [ListItem] = []
    var offset = 0.0
    var visible = 0..<0
    /// The places that were prefetched in the direction of movement.
    var prefetched = 0..<0

    init(geometry: ListGeometry, prefetchRows: Int, recorder: SyntheticRecorder<Sink>) {
        self.geometry = geometry
        self.prefetchRows = prefetchRows
        self.recorder = recorder
    }

    var isDone: Bool { recorder.isDone }

    mutating func wait(_ seconds: Double) {
        now += microseconds(seconds)
    }

    /// Leaves the screen: all view cells disappear, and the app enters the background.
    mutating func finish() throws {
        try clear()
        try recorder.add(.background, at: now)
        try recorder.finish()
    }
}

/// Returns seconds as microseconds, rounded to milliseconds: a compressed population is small only with coarse times.
func microseconds(_ seconds: Double) -> Int64 { 1_000 * Int64((seconds * 1e6 / 1_000).rounded()) }

/// The content of a place of a list.
struct ListItem: Hashable {
    private var code: Int32

    init(_ picture: Int, _ variant: Variant) { code = Int32(picture) << 1 | Int32(variant.rawValue) }

    var picture: Int { Int(code >> 1) }
    var variant: Variant { code & 1 == Int32(Variant.full.rawValue) ? .full : .thumbnail }
}

extension SyntheticScreen {
    /// The seconds of a frame of the display. View cells appear and disappear when a frame is drawn.
    private static var frame: Double { 1.0 / 60 }
    /// The seconds between scroll events while the list moves: a compressed population is small only with few of them.
    private static var scrollInterval: Double { 0.5 }
    /// The speed in points per second above which nothing is prefetched.
    private static var prefetchSpeed: Double { 2_500 }

    mutating func show(_ content: [ListItem]) throws {
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
            try recorder.appear(content[place].picture, content[place].variant, at: now)
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
            now = start + microseconds(time)
            let (place, velocity) = path(time)
            offset = min(geometry.end, max(0, place))
            try layOut()
            if abs(velocity) < Self.prefetchSpeed { try prefetch(forward: velocity > 0) }
            if time - reported >= Self.scrollInterval {
                try report(phase, velocity: velocity)
                reported = time
            }
            if place != offset { return }
        }
    }

    private mutating func prefetch(forward: Bool) throws {
        guard prefetchRows > 0, !isDone else { return }
        let columns = geometry.columns
        let edge =
            forward ? (visible.upperBound + columns - 1) / columns : visible.lowerBound / columns - prefetchRows
        let wanted = geometry.places(rows: edge, edge + prefetchRows)
        guard wanted != prefetched else { return }
        for place in wanted where !prefetched.contains(place) {
            try recorder.prefetch(content[place].picture, content[place].variant, at: now)
        }
        prefetched = wanted
    }

    private mutating func disappear(_ place: Int) throws {
        try recorder.disappear(content[place].picture, content[place].variant, at: now)
    }

    /// Adds a scroll event in whole points and whole points per second.
    mutating func report(_ phase: ScrollPhase, velocity: Double) throws {
        let velocity = min(1e9, max(-1e9, velocity)).rounded()
        try recorder.add(
            .scroll(phase, offset: offset.rounded(), velocity: velocity == 0 ? 0 : velocity), at: now)
    }

    /// Shows a range of pages of the detail view, and hides the others.
    mutating func showPages(_ shown: inout Range<Int>, _ pages: Range<Int>) throws {
        for page in shown where !pages.contains(page) {
            try recorder.disappear(content[page].picture, .full, at: now)
        }
        var kept = shown.clamped(to: pages)
        for page in pages where !shown.contains(page) && !isDone {
            try recorder.appear(content[page].picture, .full, at: now)
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
    /// The number of view cells.
    var count: Int

    /// The greatest offset.
    var end: Double {
        max(0, Double((count + columns - 1) / columns) * rowHeight - viewport)
    }

    func visible(at offset: Double) -> Range<Int> {
        let first = (offset / rowHeight).rounded(.down)
        let last = ((offset + viewport) / rowHeight).rounded(.up)
        return places(rows: Int(first), Int(last))
    }

    /// Returns the existing places of the rows from `first` to below `last`.
    func places(rows first: Int, _ last: Int) -> Range<Int> {
        let low = min(count, max(0, first) * columns)
        return low..<min(count, max(low, max(0, last) * columns))
    }
}
