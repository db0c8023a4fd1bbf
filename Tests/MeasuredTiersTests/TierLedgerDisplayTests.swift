import Basics
import CachePolicies
import CacheTiers
import MeasuredTiers
import Testing

@Suite("What is displayed beside the ledger of a tier")
struct TierLedgerDisplayTests {
    @Test("An object that is displayed and held counts once, and beside the ledger as soon as it is not held")
    func story() throws {
        var ledger = TierLedger(try PolicyContext().policy("lru(100B)"))
        ledger.display(7, adding: 60)
        #expect(ledger.displayedBeside == 60 && ledger.heldBytes == 0)
        _ = ledger.admit(Access(object: 7, size: 60, time: 0))
        #expect(ledger.displayedBeside == 0 && ledger.heldBytes == 60)
        // A second object evicts the first one.
        _ = ledger.admit(Access(object: 8, size: 50, time: 1))
        #expect(ledger.displayedBeside == 60 && ledger.heldBytes == 50)
        // More of an object is displayed than the ledger holds.
        ledger.display(8, adding: 70)
        #expect(ledger.displayedBeside == 80)
        ledger.clear()
        #expect(ledger.displayedBeside == 130 && ledger.heldBytes == 0)
        ledger.display(7, adding: -60)
        ledger.display(8, adding: -70)
        #expect(ledger.displayedBeside == 0)
        // The number of an object may be far above all others.
        ledger.display(10_000, adding: 1)
        _ = ledger.admit(Access(object: 20_000, size: 1, time: 2))
        #expect(ledger.displayedBeside == 1)
    }

    @Test(
        "After every operation, the sum over all objects is the same, for random operations",
        arguments: ["lru(1kB)", "ttl(lru(1kB), lifetime: 30us, sweep: 7us)", "s3fifo(1kB)", "unbounded"], [false, true])
    func slowTwin(policy: String, pinsShown: Bool) throws {
        var random = SplitMix64(seed: 5)
        var ledger = TierLedger(
            try PolicyContext().policy(policy), entryRule: EntryRule(limit: 250, oversize: .ignored),
            pinsShown: pinsShown)
        let sizes = (0..<30).map { _ in 1 + random.next(below: 300) }
        var displayed = [Int](repeating: 0, count: 30)
        var cells = displayed
        var mostBeside = 0
        for time in 0..<4_000 as Range<Int64> {
            let object = random.next(below: 30)
            let access = Access(object: object, size: sizes[object], time: time)
            switch random.next(below: 12) {
            case 0: ledger.remove(object)
            case 1 where time % 50 == 0: ledger.clear()
            case 2 where time % 50 == 1:
                ledger.relaunch(at: time)
                cells = Array(repeating: 0, count: 30)
            case 3: ledger.advance(to: time)
            case 4, 5:
                ledger.display(object, adding: sizes[object])
                displayed[object] += sizes[object]
            case 6 where displayed[object] > 0:
                ledger.display(object, adding: -sizes[object])
                displayed[object] -= sizes[object]
            case 7 where pinsShown:
                ledger.show(object)
                cells[object] += 1
            case 8 where cells[object] > 0:
                ledger.hide(access)
                cells[object] -= 1
            case 9: _ = ledger.lookup(access)
            default: _ = ledger.admit(access)
            }
            ledger.drainVictims { _ in }
            let held = (0..<30).map { ledger.contains($0) ? sizes[$0] : 0 }
            let beside = (0..<30).reduce(0) { $0 + max(0, displayed[$1] - held[$1]) }
            try #require(ledger.heldBytes == held.reduce(0, +) && ledger.displayedBeside == beside, "at \(time)")
            mostBeside = max(mostBeside, beside)
        }
        #expect(mostBeside > 0)
    }
}
