/// A legend below the chart, with as many columns as the names leave room for.
struct Legend {
    /// Characters that fit across the picture, and those that a line sample takes.
    private static let across = 128
    private static let sample = 10
    private static let lineHeight = 21

    private let names: [String]
    private let columns: Int

    init(_ names: [String]) {
        self.names = names.map { name in
            let name = ShortNames.printable(name)
            return name.count > Self.across - Self.sample ? name.prefix(Self.across - Self.sample - 1) + "…" : name
        }
        let longest = self.names.map { TextGrid.width($0) }.max() ?? 0
        columns = min(4, max(1, Self.across / (longest + Self.sample)))
    }

    /// In pixels.
    var height: Int { (names.count + columns - 1) / columns * Self.lineHeight + 12 }

    var settings: [String] {
        ["set key below center vertical maxrows \((names.count + columns - 1) / columns) Left reverse samplen 5 spacing 1.15"]
    }

    func title(_ index: Int) -> String { "title \(GnuplotText.quoted(names[index]))" }
}
