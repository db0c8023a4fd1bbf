import CachePolicies
import CacheTiers
import Foundation
import Synchronization

/// Payloads on disk, bounded by a policy: one file per object, named and placed by a `DiskLayout`, or rows of a
/// database. Survives a restart. Safe under concurrent use.
///
/// A file is written under a temporary name and renamed, ends in a checksum that each read verifies, and has as its
/// modification date the time at which its object expires (or was stored, if the policy lets nothing expire). A file
/// that is missing, short or damaged counts as a miss and is removed. A `DiskFormat` can change some of this.
///
/// A folder that another layout or version has written is an error. A damaged database is removed with all its objects,
/// and a new one is created. Objects whose names cannot be file names are not stored, and counted.
///
/// Times are microseconds since `epoch`.
public final class DiskTier: Sendable {
    private let disk: any DiskStore
    private let format: DiskFormat
    private let index: Mutex<DiskIndex>
    /// A change of a file holds the lock of its name from the decision in the index until the file agrees with it. The
    /// lock is always taken before the lock of the index.
    private let stripes: [Stripe]
    private let readBytes = Atomic(0)
    private let writtenBytes = Atomic(0)
    private let corruptFiles = Atomic(0)

    private final class Stripe: Sendable {
        let lock = Mutex(())
    }

    /// Creates the folder, or opens an existing one with the objects in it, as of `time`.
    ///
    /// If `format` has dates in whole seconds, `epoch` is rounded down to a whole second.
    public convenience init(
        _ policy: sending any CachePolicy, at path: String, format: DiskFormat = DiskFormat(),
        entryRule: EntryRule? = nil, epoch: Date, time: Int64 = 0
    ) throws {
        try self.init(
            DiskIndex(policy, format: format, entryRule: entryRule), at: path, format: format, epoch: epoch, time: time,
            calls: FileCalls())
    }

    /// `calls` makes the calls of the operating system; tests add faults to it.
    init(
        _ index: sending DiskIndex, at path: String, format: DiskFormat, epoch: Date, time: Int64, calls: FileCalls
    ) throws {
        // A year far beyond every file system's becomes the last one that has room.
        var microseconds = Int64(max(-4e18, min(4e18, (epoch.timeIntervalSince1970 * 1e6).rounded())))
        if DiskDates(format).needsWholeEpoch { microseconds = DiskDates.roundedDown(microseconds) }
        disk = try format.layout.store.init(at: path, format: format, epoch: microseconds, calls: calls)
        self.format = format
        self.index = Mutex(index)
        stripes = (0..<16).map { _ in Stripe() }
        try relaunch(at: time)
    }

    /// Creates a tier with the default format of a layout.
    public convenience init(
        _ policy: sending any CachePolicy, at path: String, layout: DiskLayout, epoch: Date, time: Int64 = 0
    ) throws {
        try self.init(policy, at: path, format: DiskFormat(layout: layout), epoch: epoch, time: time)
    }

    /// Returns the payload of an object, or nil if the tier does not hold it or it has expired; counts as an access.
    public func read(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) throws -> DiskRead? {
        try recovering(or: nil) { try readSound(key, variant, time) }
    }

    private func readSound(_ key: String, _ variant: UInt8, _ time: Int64) throws -> DiskRead? {
        let (found, file, redated, departed) = index.withLock { index in
            let (found, file, redated) = index.find(DiskKey(key), variant: variant, at: time)
            return (found, file, redated, index.files.takeDeparted())
        }
        try remove(departed)
        guard found.isHit, let file else { return nil }
        guard let payload = try disk.read(file, settingDates: redated) ?? readAgain(file.name) else {
            guard format.keepsDamaged, index.withLock({ $0.files.file(file.name) }) != nil else { return nil }
            return DiskRead(payload: Payload(count: 0) { _ in }, isStale: found == .staleHit, isDamaged: true)
        }
        readBytes.wrappingAdd(payload.count, ordering: .relaxed)
        return DiskRead(payload: payload, isStale: found == .staleHit)
    }

    /// Counts an access to an object without reading it: renews its place and its dates.
    public func touch(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) throws {
        try recovering(or: ()) {
            let (found, file, redated, departed) = index.withLock { index in
                let (found, file, redated) = index.find(DiskKey(key), variant: variant, at: time)
                return (found, file, redated, index.files.takeDeparted())
            }
            try remove(departed)
            guard found.isHit, redated, let file else { return }
            try stripe(file.name).lock.withLock { _ in
                if let current = index.withLock({ $0.files.file(file.name) }) { try disk.date(current) }
            }
        }
    }

    /// Removes an object that the app no longer wants. An object that is not held is not an error.
    public func remove(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) throws {
        try recovering(or: ()) {
            guard let name = index.withLock({ $0.name(DiskKey(key), variant: variant) }) else { return }
            let departed = index.withLock { index in
                index.files.passTime(to: time)
                return index.files.takeDeparted()
            }
            try remove(departed)
            try stripe(name).lock.withLock { _ in
                index.withLock { $0.files.remove(name) }
                try disk.remove(name)
            }
        }
    }

    /// Stores the payload; returns whether the policy keeps it. If writing fails, the tier does not hold the object,
    /// nor an older one of its key, and the files of the objects that the policy evicted for it are removed
    /// nevertheless. If only the removal of such a file fails, the tier holds the object, and that error is thrown.
    /// `expiration` replaces the policy's own expiration time, for policies with lifetimes.
    @discardableResult
    public func store(
        _ key: String, _ payload: Payload, variant: UInt8 = 1, at time: Int64 = 0, expiration: Int64? = nil
    ) throws -> Bool {
        let isIgnored = index.withLock { index in
            let isIgnored = index.ignores(size: payload.count)
            if isIgnored { index.noteIgnored(DiskKey(key), variant: variant) }
            return isIgnored
        }
        if isIgnored { return contains(key, variant: variant) }
        // A database that was found damaged is empty then, and the second attempt stores the object.
        return try recovering(or: nil) { try storeSound(key, payload, variant, time, expiration) }
            ?? recovering(or: false) { try storeSound(key, payload, variant, time, expiration) }
    }

    private func storeSound(_ key: String, _ payload: Payload, _ variant: UInt8, _ time: Int64, _ expiration: Int64?)
        throws -> Bool
    {
        guard let name = index.withLock({ $0.name(DiskKey(key), variant: variant) }) else {
            try remove(
                index.withLock { index in
                    index.refuse(at: time)
                    return index.files.takeDeparted()
                })
            return false
        }
        let (stored, departed) = stripe(name).lock.withLock { _ -> (Result<Bool, any Error>, [DiskName]) in
            let (file, departed) = index.withLock { index in
                let number = index.files.number(name)
                _ = index.files.admit(number, size: payload.count, at: time, expiration: expiration)
                return (index.files[number], index.files.takeDeparted())
            }
            guard file.isHeld else { return (.success(false), departed) }
            do {
                try disk.write(file, payload)
                return (.success(true), departed)
            } catch {
                index.withLock { $0.files.lose(name) }
                try? disk.remove(name)  // An older file of this name. The first error is the one to report.
                return (.failure(error), departed)
            }
        }
        guard case .success(let isKept) = stored else {
            try? remove(departed)
            return try stored.get()
        }
        if isKept { writtenBytes.wrappingAdd(payload.count, ordering: .relaxed) }
        try remove(departed)
        return isKept
    }

    /// Whether the object is held. Unlike a read, this does not count as an access.
    public func contains(_ key: String, variant: UInt8 = 1) -> Bool {
        index.withLock { $0.contains(DiskKey(key), variant: variant) }
    }

    /// Lets the policy's timers run up to `time`.
    public func advance(to time: Int64) throws {
        let departed = index.withLock { index in
            index.files.passTime(to: time)
            return index.files.takeDeparted()
        }
        try recovering(or: ()) { try remove(departed) }
    }

    /// Removes what has expired by `time`, whether or not a timer is due.
    public func removeExpired(at time: Int64) throws {
        let departed = index.withLock { index in
            index.files.removeExpired(at: time)
            return index.files.takeDeparted()
        }
        try recovering(or: ()) { try remove(departed) }
    }

    public func removeAll() throws {
        try withAllStripes {
            index.withLock { $0.removeAll() }
            try disk.removeAll()
        }
    }

    /// The app ends and starts again: the index is rebuilt from the files on disk, in the order of their modification
    /// dates and names, or of the access dates that the `DiskFormat` keeps. Leftover temporary files are removed;
    /// files that the tier has not written are left alone.
    public func relaunch(at time: Int64) throws {
        try recovering(or: ()) {
            try withAllStripes {
                let files = try disk.scan()
                let departed = index.withLock { index in
                    index.rebuild(from: files, at: time)
                    return index.files.takeDeparted()
                }
                try departed.forEachDespiteErrors(disk.remove)
            }
        }
    }

    /// Records from now on why objects are not held. `objects` is the number of objects that are expected.
    public func startJournal(objects: Int) {
        index.withLock { $0.journal = TierJournal(objects: objects) }
    }

    /// Calls `body` with the journal, under the lock of the index. Returns nil if there is no journal.
    public func withJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        index.withLock { $0.journal.map(body) }
    }

    public var occupancy: Occupancy { index.withLock { $0.occupancy } }

    public var figures: DiskFigures {
        let (held, counts, unwritable) = index.withLock { ($0.occupancy.bytes, $0.counts, $0.unwritable) }
        return DiskFigures(
            heldBytes: held, counts: counts, readBytes: readBytes.load(ordering: .relaxed),
            writtenBytes: writtenBytes.load(ordering: .relaxed), corruptFiles: corruptFiles.load(ordering: .relaxed),
            unwritable: unwritable, wipes: disk.wipes)
    }

    /// Runs the body. If the store is found damaged, starts it anew, without objects, and returns `empty`.
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

    /// Reads a file again that could not be read: it was replaced or evicted during the first read, or it is damaged.
    /// While the lock of its name is held, index and file agree, so that a second failure means damage.
    private func readAgain(_ name: DiskName) throws -> Payload? {
        try stripe(name).lock.withLock { _ -> Payload? in
            guard let file = index.withLock({ $0.files.file(name) }) else { return nil }
            if let payload = try disk.read(file, settingDates: false) { return payload }
            corruptFiles.wrappingAdd(1, ordering: .relaxed)
            if format.keepsDamaged, disk.exists(name) { return nil }
            index.withLock { $0.files.lose(name) }
            try disk.remove(name)
            return nil
        }
    }

    /// Removes files that have left the index, unless it holds them again by now. Continues after a failure, and then
    /// throws the first one.
    private func remove(_ departed: [DiskName]) throws {
        try departed.forEachDespiteErrors { name in
            try stripe(name).lock.withLock { _ in
                if index.withLock({ $0.files.file(name) }) == nil { try disk.remove(name) }
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
    /// Whether the object has expired, and is delivered nevertheless.
    public var isStale: Bool
    /// Whether the file is damaged and its format keeps such files (`DiskFormat.keepsDamaged`). The payload is empty.
    public var isDamaged = false
}

/// The counts of a disk tier since it was created.
public struct DiskFigures: Sendable, Equatable {
    /// Bytes of payload held now.
    public var heldBytes: Int
    /// Evictions, expirations, and the most bytes held at once.
    public var counts: TierCounts
    /// Bytes of payload delivered.
    public var readBytes: Int
    /// Bytes of payload of objects that were kept.
    public var writtenBytes: Int
    /// Reads that found a file, or a row of a database, missing, short or damaged.
    public var corruptFiles: Int
    /// Attempts to store an object whose name cannot be a file name: it is empty, too long, or reserved.
    public var unwritable: Int
    /// How often a damaged database was removed, with all its objects.
    public var wipes: Int
}
