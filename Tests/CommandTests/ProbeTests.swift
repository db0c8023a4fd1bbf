import CachePolicies
import CacheReplayCommand
import Testing

/// What a probe says about classes whose order is known.
@Suite("Probe")
struct ProbeTests {
    static let design = ProbeDesign.sequences()

    @Test("Each model is identified, and any two models are told apart", arguments: ProbeModel.all.map(\.name))
    func models(name: String) throws {
        let model = try #require(ProbeModel.all.first { $0.name == name })
        let probe = try Probe(of: model.subject(), design: Self.design)
        #expect(probe.verdict == .identified(name))
        #expect(probe.differing == 0 && probe.repeated > 1_000)
        for comparison in probe.comparisons where comparison.model.name != name {
            let shortest = try #require(comparison.shortest, "\(comparison.model.name)")
            #expect(shortest.observed != shortest.predicted)
        }
    }

    /// `put a 1; put b 1; get a; put c 1; get a`: LRU keeps a, FIFO does not. Four operations and the reads at the end
    /// show it: a is read there.
    @Test("LRU and FIFO differ after four operations")
    func shortest() throws {
        let lru = try #require(ProbeModel.all.first { $0.name == "lru" })
        let probe = try Probe(of: lru.subject(), design: Self.design)
        let fifo = try #require(probe.comparisons.first { $0.model.name == "fifo" }?.shortest)
        #expect(fifo.sequence.operations.count == 4)
        #expect(
            fifo.lines.contains { $0.hasSuffix("hit, the model miss") }
                && fifo.lines.contains { $0.hasSuffix("miss, the model hit") })
    }

    /// Two keys in a cache for one: the reads say which one stayed.
    private final class Dice: ProbeSubject {
        var random = SystemRandomNumberGenerator()
        let keepsLimits: Bool

        init(keepsLimits: Bool) { self.keepsLimits = keepsLimits }

        func answers(to sequence: ProbeSequence) -> [ProbeAnswer] {
            var held: [Int: Int] = [:]
            return sequence.all.compactMap { operation in
                switch operation {
                case .store(let key, let cost):
                    held[key] = cost
                    let limits = sequence.limits
                    while limits.count > 0 && held.count > limits.count
                        || limits.cost > 0 && held.values.reduce(0, +) > limits.cost
                    {
                        guard keepsLimits || Bool.random(using: &random) else { break }
                        if let victim = held.keys.sorted().randomElement(using: &random) { held[victim] = nil }
                    }
                case .remove(let key): held[key] = nil
                case .get(let key): return held[key] == nil ? .miss : .hit
                }
                return nil
            }
        }
    }

    @Test("A class that evicts at random is random, unless it breaks its limits")
    func random() throws {
        let probe = try Probe(of: Dice(keepsLimits: true), design: Self.design)
        #expect(probe.verdict == .random && probe.differing > 0 && probe.comparisons.allSatisfy { $0.shortest == nil })
        #expect(try Probe(of: Dice(keepsLimits: false), design: Self.design).verdict == .unsteady)
    }

    private final class Fixed: ProbeSubject {
        let answer: ProbeAnswer
        init(_ answer: ProbeAnswer) { self.answer = answer }
        func answers(to sequence: ProbeSequence) -> [ProbeAnswer] {
            sequence.all.compactMap { if case .get = $0 { answer } else { nil } }
        }
    }

    @Test("No model fits a class that keeps nothing; a class that returns other objects is defective")
    func unknown() throws {
        let probe = try Probe(of: Fixed(.miss), design: Self.design)
        #expect(probe.verdict == .unknown && probe.nearest != nil)
        #expect(try Probe(of: Fixed(.wrong), design: Self.design).verdict == .defective)
    }

    @Test("Too few sequences leave several models")
    func undecided() throws {
        let one = ProbeSequence(limits: ProbeLimits(cost: 0, count: 2), [.store(0, cost: 1)])
        let lru = try #require(ProbeModel.all.first)
        guard case .undecided(let names) = try Probe(of: lru.subject(), design: [one]).verdict else {
            Issue.record("decided by one store")
            return
        }
        #expect(names.contains("lru") && names.contains("corelibs"))
    }

    @Test("This machine's NSCache is identified")
    func platform() throws {
        let probe = try Probe(of: PlatformSubject(), design: Self.design)
        #if os(Linux)
        #expect(probe.verdict == .identified("corelibs"))
        #else
        #expect(probe.verdict != .defective)
        #endif
    }

    @Test(
        "GNUstep's class is identified, with both kinds of objects", .enabled(if: GNUstepProgram.shared != nil),
        arguments: [("", "gnustep"), (" discardable", "gnustep-discardable")])
    func gnustep(argument: String, name: String) throws {
        let program = try #require(GNUstepProgram.shared).path + argument
        let probe = try Probe(of: ProgramSubject(program, longestAnswer: 60), design: Self.design)
        #expect(probe.verdict == .identified(name))
    }

    @Test("The sequences: complete up to four operations, the same for the same seed")
    func design() {
        #expect(Set(Self.design.map(\.summary)).count > 8_000)
        #expect(Self.design == ProbeDesign.sequences() && Self.design != ProbeDesign.sequences(seed: 2))
        // One operation: a store at one of two costs, under each of five limits.
        #expect(Set(Self.design.filter { $0.operations.count == 1 }).count == 10)
    }
}
