import CachePolicies
import Foundation
import ReplayEngine
import Runs

/// One chart: a gnuplot script and the figures that it draws, both plain text and pure functions of the results.
///
/// The script names its files relatively: `cd charts && gnuplot NAME.gp` draws the chart again, after any change of the
/// script.
public struct Chart: Sendable, Equatable {
    /// The name of the chart's files without their ending.
    public let files: ChartName
    /// The trace, and its network where there are several.
    public var trace: String
    public var title: String
    /// How to read the chart, in a phrase or a sentence.
    public var caption: String
    public var script: String
    public var name: String { files.text }

    /// RFC 4180 text. Names are in the last column, so that gnuplot only counts columns of numbers.
    public var data: String

    /// Creates the chart of one trace from its content, in the size and the look of the options.
    init(_ name: ChartName, trace: String, _ content: ChartContent, _ options: ChartOptions, caption: String) {
        var content = content
        content.canvas = options.canvas
        (files, self.trace, title, self.caption) = (name, trace, content.title, caption)
        (script, data) = (content.script(name: name, formats: options.formats), content.data)
    }

    /// Returns whether a file in `charts/` belongs to a chart of these kinds, and can be removed with them.
    static func isFile(_ name: String, of kinds: [String]) -> Bool {
        let endings = ["gp", "csv"] + ChartFormat.allCases.map(\.rawValue)
        return endings.contains { ending in kinds.contains { name.hasSuffix("-\($0).\(ending)") } }
    }

    /// Returns whether a file in `charts/` belongs to a chart of these kinds, and is no script that a user has edited.
    static func isOwn(_ file: String, of kinds: [String]) -> Bool {
        isFile(file, of: kinds) && !EditedScript.isEdited(file: file)
    }
}

/// The picture formats of charts. The raw value is the ending of their files.
public enum ChartFormat: String, Sendable, CaseIterable {
    case svg
    case png
    case pdf

    /// Returns whether a file ends as a whole picture does. gnuplot reports success also when it could not write.
    func isComplete(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: size - min(size, 64))) != nil, let tail = try? file.readToEnd()
        else { return false }
        let text = tail.reversed().drop { [0x0A, 0x0D, 0x20].contains($0) }
        switch self {
        case .svg: return text.starts(with: "</svg>".utf8.reversed())
        case .png: return tail.suffix(8) == Data("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
        case .pdf: return text.starts(with: "%%EOF".utf8.reversed())
        }
    }
}

/// The charts of a replay, drawn for each trace and network. The raw value is the last part of the names of their
/// files.
///
/// A new chart is a case here and an entry in the three switches below, which do not compile without it.
public enum ChartKind: String, Sendable, CaseIterable {
    case outcomes
    case times
    case distribution
    case memory
    case blankArea = "blank-area"
    case difference
    case tradeoff
    case prefetch
    case sweep

    /// The meaning of the chart in a phrase of one line.
    public var meaning: String {
        switch self {
        case .outcomes: "where the images came from, one bar per cache"
        case .times: "how soon images were there: within 16 ms, 100 ms, 1 s, later or never"
        case .distribution: "the cumulative distribution of the time to image"
        case .memory: "bytes in memory over trace time"
        case .blankArea: "blank time so far over trace time"
        case .difference: "blank time more or less than with a baseline, in points"
        case .tradeoff: "blank time against peak memory; no cache reaches the shaded part"
        case .prefetch: "blank time against fetched bytes, with prefetches"
        case .sweep: "blank time and images not shown, by the values of --sweep"
        }
    }

    /// Returns nil where the results have nothing to draw, such as timelines or swept values.
    private var draw: @Sendable (ChartInput, ChartCanvas) -> ChartContent? {
        switch self {
        case .outcomes: OutcomeChart.content
        case .times: TimesChart.content
        case .distribution: DistributionChart.content
        case .memory: MemoryChart.content
        case .blankArea: BlankAreaChart.content
        case .difference: DifferenceChart.content
        case .tradeoff: TradeoffChart.content
        case .prefetch: TradeoffChart.prefetches
        case .sweep: SweepChart.content
        }
    }

    /// The subject of the title.
    private var subject: Finding.Subject {
        switch self {
        case .outcomes, .times, .distribution, .blankArea, .difference, .prefetch: .best
        case .memory, .tradeoff, .sweep: .memory
        }
    }

    /// Returns all charts of all traces and networks, in the order of the results, and the chart of all of them
    /// together.
    ///
    /// - Parameters:
    ///   - results: The finished runs.
    ///   - options: The size, the colours and the order.
    ///   - facts: What the findings of the titles are judged by; nil for the standard tolerance, and no limits.
    public static func charts(
        _ results: [RunResult], _ options: ChartOptions = ChartOptions(), judgedBy facts: ReplayFacts? = nil
    ) -> [Chart] {
        let canvas = options.canvas
        let inputs = ChartInput.byTrace(results, options.order)
        let overview = OverviewChart.chart(inputs, options, judgedBy: facts)
        let charts = inputs.flatMap { input -> [Chart] in
            var input = input
            input.tolerance = facts?.relevanceThreshold ?? .standard
            let findings = input.findings(judgedBy: facts)
            return allCases.compactMap { kind in
                guard var content = kind.draw(input, canvas) else { return nil }
                content.source = input.source
                let finding =
                    findings.first { $0.subject == kind.subject } ?? findings.first { $0.subject == .best }
                content.finding = finding?.text
                return Chart(
                    ChartName(input.trace, network: input.network, kind), trace: input.place, content, options,
                    caption: kind.meaning)
            }
        }
        return charts + [overview].compactMap(\.self)
    }
}

/// The name of the files of a chart, without their endings: `photo-feed-outcomes`.
///
/// gnuplot runs a file name that begins with `<` or `|` as a command of the shell. Scripts therefore take the names of
/// files from this type alone, and its values are made of `SafeName` only: the name of a chart is a plain file name
/// for any name of its trace.
public struct ChartName: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// - Parameters:
    ///   - trace: The name of the trace; nil for a chart of all traces.
    ///   - network: The network, if the trace has charts of several ones.
    ///   - unit: The unit of the capacities, if the trace has charts of several ones.
    init(
        _ trace: String?, network: String? = nil, unit: CapacityUnit? = nil, _ kind: some RawRepresentable<String>
    ) {
        self.init([trace, network, unit?.rawValue, kind.rawValue].compactMap(\.self))
    }

    /// The name of a chart that is the only one in its folder.
    init(_ kind: String) { self.init([kind]) }

    private init(_ parts: [String]) { text = parts.map { SafeName($0).text }.joined(separator: "-") }
}
