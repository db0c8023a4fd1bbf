import Basics
import Runs

/// The charts of results in one folder, for any options: the way from results to pictures that all commands take.
///
/// A command that makes results draws by one source. `cachereplay chart` finds the sources of a folder: see
/// ``ResultKind``.
struct ChartSource {
    /// The name of a page in the folder, and its text with these pictures.
    typealias Page = (name: String, html: ([Chart.Picture]) throws -> String)
    /// Charts, and the page that shows them; nil for charts without a page.
    typealias Sheet = (charts: [Chart], page: Page?)

    /// The folder, which gets `charts/`.
    let folder: String
    /// The names that ``ChartOptions/caches`` can choose from, in the order of the results.
    let caches: [String]
    /// The names that ``ChartOptions/traces`` can choose from, in the order of the results.
    let traces: [String]
    /// Returns the charts for options whose names are among ``caches`` and ``traces``.
    let sheet: (ChartOptions) throws -> Sheet

    /// Writes the charts, and the page if the options are the standard ones: other pictures leave it as it is.
    fileprivate func draw(_ options: ChartOptions, with gnuplot: () throws -> Gnuplot) throws -> DrawnCharts {
        let (charts, page) = try sheet(options)
        guard !charts.isEmpty || page != nil else { return DrawnCharts() }
        return try Chart.draw(
            charts, options.formats, in: folder, page: options.isStandard ? page?.name : nil, with: gnuplot
        ) { pictures in
            try page?.html(pictures) ?? ""
        }
    }
}

extension [ChartSource] {
    /// Writes the charts of all sources, which are of one folder.
    ///
    /// - Throws: `ResultsError`: `notFound` for a cache or a trace that no source has, `missingTool` without gnuplot,
    ///   `cannotCreate`, `ioError`, or what reading the results throws.
    func draw(
        _ options: ChartOptions, with gnuplot: () throws -> Gnuplot = { try Gnuplot() }
    ) throws -> DrawnCharts {
        let caches = try names(options.caches, among: flatMap(\.caches), "cache")
        let traces = try names(options.traces, among: flatMap(\.traces), "trace")
        var drawn = DrawnCharts()
        for source in self {
            var own = options
            own.caches = caches.filter(source.caches.contains)
            own.traces = traces.filter(source.traces.contains)
            // A source that has none of the chosen names is not drawn.
            guard own.caches.isEmpty == caches.isEmpty, own.traces.isEmpty == traces.isEmpty else { continue }
            let charts = try source.draw(own, with: gnuplot)
            drawn.pictures += charts.pictures
            drawn.keptScripts += charts.keptScripts
            drawn.missing.formUnion(charts.missing)
        }
        return drawn
    }

    /// Returns the names that a user has chosen, as results have them.
    private func names(_ wanted: [String], among known: [String], _ what: String) throws -> [String] {
        // A name can contain commas itself.
        let names = wanted.flatMap { text in
            known.contains(text) ? [text] : text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        guard let name = names.first(where: { !known.contains($0) }) else { return names.unique() }
        let hint =
            nearestName(to: name, among: known).map { "did you mean '\($0)'?" }
            ?? (known.isEmpty
                ? "its charts have no \(what)s to choose from"
                : "it has \(known.unique().prefix(8).joined(separator: ", "))")
        throw ResultsError(.notFound, file: first?.folder ?? "", "has no \(what) '\(name)'; \(hint)")
    }
}

public struct DrawnCharts: Sendable {
    /// The paths of the pictures.
    public var pictures: [String] = []
    /// The paths of scripts that a user has edited, and that were kept.
    public var keptScripts: [String] = []
    /// The characters of names that no font of this machine has.
    public var missing: Set<Unicode.Scalar> = []
}
