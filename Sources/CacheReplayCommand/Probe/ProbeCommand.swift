import ArgumentParser
import Basics
import CacheReports
import Foundation
import ReplayEngine

/// `cachereplay probe`: finds out which model a class follows.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Find out which model a cache class follows.",
        discussion: "Example: cachereplay probe nscache --output nscache.json",
        subcommands: [ProbeNSCacheCommand.self])
}

/// `cachereplay probe nscache`: this machine's NSCache, or a program in its place.
struct ProbeNSCacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nscache",
        abstract: "Compare this machine's NSCache with every model.",
        discussion: """
            Runs about 10,000 short sequences of stores, reads and removals, each on a new
            cache, and compares every answer with the models of the policy nscache and some
            other policies. With --class, a program that speaks the line protocol for caches
            takes the place of NSCache.

            Exit codes:
              0   the probe is complete, whether or not a model fits
              65  the program does not answer as a cache does: it ended, was silent, or
                  gave another answer than the protocol has

            Example: cachereplay probe nscache --output nscache.json
            Then:    cachereplay replay Traces/photo-feed.jsonl --cache kingfisher-8
                     --nscache nscache.json
            """)

    @Option(
        name: .customLong("class"),
        help: ArgumentHelp("A program in place of NSCache, as a shell starts it.", valueName: "program"))
    var program: String?

    @Option(help: "With --class: the seconds after which a program counts as silent.")
    var timeout = 30.0

    @Option(help: "The seed of the sequences that are drawn.")
    var seed: UInt64 = 1

    @Option(name: .shortAndLong, help: "A JSON file for the result, which --nscache reads.", completion: .file())
    var output: String?

    @Flag(help: "Replace the file that --output names.")
    var force = false

    @OptionGroup var printing: PrintOptions

    func validate() throws {
        guard (0.01...3_600).contains(timeout) else { throw ValidationError("--timeout is from 0.01 to 3600 seconds.") }
        if force, output == nil { throw ValidationError("--force needs --output, the file to replace.") }
    }

    func run() throws {
        if let output, !force, FileManager.default.fileExists(atPath: output) {
            throw CommandFailure(.cannotCreate, "\(output): exists already; name another file, or give --force.")
        }
        let design = ProbeDesign.sequences(seed: seed)
        let progress = ProgressBar(total: design.count, unit: "sequences", quiet: printing.quiet)
        let probe: Probe
        do {
            let advance: (Int) -> Void = { _ in progress.advance(by: 1) }
            if let program {
                let subject = try ProgramSubject(program, longestAnswer: timeout)
                probe = try Probe(of: subject, design: design, progress: advance)
            } else {
                probe = try Probe(of: PlatformSubject(), design: design, progress: advance)
            }
        } catch let failure as ProbeFailure {
            progress.finish()
            throw CommandFailure(.badData, "\(failure).")
        } catch let failure as ReplayError {
            progress.finish()
            throw CommandFailure(.badData, "\(failure)".replacingOccurrences(of: "own: ", with: "--class "))
        }
        progress.finish()
        let record = ProbeRecord(probe, of: program ?? "NSCache", version: CacheReplay.version)
        if let output { try AtomicFile.write(try record.json(), to: output) }
        if printing.json {
            CommandOutput.printJSON(try record.json().trimmingCharacters(in: .newlines))
        } else {
            CommandOutput.print(ProbeText.text(of: record, probe))
        }
    }
}

/// The result of a probe for people.
enum ProbeText {
    static func text(of record: ProbeRecord, _ probe: Probe) -> String {
        let platform = record.platform
        let subject =
            record.subject == "NSCache"
            ? "NSCache of \(platform.foundation), \(platform.name) \(platform.version) (\(platform.architecture))"
            : record.subject
        var lines = [
            VisibleText.line(subject), conclusion(probe), "",
            "\(record.sequences) sequences, \(record.operations) operations, \(record.answers) answers; "
                + "\(record.repeated) sequences ran twice, \(record.differing) of them with other answers", "",
            "model                 contradicted by",
        ]
        for model in record.models {
            let name = model.name.padding(toLength: 20, withPad: " ", startingAt: 0)
            let share = Double(model.contradicted) / Double(max(1, record.sequences))
            lines.append("\(name)  \(model.contradicted) sequences (\(percent(share)))")
        }
        for model in record.models {
            guard let shortest = model.shortest else { continue }
            lines += [
                "", "The shortest sequence that contradicts \(model.name), with the limits \(text(shortest.limits)):",
                "  " + shortest.operations.joined(separator: "; "),
            ]
        }
        return lines.joined(separator: "\n")
    }

    private static func conclusion(_ probe: Probe) -> String {
        let nearest = probe.nearest.map { nearest in
            let share = percent(Double(nearest.contradicted) / Double(max(1, probe.sequences)))
            return "The nearest model is \(nearest.model.name), which \(share) of the sequences contradict."
        }
        switch probe.verdict {
        case .identified(let name):
            let summary = probe.comparisons.first { $0.model.name == name }?.model.summary ?? ""
            return "It follows the model \(name). \(summary)"
        case .undecided(let names):
            return "Undecided: the models \(names.joined(separator: ", ")) give every answer."
        case .random:
            return "It is random: the answers to the same operations change, and the limits are kept."
        case .unsteady:
            return
                "No model fits: the answers to the same operations change, and \(probe.overLimits) sequences ended "
                + "above the limits."
        case .unknown: return "No model fits. \(nearest ?? "")"
        case .defective:
            return "It is defective: in \(probe.wrong) sequences it returned an object that was not stored last."
        }
    }

    private static func text(_ limits: ProbeLimits) -> String {
        switch (limits.cost, limits.count) {
        case (0, 0): "none"
        case (let cost, 0): "cost \(cost)"
        case (0, let count): "count \(count)"
        case (let cost, let count): "cost \(cost), count \(count)"
        }
    }

    private static func percent(_ share: Double) -> String { "\((share * 1_000).rounded() / 10) %" }
}
