/// Compares a class with models, by the answers to the same operations.
public struct Probe {
    /// One model of a probe.
    public struct Comparison: Sendable {
        public var model: ProbeModel
        /// The number of sequences with an answer that the model does not give.
        public var contradicted = 0
        /// The shortest one, from which no operation can be left out; nil if no sequence contradicts the model.
        public var shortest: Contradiction?
    }

    /// A sequence, and the answers to its reads that differ.
    public struct Contradiction: Sendable, Equatable {
        public var sequence: ProbeSequence
        public var observed: [ProbeAnswer]
        public var predicted: [ProbeAnswer]
    }

    public private(set) var comparisons: [Comparison]
    public private(set) var sequences = 0
    /// Without the reads at the end.
    public private(set) var operations = 0
    public private(set) var answers = 0
    /// The sequences that ran once more, and those of them whose answers differed then.
    public private(set) var repeated = 0
    public private(set) var differing = 0
    /// The sequences at whose end more was held than the limits allow.
    public private(set) var overLimits = 0
    /// The sequences with an object that was not the one stored last.
    public private(set) var wrong = 0

    /// Every so many sequences, one runs once more.
    private static let repetition = 5

    /// Runs sequences on a class, and compares its answers with every model.
    ///
    /// - Parameters:
    ///   - subject: The class.
    ///   - design: The sequences.
    ///   - models: The models.
    ///   - progress: Called with the number of sequences that ran.
    /// - Throws: ``ProbeFailure`` if the class does not answer as a cache does.
    public init(
        of subject: some ProbeSubject, design: [ProbeSequence] = ProbeDesign.sequences(),
        models: [ProbeModel] = ProbeModel.all, progress: (Int) -> Void = { _ in }
    ) throws {
        comparisons = models.map { Comparison(model: $0) }
        let twins: [any ProbeSubject] = models.map { $0.subject() }
        var shortest: [ProbeSequence?] = models.map { _ in nil }
        for (index, sequence) in design.enumerated() {
            let observed = try subject.answers(to: sequence)
            note(sequence, observed)
            if index % Self.repetition == 0 {
                repeated += 1
                if try subject.answers(to: sequence) != observed { differing += 1 }
            }
            for (model, twin) in twins.enumerated() where try twin.answers(to: sequence) != observed {
                comparisons[model].contradicted += 1
                if sequence.operations.count < shortest[model]?.operations.count ?? .max { shortest[model] = sequence }
            }
            progress(index + 1)
        }
        // The answers of a class that draws random numbers belong to no sequence.
        guard differing == 0 else { return }
        for (model, twin) in twins.enumerated() {
            guard let first = shortest[model] else { continue }
            comparisons[model].shortest = try Self.shortened(first, subject, twin)
        }
    }

    private mutating func note(_ sequence: ProbeSequence, _ observed: [ProbeAnswer]) {
        sequences += 1
        operations += sequence.operations.count
        answers += observed.count
        if observed.contains(.wrong) { wrong += 1 }
        var costs: [Int: Int] = [:]
        for case .store(let key, let cost) in sequence.operations { costs[key] = cost }
        let read = zip(sequence.all.dropFirst(sequence.operations.count), observed.suffix(sequence.reads))
        let held = read.filter { $0.1 != .miss }.map { costs[$0.0.key] ?? 0 }
        let limits = sequence.limits
        let isOver = limits.count > 0 && held.count > limits.count || limits.cost > 0 && held.reduce(0, +) > limits.cost
        if isOver { overLimits += 1 }
    }

    /// Leaves out operations as long as the answers still differ.
    private static func shortened(
        _ sequence: ProbeSequence, _ subject: some ProbeSubject, _ model: some ProbeSubject
    ) throws -> Contradiction? {
        func contradiction(_ sequence: ProbeSequence) throws -> Contradiction? {
            let (observed, predicted) = (try subject.answers(to: sequence), try model.answers(to: sequence))
            return observed == predicted
                ? nil : Contradiction(sequence: sequence, observed: observed, predicted: predicted)
        }
        var shortest = try contradiction(sequence)
        var isShorter = shortest != nil
        while isShorter, let long = shortest?.sequence {
            isShorter = false
            for index in long.operations.indices {
                if let shorter = try contradiction(long.without(index)) {
                    shortest = shorter
                    isShorter = true
                    break
                }
            }
        }
        return shortest
    }
}

extension ProbeSequence {
    /// The number of reads at the end.
    var reads: Int { Set(operations.map(\.key)).count }
}

extension Probe.Contradiction {
    /// The operations with the answers to reads, and what the model predicts where it differs.
    public var lines: [String] {
        var read = 0
        return sequence.all.map { operation in
            guard case .get = operation else { return operation.description }
            defer { read += 1 }
            guard read < observed.count, read < predicted.count else { return operation.description }
            let expected = observed[read] == predicted[read] ? "" : ", the model \(predicted[read])"
            return "\(operation): \(observed[read])\(expected)"
        }
    }
}

/// What a probe says about a class.
public enum ProbeVerdict: Sendable, Equatable {
    /// One model gives every answer.
    case identified(String)
    /// Several models give every answer.
    case undecided([String])
    /// Answers change from run to run, and the limits are kept.
    case random
    /// Answers change from run to run, and the limits are not kept.
    case unsteady
    /// No model gives every answer.
    case unknown
    /// It returned objects that were not stored.
    case defective

    /// Every ``word``.
    public static let words = ["identified", "undecided", "random", "unsteady", "unknown", "defective"]

    /// The word of the JSON file.
    public var word: String {
        switch self {
        case .identified: "identified"
        case .undecided: "undecided"
        case .random: "random"
        case .unsteady: "unsteady"
        case .unknown: "unknown"
        case .defective: "defective"
        }
    }
}

extension Probe {
    public var verdict: ProbeVerdict {
        if wrong > 0 { return .defective }
        if differing > 0 { return overLimits == 0 ? .random : .unsteady }
        let fitting = comparisons.filter { $0.contradicted == 0 }.map(\.model.name)
        switch fitting.count {
        case 0: return .unknown
        case 1: return .identified(fitting[0])
        default: return .undecided(fitting)
        }
    }

    /// The model that the fewest sequences contradict, the first of several; nil without sequences.
    public var nearest: Comparison? {
        sequences == 0 ? nil : comparisons.min { $0.contradicted < $1.contradicted }
    }
}
