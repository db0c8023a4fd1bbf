/// The content that a disk tier writes, and the part of it that a restart finds again.
public struct DiskFormat: Codable, Sendable, Equatable {
    public var layout: DiskLayout

    /// Whether each access is dated on disk, so that a restart finds the objects in the order of their last access
    /// instead of their modification dates. The date is written explicitly as the file's access date, whatever the
    /// mount options are. (Kingfisher keeps it as the creation date, which Linux cannot set.) `sqlite` always dates
    /// accesses, in a column.
    public var keepsAccessDates: Bool

    /// Whether dates on disk are whole seconds, rounded up, as Kingfisher's are. The running policy keeps exact times:
    /// a restart finds expirations and accesses moved by up to a second, and the accesses of one second in the order of
    /// their names.
    ///
    /// In `sqlite`, access dates are always whole seconds, rounded down, and files of one second are in the order of
    /// storing.
    public var wholeSeconds: Bool

    /// Whether a file under its final name is always complete: written under a temporary name, then renamed. Otherwise
    /// it is written in place, and an interrupted store leaves a torn file, which a later read detects.
    public var atomicWrites: Bool

    /// Whether a damaged file stays, and is found damaged by each read, until its object is stored again or leaves.
    /// Otherwise it is removed, and the read is a miss.
    public var keepsDamaged: Bool

    /// The bytes that a file has besides the payload, such as an archive's structure. They count against the policy's
    /// limits, and are not written.
    public var overhead: Int

    /// The unit, in bytes, in which the policy counts file sizes, rounded up: the blocks of a file system. nil: bytes.
    public var block: Int?

    public init(
        layout: DiskLayout = .md5Fanout, keepsAccessDates: Bool = false, wholeSeconds: Bool = false,
        atomicWrites: Bool = true, keepsDamaged: Bool = false, overhead: Int = 0
    ) {
        self.layout = layout
        self.keepsAccessDates = keepsAccessDates
        self.wholeSeconds = wholeSeconds
        self.atomicWrites = atomicWrites
        self.keepsDamaged = keepsDamaged
        self.overhead = overhead
    }

    /// Returns the bytes that the policy counts for a payload: with the overhead, in whole blocks.
    public func counted(_ payload: Int) -> Int {
        let (size, overflow) = payload.addingReportingOverflow(overhead)
        guard !overflow, let block, block > 1, size % block > 0 else { return overflow ? payload : size }
        let (whole, tooLarge) = size.addingReportingOverflow(block - size % block)
        return tooLarge ? size : whole
    }
}

/// The dates that a disk tier writes, as a restart finds them: microseconds since an epoch, which is a whole second if
/// any date is.
package struct DiskDates {
    /// Whether accesses are dated at all.
    package let datesAccesses: Bool
    /// Whether any date is in whole seconds.
    package let needsWholeEpoch: Bool
    private let wholeSeconds: Bool
    private let accessesInSeconds: Bool

    package init(_ format: DiskFormat) {
        let store = format.layout.storeTraits
        datesAccesses = format.keepsAccessDates || store.writesEachAccess
        needsWholeEpoch = format.wholeSeconds || store.datesAccessesInSeconds
        wholeSeconds = format.wholeSeconds
        accessesInSeconds = store.datesAccessesInSeconds
    }

    package func modificationDate(_ time: Int64) -> Int64 {
        let time = min(time, DiskFile.latestDate)
        return wholeSeconds ? Self.roundedUp(time) : time
    }

    /// 0 if accesses are not dated.
    package func accessDate(_ time: Int64) -> Int64 {
        guard datesAccesses else { return 0 }
        let time = min(time, DiskFile.latestDate)
        if accessesInSeconds { return Self.roundedDown(time) }
        return wholeSeconds ? Self.roundedUp(time) : time
    }

    private static let second: Int64 = 1_000_000

    /// Rounds down to a whole second.
    package static func roundedDown(_ time: Int64) -> Int64 {
        let rest = time % second
        return rest < 0 ? time - rest - second : time - rest
    }

    private static func roundedUp(_ time: Int64) -> Int64 {
        let rest = time % second
        return rest > 0 ? time - rest + second : time - rest
    }
}
