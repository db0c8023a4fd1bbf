/// The limits of a cache that is probed; 0 is no limit.
public struct ProbeLimits: Codable, Hashable, Sendable {
    public var cost: Int
    public var count: Int

    public init(cost: Int, count: Int) { (self.cost, self.count) = (cost, count) }
}

/// An operation on a cache that is probed. Keys are numbers from 0.
public enum ProbeOperation: Hashable, Sendable, CustomStringConvertible {
    case store(Int, cost: Int)
    case get(Int)
    case remove(Int)

    public var key: Int {
        switch self {
        case .store(let key, _), .get(let key), .remove(let key): key
        }
    }

    /// As in the output of `cachereplay probe`: `put b 2`, `get b`, `remove b`.
    public var description: String {
        switch self {
        case .store(let key, let cost): "put \(Self.name(key)) \(cost)"
        case .get(let key): "get \(Self.name(key))"
        case .remove(let key): "remove \(Self.name(key))"
        }
    }

    /// `a`, `b` … `z`, and `k26` and so on.
    static func name(_ key: Int) -> String {
        key < 26 ? String(UnicodeScalar(UInt8(ascii: "a") + UInt8(key))) : "k\(key)"
    }
}

/// Operations on a new, empty cache. At the end, each key that occurs is read, in order.
public struct ProbeSequence: Hashable, Sendable {
    public var limits: ProbeLimits
    public var operations: [ProbeOperation]

    public init(limits: ProbeLimits, _ operations: [ProbeOperation]) {
        (self.limits, self.operations) = (limits, operations)
    }

    /// The operations, and the reads at the end.
    public var all: [ProbeOperation] { operations + Set(operations.map(\.key)).sorted().map { .get($0) } }

    /// Returns the sequence without one operation.
    func without(_ index: Int) -> ProbeSequence {
        var sequence = self
        sequence.operations.remove(at: index)
        return sequence
    }
}

/// What a cache answered to a read.
public enum ProbeAnswer: String, Codable, Sendable {
    case hit, miss
    /// An object that was not the one stored last under the key.
    case wrong
}

/// A cache that answers sequences: a class, a program, or a model.
public protocol ProbeSubject: AnyObject {
    /// Runs a sequence on a new, empty cache.
    ///
    /// - Returns: The answers to the reads of ``ProbeSequence/all``, in order.
    /// - Throws: ``ProbeFailure`` if the cache gives no answer.
    func answers(to sequence: ProbeSequence) throws -> [ProbeAnswer]
}

/// A cache that does not answer as a cache does.
public struct ProbeFailure: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}
