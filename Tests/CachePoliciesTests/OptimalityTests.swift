import CachePolicies
import Testing

@Suite("The fewest misses")
struct OptimalityTests {
    /// Every policy that takes limits by objects, or another policy to pass them on to, in all of its choices, but
    /// those that may overfill.
    static let specifications: [String] = PolicyRegistry.builtIn.entries.flatMap { entry -> [String] in
        let policies = entry.parameters.filter { $0.kind == .policy }.count
        guard entry.parameters.contains(where: { $0.kind == .limits }) || policies == 1 else { return [] }
        return [1, 3, 12].flatMap { objects in
            entry.parameters.reduce([""]) { texts, parameter in
                let values: [String] =
                    switch parameter.kind {
                    case .limits: ["\(objects) objects"]
                    case .policy: ["lru(\(objects) objects)"]
                    case .choice(let names): names
                    case .duration: ["90us"]
                    case .size: parameter.defaultText == nil ? ["60B"] : []
                    case .integer: parameter.defaultText == nil ? ["10"] : []
                    case .fraction, .number: parameter.defaultText == nil ? ["0.5"] : []
                    case .flag: ["true", "false"]
                    }
                guard !values.isEmpty else { return texts }
                return texts.flatMap { text in
                    values.map { value in
                        let argument = parameter.label.map { "\($0): \(value)" } ?? value
                        return text.isEmpty ? argument : "\(text), \(argument)"
                    }
                }
            }.map { "\(entry.name)(\($0))" }
        }
    }.filter { !$0.contains("onStore: false") }

    /// Skewed, uniform, a loop, and a loop among skewed ones.
    static let traces: [[Int]] = {
        var random = SeededGenerator(seed: 23)
        let skewed = (0..<4_000).map { _ in Int(min(random.next() % 40, random.next() % 40, random.next() % 40)) }
        let uniform = (0..<2_000).map { _ in Int(random.next() % 40) }
        let loop = (0..<1_000).map { $0 % 14 }
        let mixed = (0..<3_000).map {
            $0 % 3 == 0 ? 20 + $0 / 3 % 20 : Int(min(random.next() % 20, random.next() % 20))
        }
        return [skewed, uniform, loop, mixed]
    }()

    @Test("Nothing beats belady-bypass at unit size", arguments: specifications)
    func nothingBeatsBypass(specification: String) throws {
        let objects = specification.contains("12 objects") ? 12 : specification.contains("3 objects") ? 3 : 1
        for trace in Self.traces {
            let least = try misses(trace, "belady-bypass(\(objects) objects)")
            let own = try misses(trace, specification)
            #expect(own >= least)
            // At least once, what it holds is of use.
            if specification.hasPrefix("belady") { #expect(own < trace.count || objects == 1) }
        }
    }

    @Test("Belady's misses are the fewest of all ways to choose, with and without bypass")
    func everyWay() throws {
        for sequence in 0..<4_096 {
            let trace = (0..<6).map { sequence >> (2 * $0) & 3 }
            for capacity in 1...2 {
                #expect(try misses(trace, "belady(\(capacity) objects)") == fewest(trace, capacity, mayBypass: false))
                #expect(
                    try misses(trace, "belady-bypass(\(capacity) objects)") == fewest(trace, capacity, mayBypass: true))
            }
        }
    }

    /// Tries every choice of who leaves. Sets of objects are bits.
    private func fewest(_ trace: [Int], _ capacity: Int, mayBypass: Bool) -> Int {
        let never = Int.max / 2
        var fewest = [Int](repeating: never, count: 16)
        fewest[0] = 0
        for object in trace {
            var following = [Int](repeating: never, count: 16)
            for held in 0..<16 where fewest[held] < never {
                if held >> object & 1 == 1 {
                    following[held] = min(following[held], fewest[held])
                    continue
                }
                var choices = mayBypass ? [held] : []
                if held.nonzeroBitCount < capacity {
                    choices.append(held | 1 << object)
                } else {
                    choices += (0..<4).filter { held >> $0 & 1 == 1 }.map { held ^ 1 << $0 | 1 << object }
                }
                for choice in choices { following[choice] = min(following[choice], fewest[held] + 1) }
            }
            fewest = following
        }
        return fewest.min() ?? 0
    }

    private func misses(_ trace: [Int], _ specification: String) throws -> Int {
        var policy = try PolicyContext().policy(specification)
        policy.reserve(64)
        let columns = TestColumns(
            objects: trace.map { UInt32($0) }, times: trace.indices.map { UInt32($0) })
        return columns.run(&policy).misses
    }
}
