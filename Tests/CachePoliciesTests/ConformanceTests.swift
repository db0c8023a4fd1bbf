import CachePolicies
import Foundation
import Testing

/// What holds for every policy in the registry. A new entry is tested without a change here.
@Suite("Every registered policy")
struct ConformanceTests {
    /// Each policy with limits by objects, by bytes and by both, wherever its parameters take limits.
    static let specifications: [String] =
        PolicyRegistry.builtIn.entries.flatMap { entry in
            let choices = ["10 objects", "60B", "60B, 10 objects"].map { limits in
                entry.parameters.compactMap { parameter -> String? in
                    let value: String? =
                        switch parameter.kind {
                        case .limits: limits
                        case .policy: "lru(\(limits))"
                        case .size: limits.contains("B") ? "60B" : nil
                        // A counter of 10 bits there is not.
                        case .integer where parameter.label == "bits": limits.contains("objects") ? "3" : nil
                        case .integer: limits.contains("objects") ? "10" : nil
                        case .duration: "40us"
                        case .fraction, .number, .flag, .choice: nil
                        }
                    return value.map { value in parameter.label.map { "\($0): \(value)" } ?? value }
                }.joined(separator: ", ")
            }
            let models = entry.parameters.flatMap { parameter -> [String] in
                if case .choice(let names) = parameter.kind {
                    names.map { "\(parameter.label ?? ""): \($0)" }
                } else {
                    []
                }
            }
            let variants =
                models.isEmpty
                ? choices
                : choices.flatMap { choice in
                    models.map { choice.isEmpty ? $0 : "\(choice), \($0)" }
                }
            return Set(variants).sorted().map { "\(entry.name)(\($0))" }
        } + [
            "ttl(ttl(lru(60B), lifetime: 40us, sweep: 7us), lifetime: 60us, sweep: 11us)",
            "ttl(ttl(lru(60B), lifetime: 60us), lifetime: 40us, sweep: 90us, checkOnRead: false)",
            "ttl(split(thumbnail: ttl(fifo(60B), lifetime: 9us, sweep: 3us), full: lru(10 objects)), lifetime: 50us)",
            """
            split(thumbnail: ttl(fifo(60B), lifetime: 9us, sweep: 3us), full: ttl(lru(60B), lifetime: 90us, sweep: \
            40us))
            """,
            // Models of less than 40 rows have no tree.
            "3l-cache(60B, batch: 200)",
            "3l-cache(60B, 10 objects, batch: 200, objective: objects)",
            "w-tinylfu(60B, climb: true, sample: 1)",
            "w-tinylfu(10 objects, climb: true, sample: 3, window: 0.5)",
            "tinylfu(ttl(lru(60B), lifetime: 40us, sweep: 7us))",
            "ttl(bloom(max-size(lru(60B), limit: 8B), window: 9), lifetime: 60us, sweep: 11us)",
            "split(thumbnail: tinylfu(lru(60B)), full: probability(fifo(60B), c: 4B))",
            "nscache(cost: 60B, model: gnustep, discardable: true)",
            "nscache(cost: 60B, count: 10, model: gnustep, discardable: true)",
            "trim(60B, 10 objects, order: clock, to: 0.6, below: true)",
            // Times in the kernel's test begin at 1,000: a timer that starts there or at 0 is due at the same moments.
            "trim(60B, onStore: false, first: 5us, every: 40us)",
            "trim(60B, to: 0.9, below: true, beforeStore: true)",
            "trim(60B, order: age-size, from: 0.95, to: 0.9)",
            """
            ttl(trim(60B, order: expiry, onStore: false, every: 20us), lifetime: 90us, sweep: 8us, extendOnAccess: true)
            """,
            "ttl(trim(60B, order: expiry), lifetime: 40us, checkOnRead: false, extendOnAccess: true, granularity: 7us)",
            """
            ttl(split(thumbnail: trim(60B, order: expiry), full: tinylfu(trim(60B, order: expiry))), lifetime: 40us, \
            removeOnRead: false)
            """,
        ]

    /// Whether it may hold more than its limits: by design until it is trimmed, or for good.
    private func overfills(_ specification: String) -> Bool {
        specification.contains("onStore: false") || specification.contains("beforeStore: true")
            || specification.contains("gnustep") || specification.contains("idle-trim")
    }

    @Test("Every registered policy is tested, and names are unique")
    func registry() {
        #expect(Self.specifications.count >= PolicyRegistry.builtIn.entries.count)
        #expect(Set(PolicyRegistry.builtIn.entries.map(\.name)).count == PolicyRegistry.builtIn.entries.count)
        #expect(PolicyRegistry.builtIn.entries.allSatisfy { $0.summary.hasSuffix(".") })
    }

    @Test("Every entry of the sources is in the registry")
    func listed() throws {
        let folder = URL(fileURLWithPath: "\(#filePath)/../../../Sources/CachePolicies/Policies").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let names = try files.filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: /PolicyEntry\(\s*"([^"]+)"/).map { String($0.1) }
        }
        #expect(names.count >= 40)
        for name in names {
            #expect(PolicyRegistry.builtIn[name] != nil, "'\(name)' is in no list of PolicyRegistry.swift")
        }
    }

    @Test("Policies.md has every policy, in order, with its parameters and its meaning")
    func page() throws {
        let file = "\(#filePath)/../../../Sources/CachePolicies/CachePolicies.docc/Policies.md"
        let page = try String(contentsOf: URL(fileURLWithPath: file).standardized, encoding: .utf8)
        let rows = PolicyRegistry.builtIn.entries.map { "| `\($0.name)` | `\($0.signature)` | \($0.summary) |" }
        #expect(
            page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init) == rows,
            "write this table:\n\(rows.joined(separator: "\n"))")
    }

    @Test(
        "A policy never exceeds its limits, evicts only held objects, and counts its content", arguments: specifications
    )
    func limits(specification: String) throws {
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(64)
        var random = SeededGenerator(seed: 11)
        var held: [Int: Int] = [:]
        let halves = specification.contains("split") ? 2 : 1
        let objects = (0..<20_000).map { _ in Int(random.next() % 64) }
        let nexts = laterPositions(objects)
        for (step, object) in objects.enumerated() {
            let access = Access(
                object: object, size: 1 + object % 9, time: Int64(step), variant: UInt8(object % 2), position: step,
                next: nexts[step])
            var evictions = EvictionList()
            func settle() {
                for victim in evictions.victims {
                    #expect(held.removeValue(forKey: victim.object) != nil, "evicted \(victim), which was not held")
                }
                evictions = EvictionList()
            }
            policy.advance(to: access.time, &evictions)
            let found = policy.lookup(access, &evictions)
            settle()
            if found == .miss {
                let kept = policy.admit(access, &evictions)
                // An object may be its own victim: it was held for a moment.
                if kept || evictions.victims.contains(where: { $0.object == object }) { held[object] = access.size }
                settle()
                #expect(policy.contains(object) == kept)
            }
            guard policy.occupancy == Occupancy(objects: held.count, bytes: held.values.reduce(0, +)) else {
                Issue.record("step \(step): says \(policy.occupancy), holds \(held)")
                return
            }
            if overfills(specification) { continue }
            if specification.contains("60B") { #expect(policy.occupancy.bytes <= 60 * halves) }
            // "2024-10" is a version.
            if specification.replacing("2024-10", with: "").contains("10") {
                #expect(policy.occupancy.objects <= 10 * halves)
            }
        }
    }

    @Test("The kernel counts what a hand-driven run counts", arguments: specifications)
    func kernel(specification: String) throws {
        var random = SeededGenerator(seed: 13)
        let columns = columns((0..<30_000).map { _ in UInt32(min(random.next() % 64, random.next() % 64)) })
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(64)
        let counts = columns.run(&policy)
        policy = try PolicyContext().policy(specification).timed()
        policy.reserve(64)
        var expected = SimulationCounts()
        var evictions = EvictionList()
        var nextTimer = Int64.min
        let nexts = laterPositions(columns.objects.map(Int.init))
        for (index, object) in columns.objects.map(Int.init).enumerated() {
            let access = Access(
                object: object, size: columns.sizes[object], time: 1_000 + Int64(columns.times[index]),
                variant: columns.variants[object], position: index, next: nexts[index])
            // The kernel lets time pass before each access. Before the next timer, that has no effect.
            if access.time >= nextTimer {
                policy.advance(to: access.time, &evictions)
                nextTimer = policy.nextTimer
            }
            expected.requests += 1
            expected.requestBytes += access.size
            let found = policy.liveLookup(access, &evictions)
            if found == .staleHit { expected.staleHits += 1 }
            if found == .miss {
                expected.misses += 1
                expected.missBytes += access.size
                _ = policy.liveAdmit(access, &evictions)
            }
        }
        expected.evictions = evictions.victims.count { $0.reason == .capacity }
        expected.expirations = evictions.victims.count { $0.reason == .expired }
        #expect(counts == expected)
    }

    @Test("After a relaunch at time 0, and without timers after clear, a policy is as new", arguments: specifications)
    func removal(specification: String) throws {
        var random = SeededGenerator(seed: 17)
        let columns = columns((0..<5_000).map { _ in UInt32(random.next() % 64) })
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(64)
        let first = columns.run(&policy)
        policy.relaunch(at: 0)
        #expect(policy.occupancy == Occupancy())
        #expect((0..<64).allSatisfy { !policy.contains($0) && policy.expiration(of: $0) == nil })
        let again = columns.run(&policy)
        #expect(again == first)
        policy.clear()
        #expect(policy.occupancy == Occupancy())
        #expect((0..<64).allSatisfy { !policy.contains($0) && policy.expiration(of: $0) == nil })
        guard !type(of: policy).hasTimers else { return }
        let cleared = columns.run(&policy)
        #expect(cleared == first)
    }

    /// The policies that name no next victim, with the reason.
    static let unordered = [
        "model: platform": "The class does not say which object it evicts next.",
        "split": "Which object leaves depends on the variant of the object that comes.",
        "w-tinylfu": "As libCacheSim has it, comparing objects counts as requests of them.",
    ]

    /// Policies that evict nothing for an object that is requested for the first time, or only when a timer is due.
    private func evictsForNewObjects(_ specification: String) -> Bool {
        let exceptions = [
            "unbounded", "none", "bloom", "ttl(bloom", "belady-size", "belady-bypass", "max-size", "nscache()",
            "model: gnustep)", "onStore: false", "idle-trim", "tinylfu", "adaptsize", "compat: libcachesim",
        ]
        return !exceptions.contains { specification.contains($0) }
    }

    @Test("The named victim is the object that leaves for the next new object", arguments: specifications)
    func nextVictim(specification: String) throws {
        let made = try PolicyContext().policy(specification).timed()
        guard var policy = made as? any TimedPolicy & VictimOrdered else {
            #expect(
                Self.unordered.keys.contains { specification.contains($0) },
                "conform the policy to VictimOrdered, or list it in `unordered` with the reason")
            return
        }
        var random = SeededGenerator(seed: 19)
        policy.reserve(10_064)
        #expect(policy.nextVictim() == nil)
        // Policies with limits in bytes divide them into parts, so all objects have one size there. Of one size,
        // corelibs' class evicts the new object itself.
        let isOneSize = specification.contains("B") && !specification.contains("corelibs")
        var (new, checked) = (64, 0)
        for step in 0..<20_000 {
            let isNew = random.next() % 3 == 0
            let object = isNew ? new : Int(min(random.next() % 64, random.next() % 64))
            if isNew { new += 1 }
            let access = Access(
                object: object, size: isOneSize ? 5 : 1 + object % 9, time: Int64(step),
                variant: UInt8(object % 2), position: step, next: step + 1 + object % 50)
            var evictions = EvictionList()
            policy.advance(to: access.time, &evictions)
            guard policy.lookup(access, &evictions) == .miss else { continue }
            evictions = EvictionList()
            let named = isNew ? policy.nextVictim() : nil
            _ = policy.admit(access, &evictions)
            let victim = evictions.victims.first { $0.reason == .capacity }?.object
            guard isNew, let victim, victim != object else { continue }
            guard victim == named else {
                Issue.record("step \(step): named \(named.map(String.init) ?? "none"), evicted \(victim)")
                return
            }
            checked += 1
        }
        #expect(checked > 0 || !evictsForNewObjects(specification))
    }

    @Test("evictNext removes the named victim until there is none", arguments: specifications)
    func evictNext(specification: String) throws {
        guard var policy = try PolicyContext().policy(specification).timed() as? any TimedPolicy & VictimOrdered else {
            return
        }
        var random = SeededGenerator(seed: 23)
        policy.reserve(64)
        var evictions = EvictionList()
        for step in 0..<2_000 {
            let object = Int(min(random.next() % 64, random.next() % 64))
            let access = Access(
                object: object, size: 1 + object % 9, time: Int64(step), variant: UInt8(object % 2), position: step,
                next: step + 1 + object % 50)
            policy.advance(to: access.time, &evictions)
            if policy.lookup(access, &evictions) == .miss { _ = policy.admit(access, &evictions) }
        }
        while let victim = policy.nextVictim() {
            let before = policy.occupancy.objects
            evictions = EvictionList()
            let wasEvicted = policy.evictNext(&evictions)
            #expect(wasEvicted)
            #expect(evictions.victims.map(\.object) == [victim])
            #expect(!policy.contains(victim))
            guard policy.occupancy.objects == before - 1 else {
                Issue.record("\(before) objects, then \(policy.occupancy.objects)")
                return
            }
        }
        let isLeft = policy.evictNext(&evictions)
        #expect(!isLeft)
        // GNUstep's class evicts no object that was read as often as the others.
        if !specification.contains("gnustep") { #expect(policy.occupancy == Occupancy()) }
    }

    @Test("A wrapper around a policy that knows the future is one as well")
    func futureInWrappers() throws {
        for entry in PolicyRegistry.builtIn.entries where entry.parameters.contains(where: { $0.kind == .policy }) {
            let labels = entry.parameters.filter { $0.kind == .policy }.map(\.label)
            for knowing in labels {
                let arguments = labels.map { label in
                    let inner = label == knowing ? "belady(9 objects)" : "lru(9 objects)"
                    return label.map { "\($0): \(inner)" } ?? inner
                }
                let rest = entry.parameters.contains { $0.label == "lifetime" } ? ", lifetime: 9s" : ""
                let specification = "\(entry.name)(\(arguments.joined(separator: ", "))\(rest))"
                let policy = try PolicyContext().policy(specification)
                #expect(type(of: policy).usesFuture, "\(entry.name): conform the wrapper to PolicyWrapper")
            }
        }
    }

    @Test("Policies that do not read times have the same counts without them", arguments: specifications)
    func timeBlindness(specification: String) throws {
        let keepsTime = ["ttl(", "trim(", "split(", "lru-mad(", "gdsf-mad("].contains { specification.contains($0) }
        var policy = try PolicyContext().policy(specification).timed()
        #expect(type(of: policy).readsTime == keepsTime, "make the policy a TimeBlindPolicy, or not")
        guard !type(of: policy).readsTime else { return }
        var random = SeededGenerator(seed: 31)
        var columns = columns((0..<20_000).map { _ in UInt32(random.next() % 64) })
        policy.reserve(64)
        let timed = columns.run(&policy)
        policy = try PolicyContext().policy(specification).timed()
        policy.reserve(64)
        columns.times = []
        let untimed = columns.run(&policy)
        #expect(untimed == timed)
    }

    /// Requests of 64 objects, a microsecond apart.
    private func columns(_ objects: [UInt32]) -> TestColumns {
        TestColumns(
            objects: objects, sizes: (0..<64).map { 1 + $0 % 9 }, times: objects.indices.map { UInt32($0) },
            variants: (0..<64).map { UInt8($0 % 2) })
    }
}
