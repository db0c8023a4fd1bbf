import CachePolicies

/// Records why a tier does not hold an object: for explanations of misses.
///
/// A ``TierLedger`` writes it, if it has one. Its owner reads ``lastMiss`` after a lookup, and says in ``accessor`` and
/// ``trigger`` what the tier works for. The lock of a tier guards the journal that the tier has made.
public final class TierJournal {
    /// Why an object is not held.
    public enum Absence: UInt8, Sendable, CaseIterable, BitwiseCopyable {
        case neverStored
        /// It left to make room for another object.
        case evicted
        /// It left to make room for itself.
        case evictedAtOnce
        /// Its lifetime was over.
        case expired
        /// It was lost, or left when its tier was cleared, trimmed or restarted; ``Entry/trigger`` says when.
        case purged
        /// The app removed it.
        case removed
        /// The tier did not take it: it was too large, or an admission rule refused it.
        case refused
    }

    /// The facts about an object that is not held.
    public struct Entry: Sendable, Equatable, BitwiseCopyable {
        public var absence = Absence.neverStored
        /// ``TierJournal/trigger`` when the object left.
        public var trigger: UInt8 = 0
        /// ``TierJournal/accessor`` when the object left.
        public var accessor: Int32 = -1
        /// ``TierJournal/time`` when the object left.
        public var time: Int64 = 0

        public init() {}

        @usableFromInline package init(absence: Absence, trigger: UInt8, accessor: Int32, time: Int64) {
            (self.absence, self.trigger, self.accessor, self.time) = (absence, trigger, accessor, time)
        }
    }

    /// An object that has left the tier.
    public struct Departure: Sendable, Equatable {
        public enum Reason: Sendable {
            /// It left to make room, or because the tier was trimmed.
            case evicted
            /// Its lifetime was over.
            case expired
            /// It was lost, or left when its tier was cleared or restarted.
            case purged
            /// The app removed it.
            case removed
        }

        /// The ledger's number.
        public var object: Int
        /// The name of its file; nil in a ledger without files.
        package var name: DiskName?
        public var reason: Reason
        /// ``TierJournal/trigger`` when the object left.
        public var trigger: UInt8
        /// ``TierJournal/accessor`` when the object left.
        public var accessor: Int32
    }

    /// The state that changes with each access. It is behind a pointer, so that it is read and written without the
    /// checks of a class's variables, which would take longer than the journal itself.
    @usableFromInline package struct State {
        @usableFromInline package var accessor: Int32 = -1
        @usableFromInline package var trigger: UInt8 = 0
        @usableFromInline package var time: Int64 = 0
        @usableFromInline package var lastMiss = Entry()
        @usableFromInline package var missCount = 0
        /// By the ledger's number.
        package var entries: [Entry] = []
        /// The entries of the names of earlier numbers: a name keeps its entry when the ledger's numbers change. Those
        /// of names with a ``DiskFile/id`` are apart, by that number.
        package var named: [DiskName: Entry] = [:]
        package var identified: [Entry] = []
        package var keepsDepartures = false
        package var departures: [Departure] = []
        /// By the ledger's number, while departures are kept: the name of its file.
        package var names: [DiskName] = []

        @usableFromInline package init() {}

        /// Notes a lookup that missed.
        package mutating func missed(_ object: Int) {
            reserve(object + 1)
            lastMiss = entries[object]
            missCount += 1
        }

        mutating func reserve(_ count: Int) {
            let known = entries.count
            guard count > known else { return }
            entries.append(contentsOf: repeatElement(Entry(), count: max(64, count, known * 2) - known))
        }
    }

    /// Points to one state, from the journal's creation to its end.
    @usableFromInline package let state: UnsafeMutablePointer<State>

    /// The number by which the owner names the work that the tier acts for; negative for none.
    @inlinable public var accessor: Int32 {
        get { state.pointee.accessor }
        set { state.pointee.accessor = newValue }
    }

    /// The present event, as its owner numbers it; 0 for nothing special. An object that leaves meanwhile is purged.
    @inlinable public var trigger: UInt8 {
        get { state.pointee.trigger }
        set { state.pointee.trigger = newValue }
    }

    /// The owner's time.
    @inlinable public var time: Int64 {
        get { state.pointee.time }
        set { state.pointee.time = newValue }
    }

    /// The facts about the object of the last lookup that missed.
    @inlinable public var lastMiss: Entry { state.pointee.lastMiss }

    /// The number of lookups that missed.
    @inlinable public var missCount: Int { state.pointee.missCount }

    /// Creates a journal whose memory is in use before the first object comes.
    ///
    /// - Parameter objects: The number of objects that are expected.
    public init(objects: Int = 0) {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        state.pointee.reserve(objects)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    package func missed(_ object: Int) { state.pointee.missed(object) }

    /// Notes a lookup of an object that can have no place in the tier.
    package func missedUnstorable() {
        state.pointee.lastMiss = Entry(absence: .refused, trigger: 0, accessor: -1, time: time)
        state.pointee.missCount += 1
    }

    private func entry(_ object: Int) -> Entry {
        object < state.pointee.entries.count ? state.pointee.entries[object] : Entry()
    }

    package func left(_ object: Int, _ reason: EvictionReason, admitting admitted: Int) {
        let absence: Absence =
            reason == .expired
            ? .expired : trigger != 0 ? .purged : object == admitted ? .evictedAtOnce : .evicted
        note(object, absence)
        depart(object, reason == .expired ? .expired : .evicted)
    }

    package func purged(_ object: Int) {
        note(object, .purged)
        depart(object, .purged)
    }

    /// Notes that the app has removed an object that was held. Its ledger has noted just before that it is purged.
    package func removed(_ object: Int) {
        note(object, .removed)
        guard let last = state.pointee.departures.indices.last else { return }
        if state.pointee.departures[last].object == object { state.pointee.departures[last].reason = .removed }
    }

    /// Notes a refusal, unless the object has just left to make room for itself.
    package func refused(_ object: Int) {
        let known = entry(object)
        if known.absence != .evictedAtOnce || known.time != time { note(object, .refused) }
    }

    private func note(_ object: Int, _ absence: Absence) {
        state.pointee.reserve(object + 1)
        state.pointee.entries[object] = Entry(absence: absence, trigger: trigger, accessor: accessor, time: time)
    }

    // MARK: Departures

    /// Keeps what leaves the tier from now on, for ``takeDepartures()``. The ledger has no numbers yet.
    public func keepDepartures() { state.pointee.keepsDepartures = true }

    package var keepsDepartures: Bool { state.pointee.keepsDepartures }

    /// Returns the objects that have left the tier since the last call, in order.
    public func takeDepartures() -> [Departure] {
        guard !state.pointee.departures.isEmpty else { return [] }
        defer { state.pointee.departures.removeAll(keepingCapacity: true) }
        return state.pointee.departures
    }

    private func depart(_ object: Int, _ reason: Departure.Reason) {
        guard state.pointee.keepsDepartures else { return }
        let names = state.pointee.names.count
        state.pointee.departures.append(
            Departure(
                object: object, name: object < names ? state.pointee.names[object] : nil, reason: reason,
                trigger: trigger, accessor: accessor))
    }

    // MARK: Ledgers whose numbers change

    /// Notes that the next number stands for the name of a file from now on.
    package func bind(_ object: Int, to file: DiskFile) {
        if state.pointee.keepsDepartures { state.pointee.names.append(file.name) }
        guard let entry = known(file) else { return }
        state.pointee.reserve(object + 1)
        state.pointee.entries[object] = entry
    }

    /// The facts about the name of a file from an earlier number.
    private func known(_ file: DiskFile) -> Entry? {
        guard file.id >= 0 else { return state.pointee.named.isEmpty ? nil : state.pointee.named[file.name] }
        let id = Int(file.id)
        return id < state.pointee.identified.count ? state.pointee.identified[id] : nil
    }

    /// Notes that numbers no longer stand for the names of these files, which are in their order.
    ///
    /// - Parameter exceptHeld: Whether nothing is noted of files that are held, because all of them will be held again.
    package func forgetNumbers(of files: [DiskFile], exceptHeld: Bool) {
        for (number, entry) in state.pointee.entries.enumerated() where entry.absence != .neverStored {
            guard number < files.count, !exceptHeld || !files[number].isHeld else { continue }
            let id = Int(files[number].id)
            guard id >= 0 else {
                state.pointee.named[files[number].name] = entry
                continue
            }
            let missing = id + 1 - state.pointee.identified.count
            if missing > 0 { state.pointee.identified.append(contentsOf: repeatElement(Entry(), count: missing)) }
            state.pointee.identified[id] = entry
        }
        state.pointee.entries.removeAll(keepingCapacity: true)
        state.pointee.names.removeAll(keepingCapacity: true)
    }
}
