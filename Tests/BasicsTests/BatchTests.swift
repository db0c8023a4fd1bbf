import Basics
import Dispatch
import Synchronization
import Testing

@Suite("Work on groups of items")
struct BatchTests {
    /// What a batch did, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        var text: [String] { lines.withLock { $0 } }
    }

    @Test("One thread finishes a group before it begins the next one, and skips groups without work")
    func order() {
        let log = Log()
        let batch = Batch<String>(groups: 3)
        batch.run(
            threads: 1,
            prepare: { number in
                log.note("prepare \(number)")
                return number == 1 ? nil : ("group \(number)", items: 2)
            },
            release: { group, _ in log.note("release \(group)") },
            work: { group, number, item in log.note("\(group), \(number), item \(item)") })
        #expect(
            log.text == [
                "prepare 0", "group 0, 0, item 0", "group 0, 0, item 1", "release group 0", "prepare 1", "prepare 2",
                "group 2, 2, item 0", "group 2, 2, item 1", "release group 2",
            ])
    }

    @Test("Several threads work on each item once, and release each group once, after its items", arguments: [2, 5])
    func threads(_ threads: Int) {
        let log = Log()
        let batch = Batch<Int>(groups: 20)
        batch.run(
            threads: threads, prepare: { ($0, items: $0 % 4) }, release: { _, number in log.note("\(number) end") },
            work: { group, number, item in log.note("\(number) \(item)") })
        let expected = (0..<20).flatMap { number in (0..<number % 4).map { "\(number) \($0)" } + ["\(number) end"] }
        #expect(log.text.sorted() == expected.sorted())
        for number in 0..<20 { #expect(log.text.last { $0.hasPrefix("\(number) ") } == "\(number) end") }
    }

    @Test("A thread for which no group is left helps with the items of another one")
    func help() {
        let second = DispatchSemaphore(value: 0)
        let outcome = Mutex<DispatchTimeoutResult?>(nil)
        let batch = Batch<Void>(groups: 1)
        batch.run(
            threads: 2, prepare: { _ in ((), items: 2) },
            work: { _, _, item in
                // The first item ends only when another thread has begun the second one.
                guard item == 0 else { return _ = second.signal() }
                let result = second.wait(timeout: .now() + 300)
                outcome.withLock { $0 = result }
            })
        #expect(outcome.withLock { $0 } == .success)
    }

    @Test("A cancelled batch begins nothing, and releases the group in work")
    func cancel() {
        let log = Log()
        let batch = Batch<Int>(groups: 3)
        batch.run(
            threads: 1, prepare: { ($0, items: 3) }, release: { group, _ in log.note("release \(group)") },
            work: { group, _, item in
                log.note("\(group) \(item)")
                if group == 1, item == 0 { batch.cancel() }
            })
        #expect(log.text == ["0 0", "0 1", "0 2", "release 0", "1 0", "release 1"])
    }

    @Test("A batch that begins no further group finishes those that are ready")
    func beginNoGroup() {
        let log = Log()
        let batch = Batch<Int>(groups: 3)
        batch.run(
            threads: 1,
            prepare: { number in
                if number == 1 { batch.beginNoGroup() }
                return (number, items: 1)
            }, work: { group, _, _ in log.note("\(group)") })
        #expect(log.text == ["0", "1"])
    }
}
