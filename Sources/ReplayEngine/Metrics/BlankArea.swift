import SessionModel

/// How much of the screen is blank in the course of a session: the share of the area of the visible cells that has no
/// image.
///
/// ``CellArea`` has the areas. While a full image is opened over a list, it is the screen, and the cells of the list do
/// not count. Without a visible cell, nothing is blank.
///
/// Times are nanoseconds. Complexity: O(n log n) for n requests.
struct BlankArea {
    /// The share that is blank, summed over time: the time for which a whole screen would be blank.
    private(set) var time = 0.0
    /// The largest share that is blank, as the mean over one second of the time in the foreground.
    private(set) var worstSecond = 0.0
    /// The second that is not complete, and its part of ``time``.
    private var second: Int64 = 0
    private var timeOfSecond = 0.0

    private static let length: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - areas: The area of the cell of each request; none if the trace does not record them.
    ///   - foreground: The time in the foreground, in which seconds are counted.
    init(
        _ requests: some RandomAccessCollection<ReplayRequest>, areas: [CellArea] = [],
        _ foreground: ForegroundClock = ForegroundClock()
    ) {
        func passed(_ time: Int64) -> Int64 { time == .max ? .max : foreground.time(at: time) }
        let cells = requests.enumerated().map { number, request in
            let end = request.vanished < 0 ? .max : request.vanished
            return Cell(
                appeared: passed(request.appeared),
                shown: passed(max(request.appeared, min(request.blankEnd, end))), ended: passed(end),
                area: areas.isEmpty ? .equal : areas[number])
        }
        let shown = cells.sorted { $0.shown < $1.shown }
        let ended = cells.sorted { $0.ended < $1.ended }
        var (nextCell, nextShown, nextEnded, now) = (0, 0, 0, Int64(0))
        var screen = Screen()
        while true {
            let appearance = nextCell < cells.count ? cells[nextCell].appeared : .max
            let change = min(appearance, nextShown < shown.count ? shown[nextShown].shown : .max)
            let time = min(change, nextEnded < ended.count ? ended[nextEnded].ended : .max)
            guard time < .max else { break }
            add(screen.blankShare, from: now, to: time)
            now = time
            while nextCell < cells.count, cells[nextCell].appeared == time {
                screen.add(cells[nextCell].area, visible: 1, blank: 1)
                nextCell += 1
            }
            while nextShown < shown.count, shown[nextShown].shown == time {
                screen.add(shown[nextShown].area, visible: 0, blank: -1)
                nextShown += 1
            }
            while nextEnded < ended.count, ended[nextEnded].ended == time {
                screen.add(ended[nextEnded].area, visible: -1, blank: 0)
                nextEnded += 1
            }
        }
        closeSecond()
    }

    /// A cell with the times, in the foreground, at which it appears, ceases to be blank, and vanishes.
    private struct Cell {
        var appeared: Int64
        var shown: Int64
        var ended: Int64
        var area: CellArea
    }

    /// The areas on the screen: of cells of the list, and of full images that are opened over it.
    private struct Screen {
        private var list = (visible: 0, blank: 0)
        private var opened = (visible: 0, blank: 0)

        /// Adds cells with an area, or removes them.
        mutating func add(_ area: CellArea, visible: Int, blank: Int) {
            if area.isOpened {
                opened.visible += visible * area.size
                opened.blank += blank * area.size
            } else {
                list.visible += visible * area.size
                list.blank += blank * area.size
            }
        }

        /// The share of the area that is blank; 0 without a visible cell.
        var blankShare: Double {
            let (visible, blank) = opened.visible > 0 ? opened : list
            return visible > 0 ? Double(blank) / Double(visible) : 0
        }
    }

    /// Adds a time in which the same share is blank.
    private mutating func add(_ share: Double, from start: Int64, to end: Int64) {
        guard share > 0, start < end else { return }
        time += share * Double(end - start)
        let (first, last) = (start / Self.length, end / Self.length)
        if first > second {
            closeSecond()
            second = first
        }
        guard last > first else {
            timeOfSecond += share * Double(end - start)
            return
        }
        timeOfSecond += share * Double((first + 1) * Self.length - start)
        closeSecond()
        if last > first + 1 { worstSecond = max(worstSecond, share) }
        second = last
        timeOfSecond = share * Double(end - last * Self.length)
    }

    private mutating func closeSecond() {
        worstSecond = max(worstSecond, timeOfSecond / Double(Self.length))
        timeOfSecond = 0
    }
}

/// The part of the screen that a visible cell takes up, as far as the trace records it.
///
/// `list` events have positions and rows, and no heights. So cells count as squares, and each row as filling the width
/// of the screen: in a grid with three columns, a cell has a ninth of the area of a cell in a list with one column.
/// A full image that is opened over thumbnails takes up the whole screen. In a trace without `list` events, all cells
/// have the same area.
struct CellArea: Sendable, Equatable {
    /// The area of a cell whose trace does not record it.
    static let equal = CellArea(columns: 1)

    /// The width of the screen. 1 to 10 columns divide it, so that their areas are exact.
    private static let width: Int32 = 5_040

    /// The area, as a part of the square of the width of the screen. Sums of areas are whole numbers, which do not
    /// depend on the order of cells.
    let size: Int
    /// Whether the cell is a full image that is opened over a list, and covers the cells of the list.
    let isOpened: Bool

    /// - Parameter columns: The number of cells in the row of the cell; above 0.
    init(columns: Int32, isOpened: Bool = false) {
        let side = Int(Self.width / min(columns, CellPlace.mostColumns))
        size = side * side
        self.isOpened = isOpened
    }

    /// Creates the area of a cell at a place. A cell of an image that its list does not contain is as large as the last
    /// cell of the list that it contains.
    init(_ place: CellPlace) {
        self.init(columns: place.columns, isOpened: place.isOpened)
    }

    /// Returns the width of the cell in pixels, on a screen whose width is `pixels`.
    func side(onScreenOf pixels: Int) -> Int { Int(Double(size).squareRoot()) * pixels / Int(Self.width) }

    /// Returns the areas of the cells of a trace, in order of appearance; none for a trace without `list` events.
    static func areas(of trace: Trace) -> [CellArea] { CellPlace.places(of: trace).map { CellArea($0) } }
}
