import Basics
import CacheTraces
import Foundation

/// A body for a ``BodyStore``, which is written and hashed in pieces. An instance belongs to one thread.
final class KeptBody {
    private let store: BodyStore
    private let path: String
    private var file: Int32
    private var hash = Digest(.sha256)
    private var count = 0

    init(_ store: BodyStore, _ path: String, _ file: Int32) {
        self.store = store
        self.path = path
        self.file = file
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard file >= 0, let start = bytes.baseAddress else { return }
        var written = 0
        while written < bytes.count {
            let step = write(file, start + written, bytes.count - written)
            if step > 0 {
                written += step
            } else if step == 0 || errno != EINTR {
                store.note("\(path): \(String(cString: strerror(step == 0 ? EIO : errno)))")
                return discard()
            }
        }
        hash.update(bytes)
        count += bytes.count
    }

    /// Stores the complete body.
    func keep(key: String, _ facts: ResponseFacts) {
        guard file >= 0 else { return }
        close(file)
        file = -1
        let name = hash.finish().hexadecimal
        store.keep(
            path,
            BodyIndex.Entry(
                key: key, sha256: name, bytes: count, contentType: facts.contentType,
                contentEncoding: facts.contentEncoding))
    }

    /// Discards an incomplete body, or one that cannot be written.
    func discard() {
        guard file >= 0 else { return }
        close(file)
        file = -1
        unlink(path)
    }
}
