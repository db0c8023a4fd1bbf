/// What a disk tier writes, and what of it a restart finds again.
public struct DiskFormat: Codable, Sendable, Equatable {
    public var layout: DiskLayout

    /// Whether each access is dated on disk too, so that a restart finds the objects in the order of their last access,
    /// and not of their modification dates. Written explicitly as the file's date of access, whatever the mount options
    /// say of it. (Kingfisher keeps it as the date of creation, which Linux cannot set.) `sqlite` always does so, in a
    /// column.
    public var keepsAccessDates: Bool

    /// Whether dates on disk are in whole seconds, rounded up, as Kingfisher's are. What the running policy knows stays
    /// exact: it is a restart that finds expirations and accesses moved by up to a second, and the accesses of one
    /// second in the order of their names.
    ///
    /// In `sqlite`, accesses are always in whole seconds, rounded down, and those of one second in the order of
    /// storing.
    public var wholeSeconds: Bool

    /// Whether a file appears whole or not at all: written under a temporary name, then renamed. Otherwise it is
    /// written in place, and an interrupted store leaves a torn file, which a later read finds out.
    public var atomicWrites: Bool

    /// Whether a file that is found damaged stays, and goes on being found, until it is stored anew or leaves.
    /// Otherwise it is removed, and is a miss.
    public var keepsDamaged: Bool

    public init(
        layout: DiskLayout = .md5Fanout, keepsAccessDates: Bool = false, wholeSeconds: Bool = false,
        atomicWrites: Bool = true,
        keepsDamaged: Bool = false
    ) {
        self.layout = layout
        self.keepsAccessDates = keepsAccessDates
        self.wholeSeconds = wholeSeconds
        self.atomicWrites = atomicWrites
        self.keepsDamaged = keepsDamaged
    }
}

// Dates as they will be found again: microseconds since an epoch that lies on a whole second where any date does.
extension DiskFormat {
    private static let second: Int64 = 1_000_000

    var datesAccesses: Bool { keepsAccessDates || layout == .sqlite }

    /// Whether any date is in whole seconds.
    var needsWholeEpoch: Bool { wholeSeconds || layout == .sqlite }

    func modificationDate(_ time: Int64) -> Int64 {
        let time = min(time, DiskFile.latestDate)
        return wholeSeconds ? Self.roundedUp(time) : time
    }

    func accessDate(_ time: Int64) -> Int64 {
        guard datesAccesses else { return 0 }
        let time = min(time, DiskFile.latestDate)
        if layout == .sqlite { return Self.roundedDown(time) }
        return wholeSeconds ? Self.roundedUp(time) : time
    }

    static func roundedDown(_ time: Int64) -> Int64 {
        let rest = time % second
        return rest < 0 ? time - rest - second : time - rest
    }

    private static func roundedUp(_ time: Int64) -> Int64 {
        let rest = time % second
        return rest > 0 ? time - rest + second : time - rest
    }
}
