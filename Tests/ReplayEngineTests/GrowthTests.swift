import Basics
import CachePolicies
import CacheTiers
import SessionModel
import Testing

@testable import ReplayEngine

/// Structures whose work per event must not grow with the session have slow twins here, which search and count.
@Suite("Structures of long sessions beside slow twins")
struct GrowthTests {
    /// Random pushes, changes of class, removals, starts and ends, for hosts with two connections each.
    @Test("The next fetch is the first of its class whose host has a connection", arguments: 0..<20, [false, true])
    func queue(seed: Int, isLastInFirstOut: Bool) {
        struct Waiting {
            var fetch: Int
            var rank: Int
            var host: Int
            var kind: QueuedFetches.Class
        }
        var random = SplitMix64(seed: UInt64(seed))
        var queue = QueuedFetches(isLastInFirstOut ? .lifo : .fifo)
        var waiting: [Waiting] = []
        var running: [Int] = []
        var hosts = [Int](repeating: 0, count: 4)
        var fetches = 0

        /// As the pipeline: entries that no longer count leave, and those of a busy host are set aside.
        func first(in kind: QueuedFetches.Class) -> QueuedFetches.Entry? {
            while let entry = queue.first(in: kind) {
                guard waiting.contains(where: { $0.fetch == entry.fetch && $0.rank == entry.rank && $0.kind == kind })
                else {
                    queue.removeFirst(in: kind)
                    queue.unpark(entry.host, in: kind)
                    continue
                }
                if hosts[entry.host] < 2 { return entry }
                queue.parkFirst(in: kind)
            }
            return nil
        }

        for _ in 0..<2_000 {
            let kind: QueuedFetches.Class = random.next(below: 2) == 0 ? .needed : .ahead
            switch random.next(below: 6) {
            case 0, 1:
                let host = random.next(below: 4)
                let rank = queue.nextRank()
                waiting.append(Waiting(fetch: fetches, rank: rank, host: host, kind: kind))
                queue.push(.init(rank: rank, fetch: fetches, host: host), in: kind)
                fetches += 1
            case 2 where !waiting.isEmpty: waiting.remove(at: random.next(below: waiting.count))
            case 3 where !waiting.isEmpty:
                let index = random.next(below: waiting.count)
                waiting[index].kind = waiting[index].kind == .needed ? .ahead : .needed
                queue.push(
                    .init(rank: waiting[index].rank, fetch: waiting[index].fetch, host: waiting[index].host),
                    in: waiting[index].kind)
            case 4 where !running.isEmpty:
                let host = running.remove(at: random.next(below: running.count))
                hosts[host] -= 1
                queue.unpark(host)
            default:
                let candidates = waiting.filter { $0.kind == kind && hosts[$0.host] < 2 }
                let expected = candidates.min { $0.rank < $1.rank }
                let found = first(in: kind)
                #expect(found?.fetch == expected?.fetch)
                guard let found, let index = waiting.firstIndex(where: { $0.fetch == found.fetch }) else { continue }
                queue.removeFirst(in: kind)
                waiting.remove(at: index)
                hosts[found.host] += 1
                running.append(found.host)
            }
        }
        #expect(fetches > 100)
    }

    /// The twin sums what each cell has been blank in the second. In every second session, the app leaves the
    /// foreground at times.
    @Test("Blank cells of a timeline count the images that are still to arrive", arguments: 0..<20)
    func arrivals(seed: Int) {
        let second: Int64 = 1_000_000_000
        var random = SplitMix64(seed: UInt64(seed))
        var absences: [Range<Int64>] = []
        while seed % 2 == 1, absences.last?.upperBound ?? 0 < 55 * second {
            let start = (absences.last?.upperBound ?? 0) + Int64(1 + random.next(below: 9_000)) * 1_000_000
            absences.append(start..<start + Int64(1 + random.next(below: 6_000)) * 1_000_000)
        }
        let events = absences.flatMap { absence in
            [
                TraceEvent(time: absence.lowerBound / 1_000, .background),
                TraceEvent(time: absence.upperBound / 1_000, .foreground),
            ]
        }
        var recorder = TimelineRecorder(end: 60 * second, foreground: ForegroundClock(Trace(events: events)))
        var cells: [(appeared: Int64, delivered: Int64, closed: Int64)] = []
        var visible: [Int] = []
        var lane: Int64 = 0
        for now in 0..<60 {
            let time = Int64(now) * second + 1 + Int64(random.next(below: 900)) * 1_000_000
            for _ in 0..<random.next(below: 4) {
                recorder.appeared(at: time)
                visible.append(cells.count)
                cells.append((time, .max, .max))
                guard random.next(below: 3) > 0 else { continue }
                lane = max(lane, time) + Int64(random.next(below: 2_000)) * 1_000_000
                recorder.shown(at: lane)
                cells[cells.count - 1].delivered = lane
            }
            while !visible.isEmpty, random.next(below: 3) == 0 {
                let cell = visible.remove(at: random.next(below: visible.count))
                cells[cell].closed = time
                recorder.closed(delivered: cells[cell].delivered == .max ? -1 : cells[cell].delivered, at: time)
            }
            let (start, end) = (Int64(now) * second, Int64(now + 1) * second)
            recorder.advance(to: end, memory: Occupancy(), disk: Occupancy())
            let blank = cells.reduce(0) { sum, cell -> Int in
                let first = max(cell.appeared, start)
                let missing = first..<max(first, min(cell.delivered, cell.closed, end))
                return sum + missing.count - absences.reduce(0) { $0 + missing.clamped(to: $1).count }
            }
            // A row without a change is left out.
            let stated = recorder.rows.last { $0.second <= now }?.blankCells ?? -1
            #expect(abs(stated - Double(blank) / 1e9) < 1e-6, "second \(now)")
        }
    }

    /// Objects are cleared, removed and shown in random order; a dictionary counts what is held.
    @Test("A ledger that is cleared holds nothing but what is shown", arguments: 0..<20)
    func ledger(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var ledger = TierLedger(try PolicyContext().policy("unbounded"), pinsShown: true)
        ledger.journal = TierJournal()
        var held: [Int: Int] = [:]
        var shown: [Int: Int] = [:]
        for step in 0..<1_000 {
            let object = random.next(below: 30)
            switch random.next(below: 9) {
            case 0...3:
                let bytes = random.next(below: 100)
                _ = ledger.admit(Access(object: object, size: bytes))
                held[object] = bytes
            case 4:
                ledger.remove(object)
                held[object] = nil
            case 5:
                ledger.show(object)
                shown[object, default: 0] += 1
            case 6 where shown[object] != nil:
                ledger.hide(Access(object: object, size: 0))
                shown[object] = shown[object] == 1 ? nil : shown[object].map { $0 - 1 }
            case 7 where step % 5 == 0:
                ledger.clear()
                held = held.filter { shown[$0.key] != nil }
            case 8 where step % 9 == 0:
                ledger.relaunch(at: Int64(step))
                (held, shown) = ([:], [:])
            default: break
            }
            #expect(ledger.occupancy == Occupancy(objects: held.count, bytes: held.values.reduce(0, +)))
            for object in 0..<30 { #expect(ledger.contains(object) == (held[object] != nil)) }
        }
    }
}
