import Basics
import Testing

@testable import ReplayEngine

@Suite("The requests that wait for a fetch")
struct FetchWaitersTests {
    @Test("They are an array, whichever of them leaves", arguments: 0..<20)
    func twin(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var waiters = FetchWaiters()
        var twin: [Int] = []
        for request in 0..<500 {
            if random.next(below: 5) < 2 {
                waiters.append(request)
                twin.append(request)
            } else {
                // The first one, any of them, or one that does not wait.
                let leaving = random.next(below: 2) == 0 ? twin.first ?? -1 : random.next(below: request + 1)
                waiters.remove(leaving)
                twin.removeAll { $0 == leaving }
            }
            #expect(Array(waiters) == twin)
            #expect((waiters.first, waiters.isEmpty, waiters.count) == (twin.first, twin.isEmpty, twin.count))
        }
    }
}
