// The thread sanitizer must report this race: each thread takes a lock of its own.
import Foundation
import Synchronization

final class Unguarded: @unchecked Sendable {
    let locks = (Mutex(()), Mutex(()))
    var number = 0
}

let unguarded = Unguarded()
DispatchQueue.concurrentPerform(iterations: 4) { thread in
    for _ in 0..<20_000 {
        if thread % 2 == 0 {
            unguarded.locks.0.withLock { unguarded.number += 1 }
        } else {
            unguarded.locks.1.withLock { unguarded.number += 1 }
        }
    }
}
