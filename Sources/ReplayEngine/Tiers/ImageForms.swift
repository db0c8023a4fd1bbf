import CacheTiers
import ImageCodecs
import Synchronization

/// Whose bytes, bitmaps and files are whose, by checksum: once an image was decoded or encoded again, nothing else
/// tells. Safe to use from several threads.
final class ImageForms: Sendable {
    private let owners = Mutex<[UInt64: Set<Int>]>([:])
    private let decoded = Mutex<Set<Int>>([])

    /// The number of objects that were decoded.
    var decodedCount: Int { decoded.withLock(\.count) }

    func contains(_ form: Payload, of object: Int) -> Bool { owners(of: form).contains(object) }

    /// The body has become a bitmap. Where it was delivered for the object, and is its own, whatever is made of it is
    /// so too.
    func add(_ bitmap: Bitmap, of body: ReplayBody, for object: Int) {
        if !body.isWrong {
            add(body.bytes, [object])
            decoded.withLock { _ = $0.insert(object) }
        }
        add(bitmap.pixels, owners(of: body.bytes))
    }

    /// Records bytes that were encoded again from a body.
    func add(_ encoded: Payload, of body: ReplayBody) { add(encoded, owners(of: body.bytes)) }

    private func owners(of form: Payload) -> Set<Int> {
        let checksum = form.checksum
        return owners.withLock { $0[checksum] ?? [] }
    }

    private func add(_ form: Payload, _ objects: Set<Int>) {
        let checksum = form.checksum
        owners.withLock { $0[checksum, default: []].formUnion(objects) }
    }
}
