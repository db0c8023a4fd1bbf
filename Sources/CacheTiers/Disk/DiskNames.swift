import Synchronization

/// The names that the keys of a trace have in each layout.
///
/// The indexes of many replays share them. To make a name takes a digest of its key, which is longer than everything
/// else that an index does with the key.
public final class DiskNames: Sendable {
    private let keys: [String]
    private let names = Mutex<[DiskLayout: [DiskName?]]>([:])

    /// - Parameter keys: The keys, by ``DiskKey/index``.
    public init(_ keys: [String]) { self.keys = keys }

    /// Returns two names for each key: that of its thumbnail and that of its full image; nil for a key whose name
    /// cannot be a file name.
    func names(in layout: DiskLayout) -> [DiskName?] {
        names.withLock { names in
            if let known = names[layout] { return known }
            let made = keys.flatMap { key in (0...1).map { layout.name(of: key, variant: $0) } }
            names[layout] = made
            return made
        }
    }
}
