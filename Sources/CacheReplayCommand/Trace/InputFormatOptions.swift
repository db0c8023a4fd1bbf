import ArgumentParser
import CacheTraces

/// How an input file is to be read, for every command that reads a trace.
struct InputFormatOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("from")],
        help: ArgumentHelp(
            "Read as this format, instead of recognising it; see 'cachereplay formats'.", valueName: "name"),
        transform: TraceFormat.named)
    var format: TraceFormat?

    @OptionGroup(title: "Recordings and logs") var recording: RecordingCommandOptions

    @OptionGroup(title: "CSV columns") var csv: CSVColumnOptions

    /// The format that was asked for, with the options that belong to it; nil to recognise it.
    func chosenFormat() throws -> TraceFormat? {
        guard csv.options != CSVFormat.Options() else { return format }
        if let format, format.name != TraceFormat.csv.name {
            throw ValidationError("options for CSV columns do not fit --format \(format.name)")
        }
        return .csv(csv.options)
    }

    /// Reads the trace at `path`.
    func read(_ path: String) throws -> TraceReading {
        try TraceReading(contentsOf: path, format: chosenFormat(), options: recording.options)
    }
}

struct CSVColumnOptions: ParsableArguments {
    @Option(help: "The column of the time: its name, or its number from 1.")
    var timeColumn: String?

    @Option(help: "The column of the key.")
    var keyColumn: String?

    @Option(help: "The column of the size in bytes.")
    var sizeColumn: String?

    @Option(
        help: "One character, or 'tab'; by default the one that the first row has most of.", transform: Self.delimiter)
    var delimiter: Character?

    @Option(
        help: "The unit of the time: \(CSVFormat.TimeUnit.allCases.map(\.rawValue).joined(separator: ", ")).",
        transform: Self.unit)
    var timeUnit: CSVFormat.TimeUnit?

    var options: CSVFormat.Options {
        .init(
            timeColumn: timeColumn, keyColumn: keyColumn, sizeColumn: sizeColumn, delimiter: delimiter,
            timeUnit: timeUnit)
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
