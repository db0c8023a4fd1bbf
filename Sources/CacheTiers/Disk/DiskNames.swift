import Basics

/// The names that the keys of a trace have in each layout.
///
/// The indexes of many replays share them. To make a name takes a digest of its key, which is longer than everything
/// else that an index does with the key.
public final class DiskNames: Sendable {
    private let keys: [String]
    private let hasThumbnails: Bool
    private let names = Locked<[DiskLayout: [DiskName?]]>([:])

    /// - Parameters:
    ///   - keys: The keys, by ``DiskKey/index``.
    ///   - hasThumbnails: Whether the names of thumbnails are made too. An index makes those that it needs otherwise.
    public init(_ keys: [String], hasThumbnails: Bool) {
        self.keys = keys
        self.hasThumbnails = hasThumbnails
    }

    /// Returns two names for each key: that of its thumbnail and that of its full image; nil for a name that was not
    /// made, or cannot be a file name.
    package func names(in layout: DiskLayout) -> [DiskName?] {
        names.withLock { names in
            if let known = names[layout] { return known }
            var made: [DiskName?] = []
            made.reserveCapacity(keys.count * 2)
            for key in keys {
                made.append(hasThumbnails ? layout.name(of: key, variant: 0) : nil)
                made.append(layout.name(of: key, variant: 1))
            }
            names[layout] = made
            return made
        }
    }
}
