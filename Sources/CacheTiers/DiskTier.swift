import CachePolicies
import Foundation
import Synchronization

/// Payloads on disk, bounded by a policy: one file per object, named and placed by a ``DiskLayout``, or rows of a
/// database. Survives a restart. Safe under concurrent use.
///
/// A file is written under a temporary name and renamed, ends in a checksum that each read verifies, and has as its
/// modification date the moment at which its object expires (where the policy lets nothing expire: at which it was
/// stored). A file that is missing, short or damaged counts as a miss and is removed. A ``DiskFormat`` can have some of
/// this otherwise.
///
/// A folder that another layout or version has written is refused. A database that is damaged is removed with all that
/// it held, and begun anew. Objects whose names no file can have are not stored, and counted.
///
/// Times are microseconds since `epoch`.
public final class DiskTier: Sendable {
    private let disk: any DiskStore
    private let format: DiskFormat
    private let index: Mutex<DiskIndex>
    /// Whoever changes a file holds the lock of its name from the decision in the index until the file agrees with it.
    /// Always taken before that of the index.
    private let stripes: [Stripe]
    private let readBytes = Atomic(0)
    private let writtenBytes = Atomic(0)
    private let corruptFiles = Atomic(0)

    private final class Stripe: Sendable {
        let lock = Mutex(())
    }

    /// Makes the folder, or takes up what it finds there as of `time`.
    ///
    /// Where `format` has dates in whole seconds, `epoch` is taken for the whole second before it.
    public init(
        _ policy: sending any CachePolicy, at path: String, format: DiskFormat = DiskFormat(),
        entryRule: EntryRule? = nil, epoch: Date,
        time: Int64 = 0
    ) throws {
        var microseconds = Int64((epoch.timeIntervalSince1970 * 1e6).rounded())
        if format.needsWholeEpoch { microseconds = DiskFormat.roundedDown(microseconds) }
        disk =
            format.layout == .sqlite
            ? try DiskDatabase(path, format: format, epoch: microseconds)
            : try DiskFolder(path, format: format, epoch: microseconds * 1000, claimedFor: format.layout)
        self.format = format
        index = Mutex(DiskIndex(policy, format: format, entryRule: entryRule))
        stripes = (0..<16).map { _ in Stripe() }
        try relaunch(at: time)
    }

    /// ``DiskFormat`` with this layout.
    public convenience init(
        _ policy: sending any CachePolicy, at path: String, layout: DiskLayout, epoch: Date, time: Int64 = 0
    ) throws {
        try self.init(policy, at: path, format: DiskFormat(layout: layout), epoch: epoch, time: time)
    }

    /// The payload under `key`, if it is there and fit to be delivered; counts as an access.
    public func read(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) throws -> DiskRead? {
        try recovering(or: nil) { try readSound(key, variant, time) }
    }

    private func readSound(_ key: String, _ variant: UInt8, _ time: Int64) throws -> DiskRead? {
        let (found, file, redated, departed) = index.withLock { index in
            let (found, file, redated) = index.find(key, variant: variant, at: time)
            return (found, file, redated, index.takeDeparted())
        }
        try remove(departed)
        guard found.isHit, let file else { return nil }
        guard let payload = try disk.read(file, settingDates: redated) ?? readAgain(file.name) else {
            guard format.keepsDamaged, index.withLock({ $0.file(file.name) }) != nil else { return nil }
            return DiskRead(payload: Payload(count: 0) { _ in }, isStale: found == .staleHit, isDamaged: true)
        }
        readBytes.wrappingAdd(payload.count, ordering: .relaxed)
        return DiskRead(payload: payload, isStale: found == .staleHit)
    }

    /// Stores the payload; returns whether the policy keeps it. Where that fails, the tier does not hold the object.
    /// `expiration`: when it expires in place of when the policy would have it expire, for policies with lifetimes.
    @discardableResult
    public func store(
        _ key: String, _ payload: Payload, variant: UInt8 = 1, at time: Int64 = 0, expiration: Int64? = nil
    ) throws -> Bool {
        if index.withLock({ $0.ignores(size: payload.count) }) { return contains(key, variant: variant) }
        // Found damaged, the database is empty then, and takes it.
        return try recovering(or: nil) { try storeSound(key, payload, variant, time, expiration) }
            ?? recovering(or: false) { try storeSound(key, payload, variant, time, expiration) }
    }

    private func storeSound(_ key: String, _ payload: Payload, _ variant: UInt8, _ time: Int64, _ expiration: Int64?)
        throws -> Bool
    {
        guard let name = index.withLock({ $0.name(key, variant: variant) }) else {
            try remove(
                index.withLock { index in
                    index.refuse(at: time)
                    return index.takeDeparted()
                })
            return false
        }
        let (isKept, departed) = try stripe(name).lock.withLock { _ in
            let (file, departed) = index.withLock { index in
                (index.admit(name, size: payload.count, at: time, expiration: expiration), index.takeDeparted())
            }
            guard file.isHeld else { return (false, departed) }
            do {
                try disk.write(file, payload)
            } catch {
                index.withLock { $0.lose(name) }
                try? disk.remove(name)  // An older file of this name; the first error is the one to tell.
                throw error
            }
            return (true, departed)
        }
        if isKept { writtenBytes.wrappingAdd(payload.count, ordering: .relaxed) }
        try remove(departed)
        return isKept
    }

    /// Whether the object is held. Unlike a read, this is no access.
    public func contains(_ key: String, variant: UInt8 = 1) -> Bool {
        index.withLock { $0.contains(key, variant: variant) }
    }

    /// Lets the policy's timers run up to `time`.
    public func advance(to time: Int64) throws {
        let departed = index.withLock { index in
            index.passTime(to: time)
            return index.takeDeparted()
        }
        try recovering(or: ()) { try remove(departed) }
    }

    /// Removes what has expired by `time`, whether or not a timer is due.
    public func removeExpired(at time: Int64) throws {
        let departed = index.withLock { index in
            index.expire(at: time)
            return index.takeDeparted()
        }
        try recovering(or: ()) { try remove(departed) }
    }

    public func removeAll() throws {
        try withAllStripes {
            index.withLock { $0.removeAll() }
            try disk.removeAll()
        }
    }

    /// The app ends and starts again: the index is rebuilt from what lies on disk, by modification date and then name,
    /// or by what the ``DiskFormat`` dates besides. Leftover temporary files are removed; files that are none of the
    /// tier's are left alone.
    public func relaunch(at time: Int64) throws {
        try recovering(or: ()) {
            try withAllStripes {
                let files = try disk.scan()
                let departed = index.withLock { index in
                    index.rebuild(from: files, at: time)
                    return index.takeDeparted()
                }
                for name in departed { try disk.remove(name) }
            }
        }
    }

    public var occupancy: Occupancy { index.withLock { $0.occupancy } }

    public var figures: DiskFigures {
        let (held, counts, unwritable) = index.withLock { ($0.occupancy.bytes, $0.counts, $0.unwritable) }
        return DiskFigures(
            heldBytes: held, counts: counts, readBytes: readBytes.load(ordering: .relaxed),
            writtenBytes: writtenBytes.load(ordering: .relaxed), corruptFiles: corruptFiles.load(ordering: .relaxed),
            unwritable: unwritable, wipes: disk.wipes)
    }

    /// A store that is damaged as a whole is begun anew, without objects; then the answer is `empty`.
    private func recovering<Result>(or empty: Result, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let damage as DiskStoreDamage {
            try withAllStripes {
                if try disk.recover(from: damage) { index.withLock { $0.removeAll() } }
            }
            return empty
        }
    }

    /// A read has failed: either the file was replaced or evicted at that moment, or it is really damaged. With the
    /// lock of its name held, index and file agree, and it is clear which.
    private func readAgain(_ name: DiskName) throws -> Payload? {
        try stripe(name).lock.withLock { _ -> Payload? in
            guard let file = index.withLock({ $0.file(name) }) else { return nil }
            if let payload = try disk.read(file, settingDates: false) { return payload }
            if format.keepsDamaged, disk.exists(name) { return nil }
            index.withLock { $0.lose(name) }
            corruptFiles.wrappingAdd(1, ordering: .relaxed)
            try disk.remove(name)
            return nil
        }
    }

    /// Removes files that the index has let go, unless it holds them again by now.
    private func remove(_ departed: [DiskName]) throws {
        for name in departed {
            try stripe(name).lock.withLock { _ in
                if index.withLock({ $0.file(name) }) == nil { try disk.remove(name) }
            }
        }
    }

    private func stripe(_ name: DiskName) -> Stripe { stripes[name.stripe % stripes.count] }

    private func withAllStripes(from first: Int = 0, _ body: () throws -> Void) throws {
        guard first < stripes.count else { return try body() }
        try stripes[first].lock.withLock { _ in try withAllStripes(from: first + 1, body) }
    }
}

public struct DiskRead: Sendable {
    public var payload: Payload
    /// Past its lifetime, and delivered all the same.
    public var isStale: Bool
    /// The file is damaged, and its format keeps such (``DiskFormat/keepsDamaged``): the payload is empty.
    public var isDamaged = false
}

/// What a disk tier has counted since it was made.
public struct DiskFigures: Sendable, Equatable {
    /// Bytes of payload held now.
    public var heldBytes: Int
    /// Evictions, expirations, and the most bytes held at once.
    public var counts: TierCounts
    /// Bytes of payload delivered.
    public var readBytes: Int
    /// Bytes of payload of objects that were kept.
    public var writtenBytes: Int
    /// Files, or rows of a database, that a read found missing, short or damaged.
    public var corruptFiles: Int
    /// Attempts to store an object whose name no file can have: it is empty, too long, or means something else to the
    /// system.
    public var unwritable: Int
    /// How often a damaged database was removed, with all that it held.
    public var wipes: Int
}
