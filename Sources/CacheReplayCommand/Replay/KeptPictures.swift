import CacheTraces
import Foundation
import MeasuredTiers
import ReplayEngine
import Runs
import SessionModel

/// Makes the small pictures that the phones of the report show, from the bodies that were kept while a session was
/// recorded.
struct KeptPictures {
    /// The pixels of the longer side of a picture, which is about as large as a cell on the page.
    private static let side = 64
    /// The most images of a session that are decoded.
    private static let mostImages = 500

    let bodies: BodyIndex
    /// The bytes of Base64 that are left for further pictures.
    private var room: Int

    init(_ bodies: BodyIndex, bytes: Int) { (self.bodies, room) = (bodies, bytes) }

    /// Returns the pictures of a session, in the order in which its images appear, as far as there is room for them.
    ///
    /// Images that were not kept, are no images, or were compressed for their way have no picture.
    ///
    /// - Throws: `TraceError` if the folder of the bodies is incomplete.
    mutating func of(_ trace: Trace, name: String) throws -> SessionThumbnails {
        let kept = try bodies.bodies(of: trace)
        var session = SessionThumbnails(trace: name)
        var places: [Int?] = Array(repeating: nil, count: trace.objects.count)
        var decoded = 0
        for event in trace.events {
            guard case .appear(let object, _) = event.action else { continue }
            guard session.cells.count < Film.mostCells else { break }
            let index = Int(object)
            if places[index] == nil {
                places[index] = -1
                if let entry = kept[index], entry.contentEncoding == nil, decoded < Self.mostImages {
                    decoded += 1
                    if let image = picture(bodies.path(entry)), image.utf8.count <= room {
                        room -= image.utf8.count
                        places[index] = session.images.count
                        session.images.append(image)
                    }
                }
            }
            session.cells.append(places[index] ?? -1)
        }
        return session
    }

    private func picture(_ file: String) -> String? {
        guard let data = FileManager.default.contents(atPath: file) else { return nil }
        let small = data.withUnsafeBytes { try? ImageCodec.thumbnail(of: $0, side: Self.side) }
        return small.map { Data($0.bytes).base64EncodedString() }
    }
}
