import Testing

@testable import ReplayEngine

@Suite("The requests that wait for a fetch")
struct FetchWaitersTests {
    @Test("They are an array, whichever of them leaves", arguments: 0..<20)
    func twin(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
        var waiters = FetchWaiters()
        var twin: [Int] = []
        for request in 0..<500 {
            if random(5) < 2 {
                waiters.append(request)
                twin.append(request)
            } else {
                // The first one, any of them, or one that does not wait.
                let leaving = random(2) == 0 ? twin.first ?? -1 : random(request + 1)
                waiters.remove(leaving)
                twin.removeAll { $0 == leaving }
            }
            #expect(Array(waiters) == twin)
            #expect((waiters.first, waiters.isEmpty, waiters.count) == (twin.first, twin.isEmpty, twin.count))
        }
    }

    @Test("A fetch begins with one request")
    func one() {
        #expect(Array(FetchWaiters(7)) == [7])
        #expect(Array(FetchWaiters(7).prefix(1)) == [7])
    }
}
