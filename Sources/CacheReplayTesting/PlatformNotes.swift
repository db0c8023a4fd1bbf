import Foundation

/// Notes on the system's classes that a cache uses, which a reader of results must know.
enum PlatformNotes {
    /// Returns the notes for a cache: on Linux, a note if it holds an NSCache.
    static func notes(of cache: Any) -> [String] {
        #if canImport(Darwin)
        return []
        #else
        return holdsNSCache(cache, depth: deepest) ? [nsCache] : []
        #endif
    }

    static let nsCache = """
        The cache holds an NSCache. The test called that of swift-corelibs-foundation, which evicts the cheapest \
        images \
        first. Darwin's class has other hits, often many more: run the test on an Apple system too, or replay the \
        session through "nscache(cost: …)", the models of Darwin's class.
        """

    /// How many properties lie inside of each other, at most, where an NSCache is looked for.
    private static let deepest = 4

    /// Returns whether a value is an NSCache, or has one among its properties.
    static func holdsNSCache(_ value: Any, depth: Int) -> Bool {
        if value is any NSCacheOfAnything { return true }
        guard depth > 0 else { return false }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let level = mirror {
            switch level.displayStyle {
            // Their elements are what a cache holds.
            case .collection, .dictionary, .set: return false
            default: break
            }
            for property in level.children where holdsNSCache(property.value, depth: depth - 1) { return true }
            mirror = level.superclassMirror
        }
        return false
    }
}

private protocol NSCacheOfAnything {}
extension NSCache: NSCacheOfAnything {}
