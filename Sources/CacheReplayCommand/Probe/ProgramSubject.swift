import Foundation
import MeasuredTiers
import ReplayEngine

/// A program that speaks the line protocol for caches, with the line `limits`; the page "Caches of your own" of
/// ReplayEngine describes the lines.
public final class ProgramSubject: ProbeSubject {
    private let program: OwnProgram
    private let command: String

    /// - Parameters:
    ///   - command: The program and its arguments, as for a shell.
    ///   - longestAnswer: The seconds after which the program counts as silent.
    /// - Throws: `ReplayError` if the program does not start, or does not know the protocol.
    public init(_ command: String, longestAnswer: Double) throws {
        self.command = command
        program = try OwnProgram(command, keys: [], longestAnswer: longestAnswer)
    }

    public func answers(to sequence: ProbeSequence) throws -> [ProbeAnswer] {
        let limits = "limits\t\(sequence.limits.cost)\t\(sequence.limits.count)"
        let operations = sequence.all
        let lines =
            [limits]
            + operations.enumerated().map { position, operation in
                let key = ProbeOperation.name(operation.key)
                return switch operation {
                case .store(_, let cost): "put\t\(key)\t\(position)\t\(cost)"
                case .get: "get\t\(key)"
                case .remove: "remove\t\(key)"
                }
            }
        let answers: [String]
        do { answers = try program.exchange(lines) } catch let fault as OwnCacheFault {
            throw ProbeFailure(
                "\(command): \(fault.text); the operations were \(sequence.summary)")
        }
        guard answers[0] == limits else {
            throw ProbeFailure(
                """
                \(command): the answer to "limits<tab>\(sequence.limits.cost)<tab>\(sequence.limits.count)" is \
                \(OwnProgram.quoted(answers[0])); a program that can be probed empties its cache, sets the limits, and \
                answers with the same line
                """)
        }
        var stored: [Int: Int] = [:]
        return try zip(operations, answers.dropFirst()).enumerated().compactMap { position, pair in
            let (operation, answer) = pair
            switch operation {
            case .store(let key, _): stored[key] = position
            case .remove(let key): stored[key] = nil
            case .get(let key):
                if answer == "miss" { return .miss }
                guard answer.hasPrefix("hit\t"), let image = Int(answer.dropFirst(4)) else {
                    throw unexpected(answer, to: operation, "miss, or hit<tab>IMAGE", sequence)
                }
                return image == stored[key] ? .hit : .wrong
            }
            guard answer == "ok" || answer.hasPrefix("ok\t") else {
                throw unexpected(answer, to: operation, "ok", sequence)
            }
            return nil
        }
    }

    private func unexpected(
        _ answer: String, to operation: ProbeOperation, _ expected: String, _ sequence: ProbeSequence
    ) -> ProbeFailure {
        ProbeFailure(
            """
            \(command): the answer to "\(operation)" is \(OwnProgram.quoted(answer)); expected is \(expected). The \
            operations were \(sequence.summary)
            """)
    }
}

extension ProbeSequence {
    /// The sequence in one line.
    public var summary: String {
        "limits \(limits.cost) \(limits.count); " + operations.map(\.description).joined(separator: "; ")
    }
}

/// The NSCache of this machine's Foundation.
public final class PlatformSubject: ProbeSubject {
    private final class Value {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    public init() {}

    public func answers(to sequence: ProbeSequence) -> [ProbeAnswer] {
        let cache = NSCache<NSNumber, Value>()
        cache.totalCostLimit = sequence.limits.cost
        cache.countLimit = sequence.limits.count
        // On Linux, the entries of a cache that is released retain each other.
        defer { cache.removeAllObjects() }
        var stored: [Int: Int] = [:]
        return sequence.all.enumerated().compactMap { position, operation in
            switch operation {
            case .store(let key, let cost):
                cache.setObject(Value(position), forKey: NSNumber(value: key), cost: cost)
                stored[key] = position
            case .remove(let key):
                cache.removeObject(forKey: NSNumber(value: key))
                stored[key] = nil
            case .get(let key):
                guard let value = cache.object(forKey: NSNumber(value: key)) else { return .miss }
                return value.number == stored[key] ? .hit : .wrong
            }
            return nil
        }
    }
}
