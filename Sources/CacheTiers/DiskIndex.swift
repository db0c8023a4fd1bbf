import CachePolicies

/// The book-keeping of a disk tier without its files: which object has which file, how long it is, and what its dates
/// say. Used alone by modelled replays, and by ``DiskTier`` beside real files: both do the same, also over a relaunch.
///
/// Times are microseconds on the replay's axis. Not safe under concurrent use.
public struct DiskIndex {
    private var ledger: TierLedger
    private let usesTime: Bool
    private let format: DiskFormat
    /// Objects whose names no file can have, and which were therefore not stored; counted once for each attempt.
    public private(set) var unwritable = 0
    /// How many objects were stored so far.
    private var sequence: UInt64 = 0
    /// Key to number, for thumbnails and for full images; ``unnamed`` where no file can have the key's name.
    private var numbers: [[String: Int]] = [[:], [:]]
    /// After a relaunch the files are known, but not their keys: those are recognised by name as they are asked for.
    private var numbersByName: [DiskName: Int] = [:]
    private var files: [DiskFile] = []
    /// Names whose file has left the tier since they were last taken.
    private var departed: [DiskName] = []

    public init(_ policy: any CachePolicy, format: DiskFormat = DiskFormat(), entryRule: EntryRule? = nil) {
        ledger = TierLedger(policy, entryRule: entryRule)
        usesTime = type(of: policy).usesTime
        self.format = format
    }

    /// ``DiskFormat`` with this layout.
    public init(_ policy: any CachePolicy, layout: DiskLayout) {
        self.init(policy, format: DiskFormat(layout: layout))
    }

    public var occupancy: Occupancy { ledger.occupancy }

    public var counts: TierCounts { ledger.counts }

    /// Whether the object is held. Unlike a lookup, this is no access.
    public func contains(_ key: String, variant: UInt8 = 1) -> Bool {
        guard let number = knownNumber(key, variant: variant) else { return false }
        return files[number].isHeld
    }

    /// Whether what is held under the key's name was stored for another key, and is delivered all the same: never,
    /// unless the layout lets keys share files. For modelled replays; with real files, the payload tells.
    public func holdsAnother(_ key: String, variant: UInt8 = 1) -> Bool {
        guard format.layout.sharesFiles, let number = knownNumber(key, variant: variant), files[number].isHeld else {
            return false
        }
        return files[number].tag != Self.tag(key)
    }

    /// Is the object there? Counts as an access.
    public mutating func lookup(_ key: String, variant: UInt8 = 1, at time: Int64) -> Lookup {
        defer { forgetDeparted() }
        let number = number(key, variant: variant)
        passTime(to: time)
        return number == Self.unnamed ? .miss : access(number, at: time).found
    }

    /// Whether storing an object of this size changes nothing at all, what is held under its name included.
    public func ignores(size: Int) -> Bool { ledger.ignores(cost: size) }

    /// The object has been fetched, and is not to be ignored; returns whether it is held in the end. `expiration`: when
    /// it expires in place of when the policy would have it expire.
    public mutating func admit(_ key: String, size: Int, variant: UInt8 = 1, at time: Int64, expiration: Int64? = nil)
        -> Bool
    {
        defer { forgetDeparted() }
        guard let name = name(key, variant: variant) else {
            refuse(at: time)
            return false
        }
        let isHeld = admit(name, size: size, at: time, expiration: expiration).isHeld
        if isHeld, format.layout.sharesFiles { files[number(name)].tag = Self.tag(key) }
        return isHeld
    }

    /// For a file that is gone or damaged: neither an eviction nor an expiration.
    public mutating func lose(_ key: String, variant: UInt8 = 1) {
        if let name = name(key, variant: variant) { lose(name) }
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

/// One file, as the index knows it. 64 bytes: an index may hold many.
struct DiskFile {
    var name: DiskName
    var isHeld = false
    /// Bytes of payload.
    var size = 0
    /// The modification date: when the object expires, or where it never does, when it was stored.
    var date: Int64 = 0
    /// The date of the last access; 0 where the format dates none.
    var accessed: Int64 = 0
    /// In a database, rises with each store. Where keys share files and the index is used alone, tells for which key it
    /// was written.
    var tag: UInt64 = 0

    /// A hundred years on: file systems have no room for a lifetime without end.
    static let latestDate: Int64 = 100 * 365 * 86_400 * 1_000_000
}

// What the disk tier needs beyond that: the file of an object, and whose file is to go.
extension DiskIndex {
    /// `redated`: the access has moved one of the object's dates, which are to be written. The file is nil where no
    /// file can have the name.
    mutating func find(
        _ key: String, variant: UInt8, at time: Int64
    ) -> (found: Lookup, file: DiskFile?, redated: Bool) {
        let number = number(key, variant: variant)
        passTime(to: time)
        guard number != Self.unnamed else { return (.miss, nil, false) }
        let (found, redated) = access(number, at: time)
        return (found, files[number], redated)
    }

    /// For an object whose name no file can have.
    mutating func refuse(at time: Int64) {
        unwritable += 1
        passTime(to: time)
    }

    private mutating func access(_ number: Int, at time: Int64) -> (found: Lookup, redated: Bool) {
        let found = ledger.lookup(
            Access(object: number, size: files[number].size, time: time, variant: files[number].name.variant))
        noteDeparted()
        guard found.isHit else { return (found, false) }
        // A database is written to at each access, as YYCache does, be it the same second.
        var redated = format.layout == .sqlite
        if let expiration = ledger.expiration(of: number) {
            let date = format.modificationDate(expiration)
            if files[number].date != date { redated = true }
            files[number].date = date
        }
        if format.datesAccesses {
            let accessed = format.accessDate(time)
            if files[number].accessed != accessed { redated = true }
            files[number].accessed = accessed
        }
        return (found, redated)
    }

    mutating func admit(_ name: DiskName, size: Int, at time: Int64, expiration: Int64?) -> DiskFile {
        let number = number(name)
        passTime(to: time)
        let kept = ledger.admit(
            Access(object: number, size: size, time: time, variant: name.variant), expiration: expiration)
        noteDeparted()
        if kept {
            files[number].size = size
            files[number].date = format.modificationDate(ledger.expiration(of: number) ?? time)
            files[number].accessed = format.accessDate(time)
            files[number].tag = sequence
            files[number].isHeld = true
            sequence += 1
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

    /// Starts anew with these files, those that leave first in front. Numbers and keys are forgotten, as by an app that
    /// has ended.
    mutating func rebuild(from found: [DiskFile], at time: Int64) {
        ledger.removeAll()
        numbers = [[:], [:]]
        numbersByName.removeAll(keepingCapacity: true)
        files.removeAll(keepingCapacity: true)
        for file in found.sorted(by: leavesBefore) {
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

    /// nil where no file can have it.
    mutating func name(_ key: String, variant: UInt8) -> DiskName? {
        let number = number(key, variant: variant)
        return number == Self.unnamed ? nil : files[number].name
    }

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

    /// What the files themselves tell of their order.
    private func leavesBefore(_ one: DiskFile, _ other: DiskFile) -> Bool {
        if format.layout == .sqlite { return (one.accessed, one.tag) < (other.accessed, other.tag) }
        if format.datesAccesses { return (one.accessed, one.name) < (other.accessed, other.name) }
        return (one.date, one.name) < (other.date, other.name)
    }

    private static let unnamed = -1

    private static func tag(_ key: String) -> UInt64 { DiskName(key: key, variant: 1).hash }

    private func knownNumber(_ key: String, variant: UInt8) -> Int? {
        let variant = min(variant, 1)
        let number =
            numbers[Int(variant)][key] ?? format.layout.name(of: key, variant: variant).flatMap { numbersByName[$0] }
        return number == Self.unnamed ? nil : number
    }

    private mutating func number(_ key: String, variant: UInt8) -> Int {
        let variant = min(variant, 1)
        if let number = numbers[Int(variant)][key] { return number }
        let found = if let name = format.layout.name(of: key, variant: variant) { number(name) } else { Self.unnamed }
        numbers[Int(variant)][key] = found
        return found
    }

    private mutating func number(_ name: DiskName) -> Int {
        if let number = numbersByName[name] { return number }
        numbersByName[name] = files.count
        files.append(DiskFile(name: name))
        return files.count - 1
    }
}
