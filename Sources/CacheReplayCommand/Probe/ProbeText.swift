import Basics
import Foundation

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
