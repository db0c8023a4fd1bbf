import CachePolicies
import Foundation
import Synchronization

/// Payloads as files, bounded by a policy: one file per object, named by the MD5 of its key, in 256 subfolders. Survives a
/// restart. Safe under concurrent use.
///
/// A file is written under a temporary name and renamed, ends in a checksum that each read verifies, and has as its modification
/// date the moment at which its object expires (where the policy lets nothing expire: at which it was stored). A file that is
/// missing, short or damaged counts as a miss and is removed.
///
/// Times are microseconds since `epoch`.
public final class DiskTier: Sendable {
    private let folder: DiskFolder
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
    public init(_ policy: sending any CachePolicy, at path: String, epoch: Date, time: Int64 = 0) throws {
        folder = try DiskFolder(path, epoch: Int64((epoch.timeIntervalSince1970 * 1e6).rounded()) * 1000)
        index = Mutex(DiskIndex(policy))
        stripes = (0..<16).map { _ in Stripe() }
        try relaunch(at: time)
    }

    /// The payload under `key`, if it is there and fit to be delivered; counts as an access.
    public func read(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) throws -> DiskRead? {
        let (found, file, redated, departed) = index.withLock { index in
            let (found, file, redated) = index.find(key, variant: variant, at: time)
            return (found, file, redated, index.takeDeparted())
        }
        try remove(departed)
        guard found.isHit, let payload = try folder.read(file, settingDate: redated) ?? readAgain(file.name) else {
            return nil
        }
        readBytes.wrappingAdd(payload.count, ordering: .relaxed)
        return DiskRead(payload: payload, isStale: found == .staleHit)
    }

    /// Stores the payload; returns whether the policy keeps it. Where that fails, the tier does not hold the object.
    @discardableResult
    public func store(_ key: String, _ payload: Payload, variant: UInt8 = 1, at time: Int64 = 0) throws -> Bool {
        let name = index.withLock { $0.name(key, variant: variant) }
        let (isKept, departed) = try stripe(name).lock.withLock { _ in
            let (file, departed) = index.withLock { index in
                (index.admit(name, size: payload.count, at: time), index.takeDeparted())
            }
            guard file.isHeld else { return (false, departed) }
            do {
                try folder.write(file, payload)
            } catch {
                index.withLock { $0.lose(name) }
                try? folder.remove(name)  // An older file of this name; the first error is the one to tell.
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
        try remove(
            index.withLock { index in
                index.passTime(to: time)
                return index.takeDeparted()
            })
    }

    /// Removes what has expired by `time`, whether or not a timer is due.
    public func removeExpired(at time: Int64) throws {
        try remove(
            index.withLock { index in
                index.expire(at: time)
                return index.takeDeparted()
            })
    }

    public func removeAll() throws {
        try withAllStripes {
            index.withLock { $0.removeAll() }
            for file in try folder.scan() { try folder.remove(file.name) }
        }
    }

    /// The app ends and starts again: the index is rebuilt from the files, by modification date and then name. Leftover temporary
    /// files are removed; files that are none of the tier's are left alone.
    public func relaunch(at time: Int64) throws {
        try withAllStripes {
            let files = try folder.scan()
            let departed = index.withLock { index in
                index.rebuild(from: files, at: time)
                return index.takeDeparted()
            }
            for name in departed { try folder.remove(name) }
        }
    }

    public var occupancy: Occupancy { index.withLock { $0.occupancy } }

    public var figures: DiskFigures {
        let (held, counts) = index.withLock { ($0.occupancy.bytes, $0.counts) }
        return DiskFigures(
            heldBytes: held, counts: counts, readBytes: readBytes.load(ordering: .relaxed),
            writtenBytes: writtenBytes.load(ordering: .relaxed), corruptFiles: corruptFiles.load(ordering: .relaxed))
    }

    /// A read has failed: either the file was replaced or evicted at that moment, or it is really damaged. With the lock of its
    /// name held, index and file agree, and it is clear which.
    private func readAgain(_ name: DiskName) throws -> Payload? {
        try stripe(name).lock.withLock { _ -> Payload? in
            guard let file = index.withLock({ $0.file(name) }) else { return nil }
            if let payload = try folder.read(file, settingDate: false) { return payload }
            index.withLock { $0.lose(name) }
            corruptFiles.wrappingAdd(1, ordering: .relaxed)
            try folder.remove(name)
            return nil
        }
    }

    /// Removes files that the index has let go, unless it holds them again by now.
    private func remove(_ departed: [DiskName]) throws {
        for name in departed {
            try stripe(name).lock.withLock { _ in
                if index.withLock({ $0.file(name) }) == nil { try folder.remove(name) }
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
    /// Files that a read found missing, short or damaged.
    public var corruptFiles: Int
}
