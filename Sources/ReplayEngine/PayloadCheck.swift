import CacheTraces
import Digests
import SessionModel

/// Whether delivered bytes are an object's own, told apart from those of any other object and from torn ones.
enum PayloadCheck: Sendable {
    /// Made bytes: each is a function of the key.
    case pattern(PayloadPattern)
    /// A kept body, known by the SHA-256 of its bytes.
    case content([UInt8])

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .pattern(let pattern): return pattern.matches(bytes)
        case .content(let digest):
            return Digest.of(bytes, .sha256) == digest
        }
    }

    /// One for each object of a trace, by the kept bodies where there are any.
    static func checks(_ trace: Trace, _ bodies: [BodyIndex.Entry?]?) -> [PayloadCheck] {
        trace.objects.indices.map { object in
            bodies?[object].map { .content($0.digest) } ?? .pattern(PayloadPattern(key: trace.objects[object].key))
        }
    }

    /// How many objects have which bytes: what cannot be seen in the figures.
    static func note(_ bodies: [BodyIndex.Entry?]) -> String {
        let kept = bodies.count { $0 != nil }
        let made = bodies.count - kept
        return "\(kept) of \(bodies.count) objects came with the bodies that were kept, checked by SHA-256"
            + (made > 0 ? "; those of the other \(made) are made up." : ".")
    }
}

extension BodyIndex.Entry {
    /// The 32 bytes that the hexadecimal digits stand for.
    fileprivate var digest: [UInt8] {
        let digits = sha256.utf8.map {
            $0 < UInt8(ascii: "a") ? $0 &- UInt8(ascii: "0") : $0 &- UInt8(ascii: "a") &+ 10
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
