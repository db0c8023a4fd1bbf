import Foundation

/// The cache of an app: an NSCache of pictures, limited by the bytes of their bitmaps.
public final class ImageCache<Picture: AnyObject> {
    private let pictures = NSCache<NSString, Picture>()

    /// - Parameter limit: In bytes of bitmaps.
    public init(limit: Int) { pictures.totalCostLimit = limit }

    public func picture(for url: String) -> Picture? { pictures.object(forKey: url as NSString) }

    public func keep(_ picture: Picture, for url: String, bytes: Int) {
        pictures.setObject(picture, forKey: url as NSString, cost: bytes)
    }

    public func forget(_ url: String) { pictures.removeObject(forKey: url as NSString) }

    public func forgetAll() { pictures.removeAllObjects() }
}
