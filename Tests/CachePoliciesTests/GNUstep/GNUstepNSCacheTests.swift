import CachePolicies
import Testing

/// Run with GNUstep base 1.28.0, of Debian 12. Skipped where GNUstep base or a compiler of Objective-C is not
/// installed.
@Suite("The gnustep model against the real NSCache of GNUstep base", .enabled(if: GNUstepDriver.isAvailable))
struct GNUstepNSCacheTests {
    @Test("It is a version of GNUstep")
    func version() throws {
        #expect(try GNUstepDriver.version().split(separator: ".").count == 3)
    }

    @Test("B18: an object stored again leaves its cost behind, and the next store has its content discarded")
    func phantomCost() throws {
        let said = try GNUstepDriver.run(["limits 10 0", "s 1 6 1", "s 1 6 1", "s 2 0 1", "g 1", "g 2"])
        #expect(said == ["", "", "", " 1", "husk", "hit"])
        var model = try PolicyContext().policy("nscache(cost: 10B, model: gnustep, discardable: true)")
        model.reserve(3)
        var evictions = EvictionList()
        _ = model.admit(Access(object: 1, size: 6), &evictions)
        _ = model.admit(Access(object: 1, size: 6), &evictions)
        #expect(evictions.victims.isEmpty)
        _ = model.admit(Access(object: 2, size: 0), &evictions)
        #expect(evictions.victims.map(\.object) == [1])
        #expect(model.lookup(Access(object: 1, size: 0), &evictions) == .miss)
        #expect(model.lookup(Access(object: 2, size: 0), &evictions) == .hit)
    }

    @Test("B19: a hundred plain objects stay under a count limit of 2, and under a cost limit")
    func plainObjects() throws {
        for (limits, model) in [("limits 0 2", "count: 2"), ("limits 5 2", "cost: 5B, count: 2")] {
            let stores = (0..<100).map { "s \($0) 3 0" }
            let said = try GNUstepDriver.run([limits] + stores + (0..<100).map { "g \($0)" })
            #expect(said.count == 201)
            #expect(said[1...100].allSatisfy { $0.isEmpty })
            #expect(said[101...].allSatisfy { $0 == "hit" })
            var policy = try PolicyContext().policy("nscache(\(model), model: gnustep)")
            policy.reserve(100)
            var evictions = EvictionList()
            for object in 0..<100 { _ = policy.admit(Access(object: object, size: 3), &evictions) }
            #expect(policy.occupancy == Occupancy(objects: 100, bytes: 300))
            #expect(evictions.victims.isEmpty)
        }
    }

    @Test(
        "Hand-written sequences",
        arguments: [
            // Without any limit, each store discards who was never read: a count of 0 is reached.
            (0, 0, "s1,5 s2,5 s3,5 g1 g2 g3"),
            // Room is made before the newcomer counts: three are held under a limit of two only if one was read.
            (0, 2, "s1,1 s2,1 g1 s3,1 s4,1 s5,1 g1 g2 g3 g4 g5"),
            // Husks count as objects, and their reads with the others.
            (0, 3, "s1,0 s2,0 s3,0 s4,0 g1 g1 g1 g4 s5,0 g4 g5"),
            // Exactly as much as is missing is not enough.
            (10, 100, "s1,5 s2,5 s3,5 g1 g2 g3"),
            // All read often: nothing leaves, whatever the limit.
            (10, 100, "s1,5 s2,5 g1 g2 g1 g2 s3,90 g3 s4,1 g1 g2 g3 g4"),
            // Removing leaves the cost, too.
            (10, 100, "s1,9 r1 s2,1 s3,1 g2 g3"),
            // Larger than everything.
            (10, 100, "s1,1 s2,99 s3,1 g1 g2 g3"),
        ])
    func sequences(cost: Int, count: Int, words: String) throws {
        try compare(
            cost: cost, count: count,
            words.split(separator: " ").map { word in
                let numbers = word.dropFirst().split(separator: ",").compactMap { Int($0) }
                return Operation(kind: word.first ?? "g", object: numbers[0], size: numbers.count > 1 ? numbers[1] : 0)
            })
    }

    /// Ten thousand operations under each pair of limits.
    @Test(
        "Random operations: the same answers, the same victims in the same order",
        arguments: [(0, 0), (0, 12), (90, 0), (90, 12), (400, 100), (60, 1)])
    func random(cost: Int, count: Int) throws {
        var random = SeededGenerator(seed: UInt64(1 + cost + count))
        try compare(
            cost: cost, count: count,
            (0..<10_000).map { _ in
                let object = Int(min(random.next() % 40, random.next() % 40))
                return switch random.next() % 100 {
                case 0..<60: Operation(kind: "g", object: object, size: 0)
                case 60..<98:
                    Operation(kind: "s", object: object, size: random.next() % 4 == 0 ? 0 : Int(random.next() % 20))
                default: Operation(kind: "r", object: object, size: 0)
                }
            })
    }

    private struct Operation {
        var kind: Character
        var object: Int
        var size: Int

        var line: String { kind == "s" ? "s \(object) \(size) 1" : "\(kind) \(object)" }
    }

    private func compare(cost: Int, count: Int, _ operations: [Operation]) throws {
        var model = try PolicyContext().policy(
            "nscache(cost: \(cost)B, count: \(count), model: gnustep, discardable: true)")
        model.reserve(100)
        // In the end, what is held is read.
        let operations = operations + (0..<100).map { Operation(kind: "g", object: $0, size: 0) }
        let said = try GNUstepDriver.run(["limits \(cost) \(count)"] + operations.map(\.line)).dropFirst()
        #expect(said.count == operations.count)
        for (number, (operation, real)) in zip(operations, said).enumerated() {
            var evictions = EvictionList()
            var own = ""
            switch operation.kind {
            case "s":
                _ = model.admit(Access(object: operation.object, size: operation.size), &evictions)
                own = evictions.victims.map { " \($0.object)" }.joined()
            case "r": model.remove(operation.object)
            default: own = model.lookup(Access(object: operation.object, size: 0), &evictions) == .hit ? "hit" : "miss"
            }
            guard own == real || own == "miss" && real == "husk" else {
                let version = try GNUstepDriver.version()
                Issue.record(
                    "operation \(number), \(operation.line): GNUstep base \(version) says '\(real)', the model '\(own)'"
                )
                return
            }
        }
    }
}
