import Basics
import Testing

@Suite("Threads") struct DetachedThreadTests {
    @Test("A started thread runs its body once")
    func runs() throws {
        let done = MonotonicSemaphore()
        for _ in 0..<100 { try DetachedThread.start { done.signal() } }
        for _ in 0..<100 { #expect(done.wait()) }
        #expect(!done.wait(until: 0))
    }
}
