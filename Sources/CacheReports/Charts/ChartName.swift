import CachePolicies

/// The name of the files of a chart, without their endings: `photo-feed-outcomes`.
///
/// gnuplot runs a file name that begins with `<` or `|` as a command of the shell. Scripts therefore take the names of
/// files from this type alone, and its values are made of `SafeName` only: the name of a chart is a plain file name
/// for any name of its trace.
public struct ChartName: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// The kind of the chart: the raw value that the name was made of, such as `outcomes`.
    public let kind: String

    public var description: String { text }

    /// - Parameters:
    ///   - trace: The name of the trace; nil for a chart of all traces.
    ///   - unit: The unit of the capacities, if the trace has charts of several ones.
    ///   - kind: The kind of the chart.
    init(_ trace: String?, unit: CapacityUnit? = nil, _ kind: some RawRepresentable<String>) {
        self.init([trace, unit?.rawValue].compactMap { $0 }, kind.rawValue)
    }

    /// The name of a chart that is the only one in its folder.
    init(_ kind: String) { self.init([], kind) }

    private init(_ parts: [String], _ kind: String) {
        text = (parts + [kind]).map { SafeName($0).text }.joined(separator: "-")
        self.kind = kind
    }
}
