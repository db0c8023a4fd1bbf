import CachePolicies
import Foundation
import ReplayEngine

/// The settings of one cache that a search may try: limits of memory and of the disk, and values of its rules.
public struct AdviceSpace: Sendable {
    /// The cache as it was named.
    public let base: CacheConfiguration
    /// The limits of memory in bytes: the limit of the question first, then smaller ones; nil for none. Around the
    /// answer, a search also tries ``AdviceChoice/memoryPart`` between them.
    public let memory: [Int?]
    /// The limits of the disk in bytes. A single nil stands for the disk of the cache itself.
    public let disk: [Int?]
    public let rules: [TunableRule]
    /// The changes that are tried one at a time, each with the limits of the question and the cache's own rules.
    public var levers: [Lever] = []
    private let registry: PolicyRegistry

    public init(
        _ base: CacheConfiguration, memory: [Int?], disk: [Int?] = [nil], rules: [TunableRule] = [],
        registry: PolicyRegistry = .builtIn
    ) {
        self.base = base
        self.memory = memory
        self.disk = disk
        self.rules = rules
        self.registry = registry
    }

    /// The number of settings, with the own value of each rule.
    public var settingCount: Int { rules.reduce(memory.count * disk.count) { $0 * ($1.values.count + 1) } }

    /// Returns the values of a choice that differ from the cache's own, without limits.
    func changes(_ choice: AdviceChoice) -> [SweptValue] {
        zip(rules, choice.rules).compactMap { rule, place in
            place == 0 ? nil : SweptValue(parameter: rule.parameter, value: rule.values[place - 1])
        }
    }

    /// Returns the cache with the values of a choice.
    ///
    /// - Throws: `SpecError` or `RuleError` if the cache refuses a value.
    public func cache(_ choice: AdviceChoice) throws -> CacheConfiguration {
        var values: [SweptValue] = []
        if disk.count > 1 || disk[choice.disk] != nil { values.append(Self.limit("disk", disk[choice.disk])) }
        values.append(Self.limit("memory", memoryLimit(choice)))
        let cache = try base.sweeping(values + changes(choice), registry: registry)
        return try lever(choice).map { try $0.applied(to: cache, registry: registry) } ?? cache
    }

    func lever(_ choice: AdviceChoice) -> Lever? { choice.lever.map { levers[$0] } }

    /// The largest factor between neighbouring limits of `memoryLadder(_:)`.
    public static let finestStep = 1.02

    /// Returns the limit of memory of a choice, in bytes; nil for none.
    public func memoryLimit(_ choice: AdviceChoice) -> Int? {
        let parts = memoryParts(below: choice.memory)
        guard choice.memoryPart > 0, choice.memoryPart < parts, let high = memory[choice.memory],
            let low = memory[choice.memory + 1]
        else { return memory[choice.memory] }
        let share = Double(choice.memoryPart) / Double(parts)
        return Int((Double(high) * pow(Double(low) / Double(high), share)).rounded())
    }

    /// Returns the number of equal factors of at most ``finestStep`` from one limit of ``memory`` to the next one.
    private func memoryParts(below place: Int) -> Int {
        guard place + 1 < memory.count, let high = memory[place], let low = memory[place + 1], 0 < low, low < high
        else { return 1 }
        // A step is at least one byte.
        return min(high - low, max(1, Int((log(Double(high) / Double(low)) / log(Self.finestStep)).rounded(.up))))
    }

    /// Returns a choice with all limits of memory, the largest first: the limits in ``memory`` and the ones between
    /// them. Each is at most 2 % smaller than the one before.
    func memoryLadder(_ choice: AdviceChoice) -> [AdviceChoice] {
        memory.indices.flatMap { place in
            (0..<memoryParts(below: place)).map { part in
                var choice = choice.with(memory: place, disk: choice.disk)
                choice.memoryPart = part
                return choice
            }
        }
    }

    private static func limit(_ parameter: String, _ bytes: Int?) -> SweptValue {
        SweptValue(
            parameter: parameter, value: bytes.map { Size.bytes($0).description } ?? SweptValue.unlimited)
    }

    /// Returns the choice from which a search begins: the limits of the question, and the cache's own rules. A cache
    /// whose own rules cannot have the limit, such as a split without limits in bytes, begins with the first values of
    /// a rule that can.
    ///
    /// - Parameter number: The place of the space in the search.
    /// - Throws: The error of the cache's own rules if there is no such value.
    public func start(_ number: Int) throws -> AdviceChoice {
        let own = AdviceChoice(space: number, rules: [Int](repeating: 0, count: rules.count))
        do { _ = try cache(own) } catch {
            for (place, rule) in rules.enumerated() {
                // The middle one: the ends of a list are extremes.
                let value = (rule.values.count + 1) / 2
                guard value > 0 else { continue }
                let choice = own.with(place, value)
                if (try? cache(choice)) != nil { return choice }
            }
            throw error
        }
        return own
    }
}

/// One setting of a space, by the places of its values.
public struct AdviceChoice: Hashable, Sendable {
    /// The place of the space in the search.
    public var space: Int
    public var memory = 0
    /// The number of steps of at most 2 % below that limit; 0 for the limit itself.
    public var memoryPart = 0
    public var disk = 0
    /// By rule: 0 for the cache's own value, or else the place of the value plus 1.
    public var rules: [Int]
    /// The place of the lever that is tried; nil for none.
    public internal(set) var lever: Int?

    public init(space: Int, memory: Int = 0, memoryPart: Int = 0, disk: Int = 0, rules: [Int] = []) {
        self.space = space
        self.memory = memory
        self.memoryPart = memoryPart
        self.disk = disk
        self.rules = rules
    }

    func with(_ rule: Int, _ value: Int) -> AdviceChoice {
        var choice = self
        choice.rules[rule] = value
        return choice
    }

    func with(lever: Int) -> AdviceChoice {
        var choice = self
        choice.lever = lever
        return choice
    }

    func with(memory: Int, disk: Int) -> AdviceChoice {
        var choice = self
        (choice.memory, choice.memoryPart, choice.disk) = (memory, 0, disk)
        return choice
    }
}
