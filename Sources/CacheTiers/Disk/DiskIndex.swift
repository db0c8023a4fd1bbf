import CachePolicies

/// The bookkeeping of a disk tier without its files, by key. Modelled replays use an index alone, `DiskTier` uses one
/// beside real files; both decide the same, also over a relaunch.
///
/// Times are microseconds on the replay's axis. Not safe under concurrent use.
public struct DiskIndex {
    /// The files by name; the disk tier reads and changes it directly.
    package var files: DiskFileTable
    private let layout: DiskLayout
    private let sharesFiles: Bool
    /// The number of attempts to store an object whose name cannot be a file name.
    public private(set) var unwritable = 0
    /// From key to number, for thumbnails and for full images; ``unnamed`` for keys whose name cannot be a file name.
    ///
    /// A relaunch forgets them: the files are known then, but not their keys, which are recognized by name as they are
    /// requested.
    private var numbers: [[String: Int]] = [[:], [:]]
    /// The same by ``DiskKey/index``, two for each key; ``unknown`` for keys that are not recognized yet.
    private var indexedNumbers: [Int32] = []
    /// In the same order: the names of keys without a number in ``numberedNames``, which a relaunch does not change.
    private var indexedNames: [DiskName?] = []
    /// The names of keys by their numbers; nil if no names were given.
    private let numberedNames: NumberedNames?
    /// The texts of the keys by ``DiskKey/index``; nil if each key comes with its text.
    private let names: DiskNames?

    /// Creates an empty index. `names` has the names of the keys by their ``DiskKey/index``; keys need no text then.
    /// Without it, the index makes the name of each key that is used.
    public init(
        _ policy: any CachePolicy, format: DiskFormat = DiskFormat(), entryRule: EntryRule? = nil,
        names: DiskNames? = nil
    ) {
        layout = format.layout
        sharesFiles = layout.sharesFiles
        self.names = names
        numberedNames = names?.numberedNames(in: layout)
        files = DiskFileTable(policy, format: format, entryRule: entryRule, names: numberedNames)
        if let numberedNames { reserve(numberedNames.ids.count) }
    }

    public init(_ policy: any CachePolicy, layout: DiskLayout) {
        self.init(policy, format: DiskFormat(layout: layout))
    }

    public var occupancy: Occupancy { files.occupancy }

    /// A time before which ``advance(to:)`` has no effect; `Int64.max` for never.
    public var nextTimer: Int64 { files.nextTimer }

    /// Records why files are not held; nil if it is not asked for.
    public var journal: TierJournal? {
        get { files.journal }
        set { files.journal = newValue }
    }

    /// Notes that a store had no effect, because the tier ignores objects of that size.
    public mutating func noteIgnored(_ key: DiskKey, variant: UInt8) {
        guard journal != nil else { return }
        let number = number(key, variant: variant)
        if number != Self.unnamed { journal?.refused(number) }
    }

    public var counts: TierCounts { files.counts }

    /// Whether the object is held. Unlike a lookup, this does not count as an access.
    public func contains(_ key: DiskKey, variant: UInt8 = 1) -> Bool {
        guard let number = knownNumber(key, variant: variant) else { return false }
        return files.isHeld(number)
    }

    /// Whether the file of this key holds the bytes of another key, which the tier delivers nevertheless. Only layouts
    /// whose keys share files have such files. For modelled replays; with real files, the payload shows it.
    public func holdsAnother(_ key: DiskKey, variant: UInt8 = 1) -> Bool {
        guard layout.sharesFiles, let number = knownNumber(key, variant: variant), files.isHeld(number) else {
            return false
        }
        return files[number].tag != tag(key)
    }

    /// Looks an object up; counts as an access.
    public mutating func lookup(_ key: DiskKey, variant: UInt8 = 1, at time: Int64) -> Lookup {
        defer { files.forgetDeparted() }
        let number = number(key, variant: variant)
        files.passTime(to: time)
        if number == Self.unnamed {
            journal?.missedUnstorable()
            return .miss
        }
        return files.access(number, at: time).found
    }

    /// Counts an access to an object without reading it: renews its place and its dates.
    public mutating func touch(_ key: DiskKey, variant: UInt8 = 1, at time: Int64) {
        _ = lookup(key, variant: variant, at: time)
    }

    /// Whether storing an object of this size has no effect, not even on an object of the same name.
    public func ignores(size: Int) -> Bool { files.ignores(size: size) }

    /// Admits an object that was fetched and that ``ignores(size:)`` does not exclude. Returns whether it is held
    /// afterwards. `expiration` replaces the policy's own expiration time.
    public mutating func admit(_ key: DiskKey, size: Int, variant: UInt8 = 1, at time: Int64, expiration: Int64? = nil)
        -> Bool
    {
        defer { files.forgetDeparted() }
        let number = number(key, variant: variant)
        guard number != Self.unnamed else {
            refuse(at: time)
            return false
        }
        let isHeld = files.admit(number, size: size, at: time, expiration: expiration)
        if isHeld, sharesFiles { files.tag(number, tag(key)) }
        return isHeld
    }

    /// For a file that is missing or damaged: neither an eviction nor an expiration.
    public mutating func lose(_ key: DiskKey, variant: UInt8 = 1) {
        let number = number(key, variant: variant)
        if number != Self.unnamed { files.lose(number) }
    }

    /// Removes an object that the app no longer wants: neither an eviction nor an expiration.
    public mutating func remove(_ key: DiskKey, variant: UInt8 = 1, at time: Int64) {
        files.passTime(to: time)
        files.forgetDeparted()
        let number = number(key, variant: variant)
        if number != Self.unnamed { files.remove(number) }
    }

    /// Lets the policy's timers run.
    public mutating func advance(to time: Int64) {
        files.passTime(to: time)
        files.forgetDeparted()
    }

    /// Removes what has expired, whether or not a timer is due.
    public mutating func removeExpired(at time: Int64) {
        files.removeExpired(at: time)
        files.forgetDeparted()
    }

    public mutating func removeAll() { files.removeAll() }

    /// The app ends and starts again: only what the files record is known.
    public mutating func relaunch(at time: Int64) {
        numbers = [[:], [:]]
        files.relaunch(at: time) { renumbered in
            for (slot, number) in indexedNumbers.enumerated() where number != Self.unknown {
                // A file that is held is found by its name again, and has this number then.
                let held = number == Self.unnamed ? -1 : renumbered[Int(number)]
                indexedNumbers[slot] = held < 0 ? Self.unknown : held
            }
        }
        files.forgetDeparted()
    }
}

// For the disk tier.
extension DiskIndex {
    /// Looks an object up; counts as an access. `file` is nil if its name cannot be a file name. `redated` is true if
    /// the access moves a date of the file, which is then to be written.
    package mutating func find(
        _ key: DiskKey, variant: UInt8, at time: Int64
    ) -> (found: Lookup, file: DiskFile?, redated: Bool) {
        let number = number(key, variant: variant)
        files.passTime(to: time)
        guard number != Self.unnamed else {
            journal?.missedUnstorable()
            return (.miss, nil, false)
        }
        let (found, redated) = files.access(number, at: time)
        return (found, files[number], redated)
    }

    /// The name of a key's file; nil if it cannot be a file name.
    package mutating func name(_ key: DiskKey, variant: UInt8) -> DiskName? {
        let number = number(key, variant: variant)
        return number == Self.unnamed ? nil : files[number].name
    }

    /// Counts an object whose name cannot be a file name.
    package mutating func refuse(at time: Int64) {
        unwritable += 1
        files.passTime(to: time)
    }

    /// Starts anew with these files. Keys are forgotten, as by an app that has ended.
    package mutating func rebuild(from found: [DiskFile], at time: Int64) {
        numbers = [[:], [:]]
        for slot in indexedNumbers.indices { indexedNumbers[slot] = Self.unknown }
        files.rebuild(from: found, at: time)
    }

    private static let unnamed = -1
    private static let unknown: Int32 = -2

    /// A number that differs from key to key.
    private func tag(_ key: DiskKey) -> UInt64 {
        if let names, names.areDistinct, let index = key.index { return UInt64(index) }
        return DiskName(key: text(key), variant: 1).hash
    }

    private func text(_ key: DiskKey) -> String {
        if let names, let index = key.index { names.keys[index] } else { key.text }
    }

    private func knownNumber(_ key: DiskKey, variant: UInt8) -> Int? {
        let variant = min(variant, 1)
        var number: Int?
        if let slot = key.slot(variant) {
            if slot < indexedNumbers.count, indexedNumbers[slot] != Self.unknown { number = Int(indexedNumbers[slot]) }
            if number == nil, let id = id(slot) { return files.known(id: id) }
        } else {
            number = numbers[Int(variant)][key.text]
        }
        number = number ?? layout.name(of: text(key), variant: variant).flatMap { files.known($0) }
        return number == Self.unnamed ? nil : number
    }

    private mutating func number(_ key: DiskKey, variant: UInt8) -> Int {
        let variant = min(variant, 1)
        guard let slot = key.slot(variant) else {
            if let number = numbers[Int(variant)][key.text] { return number }
            let number = number(layout.name(of: key.text, variant: variant))
            numbers[Int(variant)][key.text] = number
            return number
        }
        if slot < indexedNumbers.count, indexedNumbers[slot] != Self.unknown { return Int(indexedNumbers[slot]) }
        return newNumber(key, variant, slot)
    }

    /// Finds the number of a key that is not recognized yet.
    private mutating func newNumber(_ key: DiskKey, _ variant: UInt8, _ slot: Int) -> Int {
        if slot >= indexedNumbers.count { reserve(max(64, slot + 1, indexedNumbers.count * 2)) }
        let number: Int
        if let numberedNames, let id = id(slot) {
            number = files.number(id: id, in: numberedNames)
        } else {
            if indexedNames[slot] == nil { indexedNames[slot] = layout.name(of: text(key), variant: variant) }
            number = self.number(indexedNames[slot])
        }
        indexedNumbers[slot] = Int32(number)
        return number
    }

    /// The number in ``numberedNames`` of a key's name; nil if it has none.
    private func id(_ slot: Int) -> Int32? {
        guard let numberedNames, slot < numberedNames.ids.count, numberedNames.ids[slot] >= 0 else { return nil }
        return numberedNames.ids[slot]
    }

    private mutating func reserve(_ slots: Int) {
        let more = slots - indexedNumbers.count
        indexedNumbers.append(contentsOf: repeatElement(Self.unknown, count: more))
        indexedNames.append(contentsOf: repeatElement(nil, count: more))
    }

    private mutating func number(_ name: DiskName?) -> Int {
        if let name { files.number(name) } else { Self.unnamed }
    }
}

public struct DiskKey: Sendable, ExpressibleByStringLiteral {
    /// Empty if the index has the texts by number.
    public var text: String
    /// The dense number of the key among those that are used with an index, from 0, or nil. It spares the index a
    /// search by text. Keys with and without numbers are not mixed in one index.
    public var index: Int?

    public init(_ text: String, index: Int? = nil) {
        self.text = text
        self.index = index
    }

    public init(stringLiteral text: String) { self.init(text) }

    fileprivate func slot(_ variant: UInt8) -> Int? { index.map { $0 * 2 + Int(variant) } }
}
