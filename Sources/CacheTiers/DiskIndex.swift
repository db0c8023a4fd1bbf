import CachePolicies

/// The book-keeping of a disk tier without its files: which object has which file, how long it is, and what its modification
/// date says. Used alone by modelled replays, and by ``DiskTier`` beside real files: both do the same, also over a relaunch.
///
/// Times are microseconds on the replay's axis. Not safe under concurrent use.
public struct DiskIndex {
    private var ledger: TierLedger
    private let usesTime: Bool
    /// Key to number, for thumbnails and for full images.
    private var numbers: [[String: Int]] = [[:], [:]]
    /// After a relaunch the files are known, but not their keys: those are recognised by name as they are asked for.
    private var numbersByName: [DiskName: Int] = [:]
    private var files: [DiskFile] = []
    /// Names whose file has left the tier since they were last taken.
    private var departed: [DiskName] = []

    public init(_ policy: any CachePolicy) {
        ledger = TierLedger(policy)
        usesTime = type(of: policy).usesTime
    }

    public var occupancy: Occupancy { ledger.occupancy }

    public var counts: TierCounts { ledger.counts }

    /// Whether the object is held. Unlike a lookup, this is no access.
    public func contains(_ key: String, variant: UInt8 = 1) -> Bool {
        let variant = min(variant, 1)
        guard let number = numbers[Int(variant)][key] ?? numbersByName[DiskName(key: key, variant: variant)] else {
            return false
        }
        return files[number].isHeld
    }

    /// Is the object there? Counts as an access.
    public mutating func lookup(_ key: String, variant: UInt8 = 1, at time: Int64) -> Lookup {
        defer { forgetDeparted() }
        return find(key, variant: variant, at: time).found
    }

    /// The object has been fetched; returns whether it is held in the end.
    public mutating func admit(_ key: String, size: Int, variant: UInt8 = 1, at time: Int64) -> Bool {
        defer { forgetDeparted() }
        return admit(name(key, variant: variant), size: size, at: time).isHeld
    }

    /// Lets the policy's timers run.
    public mutating func advance(to time: Int64) {
        passTime(to: time)
        forgetDeparted()
    }

    /// Removes what has expired, whether or not a timer is due.
    public mutating func removeExpired(at time: Int64) {
        expire(at: time)
        forgetDeparted()
    }

    public mutating func removeAll() {
        ledger.removeAll()
        for number in files.indices { files[number].isHeld = false }
    }

    /// The app ends and starts again: what is known is what the files tell.
    public mutating func relaunch(at time: Int64) {
        rebuild(from: files.filter(\.isHeld), at: time)
        forgetDeparted()
    }
}

/// One file, as the index knows it.
struct DiskFile {
    var name: DiskName
    /// Bytes of payload.
    var size = 0
    /// The modification date: when the object expires, or where it never does, when it was stored.
    var date: Int64 = 0
    var isHeld = false

    /// A hundred years on: file systems have no room for a lifetime without end.
    static let latestDate: Int64 = 100 * 365 * 86_400 * 1_000_000
}

// What the disk tier needs beyond that: the file of an object, and whose file is to go.
extension DiskIndex {
    /// `redated`: the access has moved the object's expiration, which is to be written to the file.
    mutating func find(
        _ key: String, variant: UInt8, at time: Int64
    ) -> (found: Lookup, file: DiskFile, redated: Bool) {
        let number = number(key, variant: variant)
        passTime(to: time)
        let file = files[number]
        let found = ledger.lookup(Access(object: number, size: file.size, time: time, variant: file.name.variant))
        noteDeparted()
        guard found.isHit, let expiration = ledger.expiration(of: number) else { return (found, file, false) }
        files[number].date = min(expiration, DiskFile.latestDate)
        return (found, files[number], files[number].date != file.date)
    }

    mutating func admit(_ name: DiskName, size: Int, at time: Int64) -> DiskFile {
        let number = number(name)
        passTime(to: time)
        let kept = ledger.admit(Access(object: number, size: size, time: time, variant: name.variant))
        noteDeparted()
        if kept {
            files[number].size = size
            files[number].date = min(ledger.expiration(of: number) ?? time, DiskFile.latestDate)
            files[number].isHeld = true
        } else {
            depart(number)
        }
        return files[number]
    }

    mutating func passTime(to time: Int64) {
        guard usesTime else { return }
        ledger.advance(to: time)
        noteDeparted()
    }

    mutating func expire(at time: Int64) {
        ledger.removeExpired(at: time)
        noteDeparted()
    }

    /// Starts anew with these files, those that leave first in front. Numbers and keys are forgotten, as by an app that has ended.
    mutating func rebuild(from found: [DiskFile], at time: Int64) {
        ledger.removeAll()
        numbers = [[:], [:]]
        numbersByName.removeAll(keepingCapacity: true)
        files.removeAll(keepingCapacity: true)
        for file in found.sorted(by: { ($0.date, $0.name) < ($1.date, $1.name) }) {
            let number = number(file.name)
            files[number] = file
            files[number].isHeld = true
            let access = Access(object: number, size: file.size, time: time, variant: file.name.variant)
            let kept = ledger.restore(access, expiration: file.date)
            noteDeparted()
            if !kept { depart(number) }
        }
    }

    /// For a file that is gone or damaged: neither an eviction nor an expiration.
    mutating func lose(_ name: DiskName) {
        guard let number = numbersByName[name] else { return }
        ledger.remove(number)
        files[number].isHeld = false
    }

    /// nil where it is not held.
    func file(_ name: DiskName) -> DiskFile? {
        guard let number = numbersByName[name], files[number].isHeld else { return nil }
        return files[number]
    }

    mutating func name(_ key: String, variant: UInt8) -> DiskName { files[number(key, variant: variant)].name }

    mutating func takeDeparted() -> [DiskName] {
        guard !departed.isEmpty else { return [] }
        defer { departed = [] }
        return departed
    }

    private mutating func forgetDeparted() {
        if !departed.isEmpty { departed.removeAll(keepingCapacity: true) }
    }

    private mutating func noteDeparted() {
        ledger.drainVictims { number in
            guard files[number].isHeld else { return }
            files[number].isHeld = false
            departed.append(files[number].name)
        }
    }

    private mutating func depart(_ number: Int) {
        guard files[number].isHeld else { return }
        files[number].isHeld = false
        departed.append(files[number].name)
    }

    private mutating func number(_ key: String, variant: UInt8) -> Int {
        let variant = min(variant, 1)
        if let number = numbers[Int(variant)][key] { return number }
        let number = number(DiskName(key: key, variant: variant))
        numbers[Int(variant)][key] = number
        return number
    }

    private mutating func number(_ name: DiskName) -> Int {
        if let number = numbersByName[name] { return number }
        numbersByName[name] = files.count
        files.append(DiskFile(name: name))
        return files.count - 1
    }
}
