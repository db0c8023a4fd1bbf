import Basics

/// The names that the keys of a trace have in each layout.
///
/// The indexes of many replays share them. To make a name takes a digest of its key, which is longer than everything
/// else that an index does with the key.
public final class DiskNames: Sendable {
    /// By ``DiskKey/index``.
    let keys: [String]
    private let hasThumbnails: Bool
    private let known = Locked<[DiskLayout: NumberedNames]>([:])

    /// - Parameters:
    ///   - keys: The keys, by ``DiskKey/index``.
    ///   - hasThumbnails: Whether the names of thumbnails are made too. An index makes those that it needs otherwise.
    public init(_ keys: [String], hasThumbnails: Bool) {
        self.keys = keys
        self.hasThumbnails = hasThumbnails
    }

    /// Returns two names for each key: that of its thumbnail and that of its full image; nil for a name that was not
    /// made, or cannot be a file name.
    package func names(in layout: DiskLayout) -> [DiskName?] { numberedNames(in: layout).names }

    /// Returns the same names with their numbers.
    func numberedNames(in layout: DiskLayout) -> NumberedNames {
        known.withLock { known in
            if let names = known[layout] { return names }
            var made: [DiskName?] = []
            made.reserveCapacity(keys.count * 2)
            for key in keys {
                made.append(hasThumbnails ? layout.name(of: key, variant: 0) : nil)
                made.append(layout.name(of: key, variant: 1))
            }
            let names = NumberedNames(made)
            known[layout] = names
            return names
        }
    }
}

/// Names with dense numbers, by which a table of files finds them without hashing.
struct NumberedNames: Sendable {
    let names: [DiskName?]
    /// In the same order: a number that equal names share, from 0; -1 for nil.
    let ids: [Int32]
    /// The number of different names.
    let count: Int

    init(_ names: [DiskName?]) {
        self.names = names
        var known: [DiskName: Int32] = Dictionary(minimumCapacity: names.count)
        ids = names.map { name in
            guard let name else { return -1 }
            let next = Int32(known.count)
            let id = known[name, default: next]
            if id == next { known[name] = next }
            return id
        }
        count = known.count
    }
}
