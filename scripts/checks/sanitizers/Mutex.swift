// The thread sanitizer must report nothing here: one lock guards the values.
import Foundation
import Synchronization

final class Guarded: Sendable {
    let number = Mutex(0)
    let texts = Mutex<[String]>([])
}

let guarded = Guarded()
DispatchQueue.concurrentPerform(iterations: 4) { thread in
    for step in 0..<20_000 {
        guarded.number.withLock { $0 += 1 }
        if step % 50 == 0 { guarded.texts.withLock { $0.append("step \(step) of thread \(thread)") } }
    }
}
guard guarded.number.withLock({ $0 }) == 80_000, guarded.texts.withLock({ $0.count }) == 1_600 else { exit(1) }
