import CacheTiers
import ReplayEngine
import Synchronization

/// What the decoding times of a measured replay rest on, in objects.
struct DecodedCounts: Sendable, Equatable {
    /// Kept bodies were decoded.
    var kept = 0
    /// Generated images were decoded.
    var generated = 0
    /// The cost model gave the times.
    var modelled = 0
}

/// The objects that bytes, bitmaps and files belong to, by checksum.
///
/// A bitmap or a file that was encoded again does not have the bytes of the response, so the check of delivered bytes
/// needs this record. The type is safe to use from several threads.
final class ImageForms: Sendable {
    private let owners = Mutex<[UInt64: Set<Int>]>([:])
    private let decoded = Mutex<Set<Int>>([])
    private let generated = Mutex<Set<Int>>([])
    private let modelled = Mutex<Set<Int>>([])

    /// The number of objects that were decoded.
    var counts: DecodedCounts {
        DecodedCounts(
            kept: decoded.withLock(\.count), generated: generated.withLock(\.count),
            modelled: modelled.withLock(\.count))
    }

    /// Records that a generated image was decoded for an object.
    func addGenerated(_ object: Int) { generated.withLock { _ = $0.insert(object) } }

    /// Records that the decoding time of an object was modelled.
    func addModelled(_ object: Int) { modelled.withLock { _ = $0.insert(object) } }

    func contains(_ form: Payload, of object: Int) -> Bool { owners(of: form).contains(object) }

    /// Records a bitmap that was decoded from a body. If the body is the object's own, the bitmap is too.
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
