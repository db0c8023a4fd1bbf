import Basics
import CIntrinsics
import Foundation

/// Knows whether a call of a cache is in progress, so that another thread finds the one that never returns.
///
/// Unchecked Sendable: the word is read and written atomically; ``names`` does not change.
final class CallWatch: @unchecked Sendable {
    /// What is called.
    enum Call: UInt64 {
        case find = 1, store, remove, removeAll, memoryWarning, background, heldBytes
    }

    /// The number of calls so far, the number of the key, and the kind of the call that is in progress, or 0.
    private let word: UnsafeMutablePointer<UInt64>
    private var calls: UInt64 = 0
    private let names: KeyNames

    init(_ names: KeyNames) {
        self.names = names
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    /// Notes that a call begins. Only the thread of the replay calls it.
    ///
    /// - Parameter number: The number of the key, or 0.
    @inline(__always) func begin(_ call: Call, _ number: Int) {
        calls &+= 1
        cachereplay_write_word(
            word, calls << 32 | UInt64(UInt32(truncatingIfNeeded: number) & 0x0fff_ffff) << 4 | call.rawValue)
    }

    @inline(__always) func end() { cachereplay_write_word(word, 0) }

    /// Returns when the replay has ended, or when one call has been in progress for `seconds`: then its name.
    func wait(for ended: DispatchSemaphore, longestCall seconds: Double) -> String? {
        var last: UInt64 = 0
        var since = DispatchTime.now()
        while ended.wait(timeout: .now() + min(0.1, seconds / 4)) == .timedOut {
            let now = cachereplay_read_word(word)
            if now != last || now & 15 == 0 {
                last = now
                since = .now()
            } else if Double(DispatchTime.now().uptimeNanoseconds - since.uptimeNanoseconds) >= seconds * 1e9 {
                return text(now)
            }
        }
        return nil
    }

    private func text(_ word: UInt64) -> String {
        let key = names.text(Int(word >> 4 & 0x0fff_ffff))
        return switch Call(rawValue: word & 15) {
        case .find: "looking up \(key)"
        case .store: "storing \(key)"
        case .remove: "removing \(key)"
        case .removeAll: "removing all images"
        case .memoryWarning: "receiving a memory warning"
        case .background: "entering the background"
        case .heldBytes, nil: "asking for the held bytes"
        }
    }
}

/// The keys under which a cache is asked for the images of a session, by ``SessionImage/ID/number``.
final class KeyNames: Sendable {
    private let texts: [String]

    init(_ keys: [String]) {
        var texts: [String] = []
        texts.reserveCapacity(keys.count * 2)
        for key in keys {
            texts.append(key + "#thumbnail")
            texts.append(key)
        }
        self.texts = texts
    }

    func text(_ number: Int) -> String { number < texts.count ? texts[number] : "" }
}
