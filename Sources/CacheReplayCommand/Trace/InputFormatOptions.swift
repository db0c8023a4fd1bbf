import ArgumentParser
import CacheTraces

/// The options for reading a trace, which every command with an input trace has.
struct InputFormatOptions: ParsableArguments {
    @OptionGroup var formatOption: FormatOption
    var format: TraceFormat? { formatOption.format }

    @OptionGroup(title: "Recordings and logs") var recording: RecordingCommandOptions

    @OptionGroup(title: "CSV columns") var csv: CSVColumnOptions

    /// Returns the chosen format with its options; nil if the format is to be recognised.
    func chosenFormat() throws -> TraceFormat? {
        guard csv.options != CSVFormat.Options() else { return format }
        if let format, format.name != TraceFormat.csv.name {
            throw ValidationError("options for CSV columns require --format csv, not \(format.name)")
        }
        return .csv(csv.options)
    }

    func read(_ file: TraceFile) throws -> TraceReading {
        do { return try read(file.place) } catch { throw file.named(error) }
    }

    func read(_ path: String) throws -> TraceReading {
        try TraceReading(contentsOf: path, format: chosenFormat(), options: recording.options)
    }
}

struct CSVColumnOptions: ParsableArguments {
    @Option(help: "The column of the time, by its name or its number from 1.")
    var timeColumn: String?

    @Option(help: "The column of the key.")
    var keyColumn: String?

    @Option(help: "The column of the size in bytes.")
    var sizeColumn: String?

    @Option(
        help: "One character, or 'tab'. By default the most frequent one in the first row.", transform: Self.delimiter)
    var delimiter: Character?

    @Option(
        help: "The unit of the time: \(CSVFormat.TimeUnit.allCases.map(\.rawValue).joined(separator: ", ")).",
        transform: Self.unit)
    var timeUnit: CSVFormat.TimeUnit?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether the first row has the names of the columns; by default if it has one that is known or given.")
    var header: Bool?

    var options: CSVFormat.Options {
        .init(
            timeColumn: timeColumn, keyColumn: keyColumn, sizeColumn: sizeColumn, delimiter: delimiter,
            timeUnit: timeUnit, hasHeader: header)
    }

    private static func delimiter(_ text: String) throws -> Character {
        if text == "tab" || text == "\\t" { return "\t" }
        guard text.count == 1, let character = text.first, character.isASCII else {
            throw ValidationError("expected one ASCII character, or 'tab'")
        }
        return character
    }

    private static func unit(_ text: String) throws -> CSVFormat.TimeUnit {
        guard let unit = CSVFormat.TimeUnit(rawValue: text) else {
            throw ValidationError(
                "expected one of: \(CSVFormat.TimeUnit.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return unit
    }
}
