import CachePolicies

/// The files of a disk tier: which of them are held, how long they are, what their dates are, and which of them the
/// policy has evicted. Objects have numbers here; a ``DiskIndex`` gives keys their numbers.
///
/// Times are microseconds on the replay's axis. Not safe under concurrent use.
package struct DiskFileTable {
    private var ledger: TierLedger
    /// As ``TierLedger/journal``.
    package var journal: TierJournal? {
        get { ledger.journal }
        set { ledger.journal = newValue }
    }
    /// As ``TierLedger/nextTimer``.
    package var nextTimer: Int64 { ledger.nextTimer }
    private let dates: DiskDates
    private let store: DiskStoreTraits
    private let format: DiskFormat
    /// The number of objects stored so far.
    private var sequence: UInt64 = 0
    private var numbers: [DiskName: Int] = [:]
    /// The same by ``DiskFile/id``, for names that have one; -1 where there is no number. They are not in ``numbers``.
    private var numbersByID: [Int32]
    /// The names that have a ``DiskFile/id``; nil if none has one.
    private let names: NumberedNames?
    /// By number.
    private var files: [DiskFile] = []
    /// Names whose files have left the tier since they were last taken.
    private var departed: [DiskName] = []

    /// - Parameter names: The names that have a ``DiskFile/id``, and are always used with it.
    init(_ policy: any CachePolicy, format: DiskFormat, entryRule: EntryRule?, names: NumberedNames? = nil) {
        self.names = names
        numbersByID = Array(repeating: -1, count: names?.ids.count ?? 0)
        ledger = TierLedger(policy, entryRule: entryRule)
        dates = DiskDates(format)
        store = format.layout.storeTraits
        self.format = format
    }

    package var occupancy: Occupancy { ledger.occupancy }

    package var counts: TierCounts { ledger.counts }

    /// Whether storing an object of this size has no effect, not even on an object of the same name.
    package func ignores(size: Int) -> Bool { ledger.ignores(cost: format.counted(size)) }

    package subscript(number: Int) -> DiskFile { files[number] }

    package func isHeld(_ number: Int) -> Bool { files[number].isHeld }

    package func known(_ name: DiskName) -> Int? { numbers[name] }

    /// - Parameter id: The ``DiskFile/id`` of a name.
    func known(id: Int32) -> Int? {
        let number = numbersByID[Int(id)]
        return number < 0 ? nil : Int(number)
    }

    /// The number of a name, a new one where the name is new.
    package mutating func number(_ name: DiskName) -> Int { known(name) ?? append(DiskFile(name: name)) }

    /// The number of a name with a ``DiskFile/id``, a new one where the name is new. Only a journal of departures needs
    /// the name itself.
    mutating func number(id: Int32, in names: NumberedNames) -> Int {
        if let number = known(id: id) { return number }
        let name = journal?.keepsDepartures == true ? names.names[Int(id)] : nil
        var file = DiskFile(name: name ?? names.standIn(id))
        file.id = id
        return append(file)
    }

    /// Gives a file whose name is new its number.
    private mutating func append(_ file: DiskFile) -> Int {
        let number = files.count
        if file.id >= 0 { numbersByID[Int(file.id)] = Int32(number) } else { numbers[file.name] = number }
        journal?.bind(number, to: file)
        files.append(file)
        return number
    }

    /// The file of this name, or nil if it is not held.
    package func file(_ name: DiskName) -> DiskFile? {
        guard let number = numbers[name], files[number].isHeld else { return nil }
        return files[number]
    }

    /// Looks an object up; counts as an access. `redated` is true if the access moves a date of the file.
    package mutating func access(_ number: Int, at time: Int64) -> (found: Lookup, redated: Bool) {
        let found = ledger.lookup(
            Access(
                object: number, size: format.counted(files[number].size), time: time,
                variant: files[number].name.variant))
        noteDeparted()
        guard found.isHit else { return (found, false) }
        var redated = store.writesEachAccess
        if let expiration = ledger.expiration(of: number) {
            let date = dates.modificationDate(expiration)
            if files[number].date != date { redated = true }
            files[number].date = date
        }
        if dates.datesAccesses {
            let accessed = dates.accessDate(time)
            if files[number].accessed != accessed { redated = true }
            files[number].accessed = accessed
        }
        return (found, redated)
    }

    /// Admits an object. Returns the policy's decision, which is the file's `isHeld` too.
    package mutating func admit(_ number: Int, size: Int, at time: Int64, expiration: Int64?) -> Bool {
        passTime(to: time)
        let kept = ledger.admit(
            Access(
                object: number, size: format.counted(size), time: time, variant: files[number].name.variant),
            expiration: expiration, taking: size)
        noteDeparted()
        if kept {
            files[number].size = size
            files[number].date = dates.modificationDate(ledger.expiration(of: number) ?? time)
            files[number].accessed = dates.accessDate(time)
            files[number].tag = sequence
            files[number].isHeld = true
            sequence += 1
        } else {
            depart(number)
        }
        return files[number].isHeld
    }

    package mutating func tag(_ number: Int, _ tag: UInt64) { files[number].tag = tag }

    package mutating func passTime(to time: Int64) {
        guard time >= ledger.nextTimer else { return }
        ledger.advance(to: time)
        noteDeparted()
    }

    package mutating func removeExpired(at time: Int64) {
        ledger.removeExpired(at: time)
        noteDeparted()
    }

    /// For a file that is missing or damaged: neither an eviction nor an expiration.
    package mutating func lose(_ name: DiskName) {
        if let number = numbers[name] { lose(number) }
    }

    /// For a file that is missing or damaged: neither an eviction nor an expiration.
    package mutating func lose(_ number: Int) {
        ledger.remove(number)
        files[number].isHeld = false
    }

    /// For a file that the app removes.
    package mutating func remove(_ name: DiskName) {
        if let number = numbers[name] { remove(number) }
    }

    /// For a file that the app removes.
    package mutating func remove(_ number: Int) {
        if let journal, ledger.contains(number) {
            lose(number)
            journal.removed(number)
        } else {
            lose(number)
        }
    }

    package mutating func removeAll() {
        ledger.clear()
        for number in files.indices { files[number].isHeld = false }
    }

    package var held: [DiskFile] { files.filter(\.isHeld) }

    /// Starts anew with these files, the next victims first. All numbers are new.
    package mutating func rebuild(from found: [DiskFile], at time: Int64) {
        let order = found.indices.map { SortedFile(found[$0], $0, store, dates) }.sorted { one, other in
            one.leavesBefore(other) { found[$0].name < found[$1].name }
        }
        restore(order.map { found[$0.number] }, areHeld: false, at: time)
    }

    /// Starts anew with the files that are held now, the next victims first. All numbers are new.
    ///
    /// - Parameter renumber: Receives the new numbers of the old ones; -1 for files that were not held.
    package mutating func relaunch(at time: Int64, _ renumber: ([Int32]) -> Void) {
        var order: [SortedFile] = []
        order.reserveCapacity(ledger.occupancy.objects)
        for number in files.indices where files[number].isHeld {
            order.append(SortedFile(files[number], number, store, dates))
        }
        // Few files have the same date, unless dates are in seconds.
        lazy var known = names?.names ?? []
        func name(of number: Int) -> DiskName {
            let id = files[number].id
            return id < 0 ? files[number].name : known[Int(id)] ?? files[number].name
        }
        order.sort { one, other in one.leavesBefore(other) { name(of: $0) < name(of: $1) } }
        var renumbered = [Int32](repeating: -1, count: files.count)
        for (number, file) in order.enumerated() { renumbered[file.number] = Int32(number) }
        renumber(renumbered)
        restore(order.map { files[$0.number] }, areHeld: true, at: time)
    }

    /// Forgets everything but these files, which are in the order in which they leave.
    private mutating func restore(_ found: [DiskFile], areHeld: Bool, at time: Int64) {
        ledger.relaunch(at: time)
        journal?.forgetNumbers(of: files, exceptHeld: areHeld)
        numbers.removeAll(keepingCapacity: true)
        for file in files where file.id >= 0 { numbersByID[Int(file.id)] = -1 }
        files.removeAll(keepingCapacity: true)
        for file in found {
            let number: Int
            if let known = file.id < 0 ? known(file.name) : known(id: file.id) {
                number = known
                files[number] = file
            } else {
                number = append(file)
            }
            files[number].isHeld = true
            // The date of the last access, where files have it.
            let accessed = dates.datesAccesses ? min(file.accessed, time) : time
            let access = Access(
                object: number, size: format.counted(file.size), time: accessed, variant: file.name.variant)
            let kept = ledger.restore(access, expiration: file.date, taking: file.size)
            noteDeparted()
            if !kept { depart(number) }
        }
    }

    /// Returns the names whose files have left since the last call.
    package mutating func takeDeparted() -> [DiskName] {
        guard !departed.isEmpty else { return [] }
        defer { departed = [] }
        return departed
    }

    /// Drops the names whose files have left, for an index without real files.
    package mutating func forgetDeparted() {
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
}

/// A file with what the order of files depends on, so that sorting moves no names.
private struct SortedFile {
    /// The file's number, or its place.
    var number: Int
    private var date: Int64
    /// nil if files of one date are in the order of their names.
    private var tag: UInt64?

    init(_ file: DiskFile, _ number: Int, _ store: DiskStoreTraits, _ dates: DiskDates) {
        self.number = number
        date = store.keepsStoringOrder || dates.datesAccesses ? file.accessed : file.date
        tag = store.keepsStoringOrder ? file.tag : nil
    }

    /// The order that the files themselves record. `isNamedBefore` compares the names of two files by their numbers.
    func leavesBefore(_ other: SortedFile, _ isNamedBefore: (Int, Int) -> Bool) -> Bool {
        if date != other.date { return date < other.date }
        guard let tag, let otherTag = other.tag else { return isNamedBefore(number, other.number) }
        return tag < otherTag
    }
}

/// One file, as the index knows it. 64 bytes: an index may hold many.
package struct DiskFile {
    package var name: DiskName
    package var isHeld = false
    /// The number of the name in a ``NumberedNames``; -1 for none.
    var id: Int32 = -1
    /// Bytes of payload.
    package var size = 0
    /// The modification date: when the object expires, or, if it never does, when it was stored.
    package var date: Int64 = 0
    /// The date of the last access; 0 if the format does not date accesses.
    package var accessed: Int64 = 0
    /// In a database, a number that rises with each store. In an index without real files whose layout lets keys share
    /// files, a hash of the key that the file was written for.
    package var tag: UInt64 = 0

    package init(name: DiskName, size: Int = 0, date: Int64 = 0, accessed: Int64 = 0, tag: UInt64 = 0) {
        (self.name, self.size, self.date, self.accessed, self.tag) = (name, size, date, accessed, tag)
    }

    /// 100 years: file systems cannot represent the date of an unlimited lifetime.
    package static let latestDate: Int64 = 100 * 365 * 86_400 * 1_000_000
}
