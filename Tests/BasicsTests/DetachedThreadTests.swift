import Synchronization
import Testing

@testable import Basics

@Suite("Threads") struct DetachedThreadTests {
    @Test("A started thread runs its body once")
    func runs() throws {
        let done = MonotonicSemaphore()
        for _ in 0..<100 { try DetachedThread.start { done.signal() } }
        for _ in 0..<100 { #expect(done.wait()) }
        #expect(!done.wait(until: 0))
    }

    @Test("Threads share work with the caller, which does all of it if the system refuses them")
    func shares() {
        // No system grants a stack of 64 TiB.
        for (threads, stackSize, calls) in [(4, 1 << 20, 4), (1, 1 << 20, 1), (0, 1 << 20, 1), (4, 1 << 46, 1)] {
            let called = Mutex(0)
            let supply = Mutex(1_000)
            let done = Mutex(0)
            DetachedThread.share(threads: threads, stackSize: stackSize) {
                called.withLock { $0 += 1 }
                while supply.withLock({ left in
                    left -= 1
                    return left >= 0
                }) { done.withLock { $0 += 1 } }
            }
            #expect(called.withLock { $0 } == calls && done.withLock { $0 } == 1_000)
        }
    }

    @Test("Threads that a library needs are refused before it starts them")
    func requires() throws {
        try DetachedThread.require(8)
        // No system grants a stack of 64 TiB.
        #expect(throws: SystemError.self) { try DetachedThread.require(2, stackSize: 1 << 46) }
    }
}
