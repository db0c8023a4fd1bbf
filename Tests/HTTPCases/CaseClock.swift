import Foundation
import Synchronization

/// The clock of a run: of the origin, whose dates are relative to it, and of the client.
package final class CaseClock: Sendable {
    /// The time, which moves only by ``advance(by:)``, in microseconds since 1970; nil for real time.
    private let time: Mutex<Int64?>

    /// A clock at 2027-01-15T08:00:00Z that stands still.
    package static func virtual() -> CaseClock { CaseClock(1_800_000_000_000_000) }

    package static func real() -> CaseClock { CaseClock(nil) }

    private init(_ time: Int64?) { self.time = Mutex(time) }

    /// Microseconds since 1970.
    package var now: Int64 { time.withLock { $0 } ?? Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// Lets seconds pass. Real time is waited for: the classes that need it have no clock that can be set.
    package func advance(by seconds: Int) {
        let isVirtual = time.withLock { time in
            time = time.map { $0 + Int64(seconds) * 1_000_000 }
            return time != nil
        }
        if !isVirtual { Thread.sleep(forTimeInterval: Double(seconds)) }
    }
}
