import Basics
import Foundation

/// An image of a session, as a replay stores it in a cache. It has no pixels.
public final class SessionImage: Sendable, Hashable {
    /// The identity of an image of the session.
    public struct ID: Hashable, Sendable {
        /// Twice the number of the object, and one more for a full image.
        package let number: Int

        package init(number: Int) { self.number = number }
    }

    public let id: ID
    /// The URL. The key of a thumbnail ends in `#thumbnail`.
    public let key: String
    public var isThumbnail: Bool { id.number % 2 == 0 }
    /// The bytes of the bitmap: four for each pixel.
    public let bitmapBytes: Int
    /// The bytes of the response.
    public let encodedBytes: Int

    package init(id: ID, key: String, bitmapBytes: Int, encodedBytes: Int) {
        self.id = id
        self.key = key
        self.bitmapBytes = bitmapBytes
        self.encodedBytes = encodedBytes
    }

    public static func == (one: SessionImage, other: SessionImage) -> Bool { one === other }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// How the images of a session become those that a cache holds, and back.
///
/// A replay must know which image a cache returns, so that it finds caches that return a wrong one.
public struct ImageConversion<Image> {
    let make: (SessionImage) -> Image
    let identify: (Image) -> SessionImage.ID?

    /// - Parameters:
    ///   - make: Makes what the cache stores.
    ///   - identify: Returns which image was made into this one; nil if none was.
    public init(make: @escaping (SessionImage) -> Image, identify: @escaping (Image) -> SessionImage.ID?) {
        self.make = make
        self.identify = identify
    }
}

extension ImageConversion where Image == SessionImage {
    public static var none: ImageConversion { ImageConversion(make: { $0 }, identify: { $0.id }) }
}

extension ImageConversion where Image: AnyObject {
    /// For objects such as `UIImage`: `.objects { UIImage(size: …) }`. Which image an object is follows from its
    /// identity, so the cache must return the object that it was given.
    public static func objects(_ make: @escaping (SessionImage) -> Image) -> ImageConversion {
        let known = KnownObjects<Image>()
        return ImageConversion(
            make: { image in
                let object = make(image)
                known.note(object, image.id)
                return object
            }, identify: { known.id(of: $0) })
    }
}

extension ImageConversion where Image == Data {
    /// For data as long as the recorded responses, at least 16 bytes. Every byte is checked.
    public static var data: ImageConversion {
        ImageConversion(
            make: { SessionData.make($0.id, count: $0.encodedBytes) }, identify: { SessionData.id(of: $0) })
    }
}

/// The objects that were made for images. It keeps no object alive.
private final class KnownObjects<Object: AnyObject> {
    private struct Entry {
        weak var object: Object?
        let id: SessionImage.ID
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    func note(_ object: Object, _ id: SessionImage.ID) {
        entries[ObjectIdentifier(object)] = Entry(object: object, id: id)
    }

    func id(of object: Object) -> SessionImage.ID? {
        guard let entry = entries[ObjectIdentifier(object)], entry.object === object else { return nil }
        return entry.id
    }
}

/// Data that stands for an image: its number and its length, and then bytes that follow from both.
enum SessionData {
    static let shortest = 16

    static func make(_ id: SessionImage.ID, count: Int) -> Data {
        let count = max(count, shortest)
        let words = (count + 7) / 8
        var data = Data(count: words * 8)
        data.withUnsafeMutableBytes { bytes in
            var random = SplitMix64(seed: UInt64(id.number))
            bytes.storeBytes(of: UInt64(id.number), toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
            for word in stride(from: 2, to: words, by: 1) {
                bytes.storeBytes(of: random.next(), toByteOffset: word * 8, as: UInt64.self)
            }
        }
        return data.prefix(count)
    }

    /// Returns the image's identifier; nil unless all bytes belong to an image.
    static func id(of data: Data) -> SessionImage.ID? {
        guard data.count >= shortest else { return nil }
        let (number, count) = data.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        guard number < 1 << 40, count == data.count else { return nil }
        let id = SessionImage.ID(number: Int(number))
        return make(id, count: data.count) == data ? id : nil
    }
}
