import Foundation

/// A cache of images in memory, as a replay of a recorded session calls it.
///
/// Conform your cache, or a small adapter of it, in your test target:
///
/// ```swift
/// extension ImageCache: ImageCaching {
///     func image(forKey key: String) -> SessionImage? { … }
///     func store(_ image: SessionImage, forKey key: String, cost: Int) { … }
///     func removeImage(forKey key: String) { … }
///     func removeAllImages() { … }
/// }
/// ```
///
/// A replay calls one function at a time, from one thread. An error that a function throws counts as a fault of the
/// cache, and the call as a miss.
public protocol ImageCaching<Image>: SendableMetatype {
    /// What the cache holds. Caches of ``SessionImage`` need nothing else; for other types, pass an
    /// ``ImageConversion`` to the replay.
    associatedtype Image = SessionImage

    /// Returns the image that the cache holds for a key, or nil. The key of a thumbnail ends in `#thumbnail`.
    mutating func image(forKey key: String) throws -> Image?

    /// Stores an image. The cost is the bytes of its bitmap.
    mutating func store(_ image: Image, forKey key: String, cost: Int) throws

    mutating func removeImage(forKey key: String) throws

    /// Removes all images: the app was relaunched.
    mutating func removeAllImages() throws

    /// The system has little memory. By default, nothing happens. The replay posts no notification.
    mutating func didReceiveMemoryWarning() throws

    /// The app enters the background. By default, nothing happens.
    mutating func didEnterBackground() throws

    /// The bytes of the images that the cache holds; nil, the default, if it does not know. Results without it have no
    /// peak of memory.
    var heldBytes: Int? { get throws }
}

extension ImageCaching {
    public mutating func didReceiveMemoryWarning() {}
    public mutating func didEnterBackground() {}
    public var heldBytes: Int? { nil }
}

/// A cache whose functions are asynchronous, such as an actor. ``ImageCaching`` describes the functions.
///
/// A replay waits for each call before it makes the next one.
public protocol AsyncImageCaching<Image>: Sendable {
    associatedtype Image: Sendable = SessionImage

    func image(forKey key: String) async throws -> Image?
    func store(_ image: Image, forKey key: String, cost: Int) async throws
    func removeImage(forKey key: String) async throws
    func removeAllImages() async throws
    func didReceiveMemoryWarning() async throws
    func didEnterBackground() async throws
    var heldBytes: Int? { get async throws }
}

extension AsyncImageCaching {
    public func didReceiveMemoryWarning() async {}
    public func didEnterBackground() async {}
    public var heldBytes: Int? { get async { nil } }
}

/// A cache of encoded images on disk, as a replay calls it.
///
/// The data of an object has the recorded number of bytes, at least 16. A replay checks every byte that it gets back.
public protocol DataCaching {
    /// Returns the data that the cache holds for a key, or nil. The key of a thumbnail ends in `#thumbnail`.
    mutating func data(forKey key: String) throws -> Data?
    mutating func store(_ data: Data, forKey key: String) throws
    mutating func removeData(forKey key: String) throws
    /// The bytes of the data that the cache holds; nil, the default, if it does not know.
    var heldBytes: Int? { get throws }
}

extension DataCaching {
    public var heldBytes: Int? { nil }
}
