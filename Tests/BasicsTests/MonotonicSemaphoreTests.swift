import Basics
import Dispatch
import Testing

@Suite("Waiting by the monotonic clock") struct MonotonicSemaphoreTests {
    @Test("Each signal lets one wait succeed; without one, a wait ends at its deadline")
    func counts() {
        let semaphore = MonotonicSemaphore()
        #expect(!semaphore.wait(until: 0))
        #expect(!semaphore.wait(until: -1))
        let deadline = MonotonicClock.now + 20_000_000
        #expect(!semaphore.wait(until: deadline))
        #expect(MonotonicClock.now >= deadline)
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(until: 0) && semaphore.wait())
        #expect(!semaphore.wait(until: 0))
    }

    @Test("A wait ends when another thread signals")
    func threads() {
        let (ping, pong) = (MonotonicSemaphore(), MonotonicSemaphore())
        DispatchQueue.global().async {
            for _ in 0..<1_000 {
                _ = ping.wait()
                pong.signal()
            }
        }
        for turn in 0..<1_000 {
            ping.signal()
            #expect(turn.isMultiple(of: 2) ? pong.wait() : pong.wait(until: .max / 2))
        }
    }
}
