import Basics

/// The places of the phones of a film strip, of their cells and of the names beside them. Places are units from the top
/// left of the picture.
struct FilmstripLayout {
    /// The height of the picture in units.
    let height: Int

    private let canvas: ChartCanvas
    private let screens: [[FilmScreen]]
    private let names: [[String]]
    private let legend: FillLegend
    private let phoneWidth: Double
    private let phoneHeight: Double
    private let left: Double
    /// The distances between the left edges, and between the top edges, of phones.
    private let across: Double
    private let down: Double

    private static let top = Double(ChartStyle.top) + 14
    private static let right = 24.0
    private static let (standardPhone, leastPhone) = (230.0, 24.0)
    private static let characterWidth = 8.7
    private static let lineHeight = 19.0
    /// The space between a phone and its cells, and between cells.
    private static let space = 4.0

    /// A rectangle.
    private struct Box {
        var left: Double
        var top: Double
        var width: Double
        var height: Double
    }

    /// - Parameters:
    ///   - labels: The names of the rows.
    ///   - screens: What the phones show, by row and column. There is at least one of both.
    init(_ labels: [String], _ screens: [[FilmScreen]], _ canvas: ChartCanvas) {
        let drawn = Set(screens.joined().flatMap { $0.cells.prefix(FilmstripChart.mostCells).map(\.state) })
        let parts = FilmState.allCases.filter { drawn.contains($0) }.map { state in
            StackedBars.Part(title: state.title, column: state.rawValue, fill: state.fill)
        }
        let legend = FillLegend(parts, canvas)
        let rows = Double(labels.count)
        let gap = canvas.height == nil ? 18.0 : 10.0
        let around = Self.top + Double(legend.height) + 10
        let phoneHeight: Double
        if let given = canvas.height {
            phoneHeight = max(Self.leastPhone, (Double(given) - around - gap * (rows - 1)) / rows)
            height = given
        } else {
            phoneHeight = Self.standardPhone
            height = Int(around + phoneHeight * rows + gap * (rows - 1))
        }
        let length = min(28, max(10, Int(Double(canvas.width) * 0.2 / Self.characterWidth)))
        let lines = min(8, max(1, Int(phoneHeight / Self.lineHeight)))
        let names = labels.map { NameRows.wrap($0, at: length, mostLines: lines) }
        let longest = names.joined().map { TextGrid.width($0) }.max() ?? 0
        let beside = Double(longest) * Self.characterWidth + 34
        let columns = Double(max(1, screens[0].count))
        let room = Double(canvas.width) - beside - Self.right
        phoneWidth = min(room / columns - 14, max(phoneHeight * 0.62, 70))
        // Few phones stand in the middle.
        let across = min(room / columns, phoneWidth + 90)
        let left = beside + (room - across * columns) / 2
        down = phoneHeight + gap
        (self.canvas, self.screens, self.names, self.legend) = (canvas, screens, names, legend)
        (self.phoneHeight, self.left, self.across) = (phoneHeight, left, across)
    }

    /// The place of the heading of a column, as gnuplot's coordinates.
    func heading(_ column: Int) -> String {
        Self.place(left + Double(column) * across + phoneWidth / 2, Double(ChartStyle.top))
    }

    /// The plot that is as large as the picture, and everything in it but the headings.
    var settings: [String] {
        [
            "set lmargin at screen 0", "set rmargin at screen 1", "set tmargin at screen 1", "set bmargin at screen 0",
            "set xrange [0:\(canvas.width)]", "set yrange [\(height):0]",
            "set border 0", "unset xtics", "unset ytics", "unset grid", "unset key",
        ] + names.indices.map(name) + phones + legend.settings(height)
    }

    private func name(_ row: Int) -> String {
        let lines = names[row]
        // gnuplot sets the first line at the given height, so the text is raised by its other lines.
        let lift = GnuplotText.number(Double(lines.count - 1) * 0.5)
        let middle = Self.top + Double(row) * down + phoneHeight / 2
        return "set label \(GnuplotText.quoted(lines.joined(separator: "\n"))) right at "
            + "\(Self.place(left - 14, middle)) front offset 0, character \(lift)"
    }

    private var phones: [String] {
        var commands: [String] = []
        for row in screens.indices {
            for (column, screen) in screens[row].enumerated() {
                let phone = Box(
                    left: left + Double(column) * across, top: Self.top + Double(row) * down, width: phoneWidth,
                    height: phoneHeight)
                commands.append(
                    Self.rectangle(phone) + " fillstyle empty border linecolor rgb '#777777' linewidth 1.5")
                commands += cells(of: screen, in: phone)
            }
        }
        return commands
    }

    /// The most rows of cells that a phone shows.
    private var mostRows: Int {
        var most = 1
        for screen in screens.joined() where !screen.isOpened { most = max(most, Self.rows(screen)) }
        return most
    }

    /// Whether a phone does not show all of its cells.
    private var hasMore: Bool { screens.joined().contains { $0.cells.count > FilmstripChart.mostCells } }

    private static func rows(_ screen: FilmScreen) -> Int {
        (screen.cells.prefix(FilmstripChart.mostCells).last?.row ?? 0) + 1
    }

    /// Returns the cells of a phone, which are squares unless they need more room than the phone has.
    private func cells(of screen: FilmScreen, in phone: Box) -> [String] {
        let space = min(Self.space, phoneHeight / 20)
        let below = hasMore ? min(Self.lineHeight, phoneHeight / 4) : 0
        let width = phone.width - 2 * space
        let rows = screen.isOpened ? Self.rows(screen) : mostRows
        let most = (phone.height - 2 * space - below - space * Double(rows - 1)) / Double(rows)
        var commands: [String] = []
        var (row, top, rowHeight) = (-1, phone.top + space, 0.0)
        for cell in screen.cells.prefix(FilmstripChart.mostCells) {
            let side = (width - space * Double(cell.columns - 1)) / Double(cell.columns)
            if cell.row != row {
                if row >= 0 { top += rowHeight + space }
                row = cell.row
                rowHeight = screen.isOpened ? most : min(most, side)
            }
            let box = Box(
                left: phone.left + space + Double(cell.column) * (side + space), top: top, width: max(1, side),
                height: max(1, rowHeight))
            let colour = cell.state.fill.colour
            commands.append(Self.rectangle(box) + " fillcolor rgb '\(colour)' fillstyle solid 1 noborder")
            if let label = Self.label(cell, in: box) { commands.append(label) }
        }
        let more = screen.cells.count - FilmstripChart.mostCells
        if more > 0 {
            let place = Self.place(phone.left + phone.width / 2, phone.top + phone.height - space - below / 2)
            commands.append("set label '+\(more)' center at \(place) front")
        }
        return commands
    }

    /// Returns the time for which a blank cell has waited, or the sign of another one; nil for less than 50 ms, and
    /// without room for it.
    private static func label(_ cell: FilmScreen.Cell, in box: Box) -> String? {
        let texts: [String]
        switch cell.state {
        case .blank:
            let seconds = HumanText.decimals(Double(cell.waited) / 1e6, 1)
            texts = seconds == "0.0" ? [] : ["\(seconds) s", seconds]
        case .failed: texts = ["×"]
        case .wrong: texts = ["!"]
        case .memory, .disk, .network, .stale: texts = []
        }
        let fitting = texts.first { Double(TextGrid.width($0)) * characterWidth <= box.width }
        guard let text = fitting, box.height >= lineHeight - 3 else { return nil }
        let middle = place(box.left + box.width / 2, box.top + box.height / 2)
        let ink = cell.state.fill.ink
        return "set label \(GnuplotText.quoted(text)) center at \(middle) front textcolor rgb '\(ink)'"
    }

    private static func rectangle(_ box: Box) -> String {
        "set object rectangle from \(place(box.left, box.top)) to "
            + "\(place(box.left + box.width, box.top + box.height)) back"
    }

    /// Returns gnuplot's coordinates of a place.
    private static func place(_ x: Double, _ y: Double) -> String {
        "first \(GnuplotText.number(x)), first \(GnuplotText.number(y))"
    }
}
