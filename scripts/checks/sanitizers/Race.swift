// The thread sanitizer must report this race: each thread takes a lock of its own.
import Foundation
import Synchronization

final class Unguarded: @unchecked Sendable {
    let first = Mutex(())
    let second = Mutex(())
    var number = 0
}

let unguarded = Unguarded()
DispatchQueue.concurrentPerform(iterations: 4) { thread in
    for _ in 0..<20_000 {
        if thread % 2 == 0 {
            unguarded.first.withLock { _ in unguarded.number += 1 }
        } else {
            unguarded.second.withLock { _ in unguarded.number += 1 }
        }
    }
}
