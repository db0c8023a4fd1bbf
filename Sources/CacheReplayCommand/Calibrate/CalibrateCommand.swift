import ArgumentParser
import Basics
import CacheReports
import Foundation
import ReplayEngine
import Runs
import SessionModel

struct CalibrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Measure the costs of modelled timing on this machine.",
        usage: "cachereplay calibrate [<traces> ...] [<options>]",
        discussion: """
            Measures lookups and stores in memory, as a replay of 500 objects makes
            them; lookups, reads and writes of files in a temporary folder (TMPDIR)
            with a warm page cache; and decoding and encoding of generated images.
            Prints each constant with its least and largest value over five rounds.
            `replay --costs` reads the file. AVIF and HEIC keep their standard costs:
            there is no decoder for them here. --standard prints how each standard
            cost is known.

            For each trace, by default the bundled ones if Traces is there, predicted
            and measured medians of hits in memory and on disk and of decodes are then
            compared, over generated images of the recorded formats and sizes.

            Example:
              cachereplay calibrate --output costs.yaml Traces/stress-grid.jsonl
            """)

    @OptionGroup var input: TraceOptions

    @Option(
        name: .shortAndLong, help: "The file for the costs. It must not exist yet.",
        completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    @Flag(help: "Print the standard costs and how each is known. Nothing is measured.")
    var standard = false

    func validate() throws {
        if standard, output != nil || !input.traces.isEmpty {
            throw ValidationError("--standard measures nothing; leave out the traces and --output.")
        }
    }

    func run() throws {
        if standard { return CommandOutput.print(Self.standardCosts) }
        if let output { try checkNewFile(output) }
        let sources = try input.sources(adding: input.traces.isEmpty ? Self.bundled() : [])
        let files = try Self.readable(sources, isStrict: input.strict)
        let prefix = "cachereplay-calibrate"
        ScratchFolder.removeAbandoned(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        let scratch = try ScratchFolder(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        defer { scratch.remove() }
        let calibration = try Calibration(folder: scratch.path)
        let costs = calibration.costs
        CommandOutput.print(Self.table(calibration))
        #if DEBUG
        CommandOutput.print("\nThis is a debug build, whose lookups take longer than those of a release build.")
        #endif
        if let output {
            try AtomicFile.write(Self.file(calibration), to: output)
            CommandOutput.print(
                """

                Costs: \(output), SHA-256 \(costs.checksum.prefix(8)). Use it with --timing modelled --costs \(output)
                """
            )
        }
        if !files.isEmpty { try compare(files, costs, in: scratch.path) }
    }

    private func compare(_ files: [TraceFile], _ costs: CostModel, in scratch: String) throws {
        var rows = [["trace", "median of", "count", "predicted", "measured", "difference"]]
        for (number, file) in files.enumerated() {
            let folder = "\(scratch)/check-\(number)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let check = try CalibrationCheck(Self.read(file), name: file.name, costs: costs, folder: folder)
            rows += check.rows.map { row in
                let difference = Int((row.difference * 100).rounded())
                return [
                    file.name, row.name, "\(row.count)", Self.text(row.modelled), Self.text(row.measured),
                    "\(difference > 0 ? "+" : "")\(difference) %",
                ]
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
        CommandOutput.print("\n" + TextGrid.lines(rows).joined(separator: "\n"))
        CommandOutput.print(
            "\nPredicted by the costs above, and measured over generated images from a warm page cache.")
    }

    /// Returns the single sessions of the folder of bundled traces.
    static func bundled(in folder: String = "Traces") -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasEnding(".jsonl") }.sorted().map { "\(folder)/\($0)" }
    }

    /// Reads each trace once, before anything is measured, and returns those that are not skipped. One trace at a time
    /// is in memory.
    private static func readable(_ sources: TraceSources, isStrict: Bool) throws -> [TraceFile] {
        var files: [TraceFile] = []
        let skipped = try sources.forEach(isStrict: isStrict) { _, file in
            try file.checkRereadable()
            _ = try read(file)
            files.append(file)
        }
        try TraceSources.report(skipped, of: sources.files.count)
        return files
    }

    private static func read(_ file: TraceFile) throws -> Trace {
        let trace = try file.read().trace
        try file.naming { try ReplayJob.check(trace) }
        return trace
    }

    private static func table(_ calibration: Calibration) -> String {
        let rows = CostModel.Constant.all.map { constant -> [String] in
            let spread = calibration.spreads[constant.name].map { range(constant, $0) } ?? unmeasured(constant)
            return [
                constant.name, constant.unit.text(constant.value(in: calibration.costs)), spread,
                constant.unit.text(constant.value(in: .standard)), constant.meaning,
            ]
        }
        let grid = TextGrid.lines([["constant", "value", "rounds", "standard", "what takes the time"]] + rows)
        let kept = CostModel.Constant.all.filter { calibration.spreads[$0.name] == nil }
        return (grid + ["", "How the standard costs that were not measured are known:"] + sources(kept))
            .joined(separator: "\n")
    }

    /// The text in place of the range of a constant that was not measured.
    private static func unmeasured(_ constant: CostModel.Constant) -> String {
        constant.unit == .bytes ? "not measured: no network here" : "not measured: no decoder here"
    }

    private static var standardCosts: String {
        let rows = CostModel.Constant.all.map { constant in
            [
                constant.name, constant.unit.text(constant.value(in: .standard)), constant.source.certainty,
                constant.meaning,
            ]
        }
        let grid = TextGrid.lines([["constant", "standard", "known", "what takes the time"]] + rows)
        return (grid + ["", "Sources:"] + sources(CostModel.Constant.all)).joined(separator: "\n")
    }

    /// Returns how standard costs are known, one line for all constants of a source.
    private static func sources(_ constants: [CostModel.Constant]) -> [String] {
        var groups: [(names: [String], source: CostModel.Source)] = []
        for constant in constants {
            if let place = groups.firstIndex(where: { $0.source == constant.source }) {
                groups[place].names.append(constant.name)
            } else {
                groups.append(([constant.name], constant.source))
            }
        }
        return groups.map { "  \($0.names.joined(separator: ", ")): \($0.source.certainty), \($0.source.text)." }
    }

    /// Returns the file, with the spread of each constant as a comment.
    private static func file(_ calibration: Calibration) -> String {
        let machine = MachineDescription.current()
        let day = ISO8601DateFormatter().string(from: Date()).prefix(10)
        let head = """
            # Measured by cachereplay calibrate \(CacheReplay.version) on \(day): \(machine.system), \
            \(machine.architecture), \(machine.processors) processors.
            # Disk figures are those of a warm page cache. Behind each constant: its range over the rounds.

            """
        return CostModel.Constant.all.reduce(into: head) { text, constant in
            let value = constant.unit.text(constant.value(in: calibration.costs))
            let spread = calibration.spreads[constant.name].map { range(constant, $0) } ?? unmeasured(constant)
            text += "\(constant.name): \(value)  # \(spread)\n"
        }
    }

    private static func range(_ constant: CostModel.Constant, _ range: ClosedRange<Int64>) -> String {
        "\(constant.unit.text(range.lowerBound)) to \(constant.unit.text(range.upperBound))"
    }

    private static func text(_ nanoseconds: Int64) -> String {
        var digits: Int64 = 1
        while nanoseconds / digits >= 1_000 { digits *= 10 }
        return CostModel.Constant.Unit.duration.text((nanoseconds + digits / 2) / digits * digits)
    }
}
