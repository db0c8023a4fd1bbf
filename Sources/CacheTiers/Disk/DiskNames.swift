import Basics

/// The names that the keys of a trace have in each layout. The indexes of many replays share them.
public final class DiskNames: Sendable {
    /// By ``DiskKey/index``.
    let keys: [String]
    private let hasThumbnails: Bool
    let areDistinct: Bool
    private let known = Locked<[DiskLayout: NumberedNames]>([:])

    /// - Parameters:
    ///   - keys: The keys, by ``DiskKey/index``.
    ///   - hasThumbnails: Whether the names of thumbnails are made too. An index makes those that it needs otherwise.
    ///   - areDistinct: Whether the keys are known to differ from each other.
    public init(_ keys: [String], hasThumbnails: Bool, areDistinct: Bool = false) {
        self.keys = keys
        self.hasThumbnails = hasThumbnails
        self.areDistinct = areDistinct
    }

    /// Returns two names for each key: one for its thumbnail and one for its full image; nil for a name that was not
    /// made, or cannot be a file name.
    package func names(in layout: DiskLayout) -> [DiskName?] {
        numberedNames(in: layout).names
    }

    /// Returns the same names with their numbers.
    func numberedNames(in layout: DiskLayout) -> NumberedNames {
        known.withLock { known in
            if let names = known[layout] { return names }
            let names = NumberedNames(keys, layout, hasThumbnails: hasThumbnails, areDistinct: areDistinct)
            known[layout] = names
            return names
        }
    }
}

/// The names of keys in one layout, two for each key, with numbers, by which a table of files finds them without
/// hashing.
///
/// To make a name takes a digest of its key, which is longer than everything else that an index does with the key. In a
/// layout in which different keys have different names, the numbers need no names, and all names are made when the
/// first one is asked for.
final class NumberedNames: Sendable {
    /// The number of each name: the place of the first name that equals it; -1 without a name.
    let ids: [Int32]
    /// Empty if numbers need no names.
    private let known: [DiskName?]
    private let make: @Sendable () -> [DiskName?]
    private let made = Locked<[DiskName?]>([])

    init(_ keys: [String], _ layout: DiskLayout, hasThumbnails: Bool, areDistinct: Bool) {
        let places = 0..<Int32(keys.count * 2)
        @Sendable func isMade(_ place: Int32) -> Bool { hasThumbnails || place % 2 == 1 }
        make = {
            places.map { isMade($0) ? layout.name(of: keys[Int($0 / 2)], variant: UInt8($0 % 2)) : nil }
        }
        guard !areDistinct || layout.spellsNames else {
            ids = places.map { isMade($0) ? $0 : -1 }
            known = []
            return
        }
        known = make()
        var first: [DiskName: Int32] = Dictionary(minimumCapacity: known.count)
        ids = zip(places, known).map { place, name in
            guard let name else { return -1 }
            if let known = first[name] { return known }
            first[name] = place
            return place
        }
    }

    /// All names, by their places; nil where there is none.
    var names: [DiskName?] {
        guard known.isEmpty else { return known }
        return made.withLock { made in
            if made.isEmpty { made = make() }
            return made
        }
    }

    /// Returns a stand-in for the name with a number in a table of files: the name if it is known, or else one that is
    /// cheaper to make and to copy.
    func standIn(_ id: Int32) -> DiskName {
        let name = known.isEmpty ? nil : known[Int(id)]
        return name ?? DiskName(number: id)
    }
}
