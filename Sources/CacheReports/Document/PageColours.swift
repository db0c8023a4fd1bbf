/// The colours that pages share with charts, as properties of a style sheet: pictures by gnuplot, and what the script of
/// a page draws, have one language.
enum PageColours {
    /// What the user saw of a cell, with its area.
    static let fills: [(name: String, fill: Fill)] = FilmState.allCases.map { ($0.rawValue, $0.fill) }

    /// The properties: `--film-NAME` of an area, `--film-NAME-ink` of text on it, and `--c0` to `--c6` of the lines of
    /// caches. `--heat` and `--higher` are the full colours of a matrix, whose text has the colour of all text.
    static let style: String = {
        let areas = fills.map { name, fill in
            "--film-\(name): \(fill.colour); --film-\(name)-ink: \(fill.ink);"
        }
        func lines(_ colour: (String) -> String) -> [String] {
            ChartStyle.colours.enumerated().map { "--c\($0): \(colour($1));" }
        }
        func heat(_ blank: Fill, _ hits: Fill) -> [String] { ["--heat: \(blank.colour); --higher: \(hits.colour);"] }
        func rule(_ properties: [String]) -> String { ":root {\n\(properties.joined(separator: "\n"))\n}\n" }
        return rule(areas + lines { $0 } + heat(.late, .within100ms))
            + "@media screen and (prefers-color-scheme: dark) {\n"
            + rule(lines(ChartStyle.onDark) + heat(.never, .within16ms)) + "}\n"
    }()
}
