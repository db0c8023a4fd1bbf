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

    /// The length of a second.
    private static let length: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - requests: What became of each request, in order of appearance.
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

    /// What is on the screen: areas of cells of the list, and of full images that are opened over it.
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
