import CachePolicies
import CacheTiers
import SessionModel

/// Tiers without bytes: the policies and the accounting of the real ones, with durations of the cost model.
///
/// Every figure is a function of trace, cache and seed.
struct ModelledTiers: ReplayTiers {
    /// A body is the number of the object that its bytes would belong to.
    typealias Body = Int

    static let areMeasured = false

    private let objects: ReplayObjects
    private let costs: CostModel
    /// Whether an image is encoded before it is written.
    private let encodesAgain: Bool
    /// By object, in nanoseconds; empty if images are not decoded.
    private let decodeDurations: [Int64]
    private var memory: TierLedger
    /// The memory of encoded bytes, by ``ReplayObjects/memoryNumber(_:)``.
    private var encoded: TierLedger
    let hasEncodedMemory: Bool
    /// The most bytes in both memories at once.
    private var memoryPeak = 0
    /// The object numbers that the memory policy sees, in order of first access, as in the real tier and in a
    /// simulation: policies that hash numbers depend on them. Indexed by ``ReplayObjects/memoryNumber(_:)``; -1 before
    /// the first access.
    private var numbers: [Int]
    private var numbered = 0
    /// Collects the images of these numbers; nil if that is not asked for.
    private var log: ReplayEventLog?
    /// The object whose bytes each key holds, indexed in the same way.
    private var heldInMemory: [Int]
    private var heldOnDisk: [Int]
    /// The rendition whose bitmap each key holds, indexed in the same way; empty unless it decides which views the
    /// bitmap serves.
    private var heldRenditions: [Int]
    private let servesSmallerViewsAlone: Bool
    /// The bytes of bitmaps that cells display, if memory holds none: nothing of them is held.
    private var displayedBitmaps = 0
    /// The times from which on files are damaged, in nanoseconds, by ``ReplayObjects/diskNumber(_:)``. Only
    /// tests damage files.
    private var damaged: [Int: Int64] = [:]
    /// The failures that memory and files hold, by ``ReplayObjects/memoryNumber(_:)`` and
    /// ``ReplayObjects/diskNumber(_:)``. Those that have left stay, without an effect.
    private var failuresInMemory: [Int: StoredFailure] = [:]
    private var failuresOnDisk: [Int: StoredFailure] = [:]
    /// An index that keeps nothing stands for no disk tier: an optional index would be copied where it is read.
    private var disk: DiskIndex
    let hasDisk: Bool
    private let diskHasTexts: Bool
    /// A time, in microseconds, before which no timer of a policy is due.
    private var nextTimer = Int64.min
    private var read: Int64 = 0
    private var written: Int64 = 0
    private var damagedReads = 0

    /// - Parameters:
    ///   - decodes: The duration of decoding each object, in nanoseconds; nil if images are not decoded.
    ///   - names: The names of the objects' files, which replays of a trace share; nil to make them.
    init(
        _ objects: ReplayObjects, memory: any CachePolicy, disk: (any CachePolicy)?, costs: CostModel,
        decodes: [Int64]? = nil, names: DiskNames? = nil
    ) {
        self.objects = objects
        self.costs = costs
        numbers = Array(repeating: -1, count: objects.imageCount * 2)
        (heldInMemory, heldOnDisk) = (numbers, numbers)
        servesSmallerViewsAlone = objects.servesSmallerViewsAlone
        heldRenditions = servesSmallerViewsAlone ? numbers : []
        encodesAgain = decodes != nil && objects.diskRules.content != .original
        decodeDurations = decodes ?? []
        self.memory = TierLedger(
            memory, entryRule: objects.memoryRules.entryRule, pinsShown: objects.memoryRules.pinsShown,
            live: objects.memoryRules.live)
        let encodedMemory = disk == nil ? nil : objects.encodedMemory
        hasEncodedMemory = encodedMemory != nil
        encoded = encodedMemory.map { TierLedger(LRU($0.limits), entryRule: $0.entryRule) } ?? TierLedger(NoCache())
        hasDisk = disk != nil
        diskHasTexts = disk != nil && names != nil
        self.disk = DiskIndex(
            disk ?? NoCache(), format: objects.diskRules.format, entryRule: objects.diskRules.entryRule,
            names: disk == nil ? nil : names)
    }

    /// Keeps journals of the objects that leave the tiers, for a recorder of causes, and for a log of events if there
    /// is one.
    mutating func keepJournals(for recorder: ReplayRecorder, _ log: ReplayEventLog?) {
        memory.journal = recorder.memory
        disk.journal = recorder.disk
        guard let log else { return }
        self.log = log
        if hasEncodedMemory { encoded.journal = recorder.encoded }
        for journal in [recorder.memory, recorder.encoded, recorder.disk] { journal.keepDepartures() }
    }

    /// Damages the files of objects from these times on, in nanoseconds.
    mutating func damage(_ files: [ObjectID: Int64]) {
        for (object, time) in files {
            damaged[objects.diskNumber(ImageKey(object: Int(object), variant: 1))] = time
        }
    }

    var memoryOccupancy: Occupancy { memory.occupancy + encoded.occupancy }
    var diskOccupancy: Occupancy { disk.occupancy }

    func warmUp() {}

    mutating func lookUpInMemory(_ imageKey: ImageKey, at time: Int64) -> Answer<Int> {
        let found = memory.lookup(access(imageKey, time))
        memory.drainVictims { _ in }
        if servesSmallerViewsAlone, found.isHit, isTooSmall(for: imageKey) {
            var answer = Answer<Int>(found: .miss, body: nil, duration: costs.memoryLookup)
            answer.isTooSmall = true
            return answer
        }
        if !failuresInMemory.isEmpty, found.isHit, let failure = failuresInMemory[objects.memoryNumber(imageKey)] {
            return .found(failure, after: costs.memoryLookup)
        }
        let body = Self.body(heldInMemory[objects.memoryNumber(imageKey)], of: imageKey)
        return Answer(found: found, body: body, duration: costs.memoryLookup, isWrong: body != imageKey.object)
    }

    mutating func show(_ imageKey: ImageKey) { memory.show(number(imageKey)) }

    mutating func hide(_ imageKey: ImageKey, at time: Int64) {
        memory.hide(access(imageKey, time))
        memory.drainVictims { _ in }
    }

    mutating func display(_ imageKey: ImageKey) { display(imageKey, adding: bitmap(imageKey)) }

    mutating func stopDisplaying(_ imageKey: ImageKey) { display(imageKey, adding: -bitmap(imageKey)) }

    /// The bytes of the bitmap that a view displays. One that a larger view has brought counts as its own size.
    private func bitmap(_ imageKey: ImageKey) -> Int { objects.images.decoded[Int(imageKey.rendition)] }

    /// Whether the bitmap that memory holds serves smaller views alone. All bitmaps of an image have its ratio of width
    /// and height, so that their bytes have the order of their sizes.
    private func isTooSmall(for imageKey: ImageKey) -> Bool {
        let held = heldRenditions[objects.memoryNumber(imageKey)]
        return objects.images.decoded[held] < bitmap(imageKey) && !objects.nearlyFits(held, imageKey)
    }

    private mutating func display(_ imageKey: ImageKey, adding bytes: Int) {
        switch objects.memoryRules.holds {
        case .decoded: memory.display(number(imageKey), adding: bytes)
        case .encoded: displayedBitmaps += bytes
        }
    }

    var imageBytes: Int { memory.heldBytes + encoded.heldBytes + memory.displayedBeside + displayedBitmaps }

    mutating func lookUpEncoded(_ imageKey: ImageKey, at time: Int64) -> Answer<Int> {
        let access = encodedAccess(imageKey, time)
        let found = encoded.lookup(access)
        let body = Self.body(heldInMemory[objects.memoryNumber(imageKey)], of: imageKey)
        return Answer(
            found: found, body: found.isHit ? body : nil, duration: costs.memoryLookup, isWrong: body != imageKey.object
        )
    }

    mutating func storeInMemory(_ body: Int, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) -> Int64 {
        let access = access(imageKey, time)
        if hasEncodedMemory {
            let access = encodedAccess(imageKey, time)
            _ = encoded.admit(access)
            encoded.drainVictims { _ in }
        }
        if !memory.ignores(access) {
            let number = objects.memoryNumber(imageKey)
            // The picture of another key has its own size.
            let image = body == imageKey.object ? Int(imageKey.rendition) : body
            _ = memory.admit(access, expiration: expiration, taking: objects.held(image))
            heldInMemory[number] = body
            if servesSmallerViewsAlone { heldRenditions[number] = image }
            if !failuresInMemory.isEmpty { failuresInMemory[number] = nil }
        } else {
            memory.noteIgnored(access.object)
        }
        memory.drainVictims { _ in }
        if hasEncodedMemory { memoryPeak = max(memoryPeak, memoryOccupancy.bytes) }
        return costs.memoryStore
    }

    mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) -> Int64 {
        var access = access(imageKey, time)
        access.size = objects.failureCost(failure)
        if memory.ignores(access) {
            memory.noteIgnored(access.object)
        } else {
            _ = memory.admit(access, expiration: failure.expiration, taking: failure.bytes)
            failuresInMemory[objects.memoryNumber(imageKey)] = failure
        }
        memory.drainVictims { _ in }
        return costs.memoryStore
    }

    mutating func readFromDisk(_ imageKey: ImageKey, at time: Int64) -> Answer<Int> {
        let key = diskKey(imageKey)
        let found = disk.lookup(key, variant: imageKey.variant, at: time / 1_000)
        guard found.isHit else { return Answer(found: .miss, body: nil, duration: costs.diskLookup) }
        let name = objects.diskNumber(imageKey)
        if !damaged.isEmpty, isDamaged(name, at: time) {
            damagedReads += 1
            if objects.diskRules.format.keepsDamaged {
                return Answer(found: .hit, body: nil, duration: costs.diskLookup)
            }
            damaged[name] = nil
            disk.lose(key, variant: imageKey.variant)
            return Answer(found: .miss, body: nil, duration: costs.diskLookup)
        }
        if !failuresOnDisk.isEmpty, let failure = failuresOnDisk[name] {
            read += Int64(failure.bytes)
            return .found(failure, after: costs.diskLookup + costs.reading(failure.bytes))
        }
        let body = Self.body(heldOnDisk[name], of: imageKey)
        let size = objects.written(body)
        read += Int64(size)
        return Answer(
            found: found, body: body, duration: costs.diskLookup + costs.reading(size), isWrong: body != imageKey.object
        )
    }

    func decode(_ body: Int, _ imageKey: ImageKey, isFile: Bool) -> Answer<Int> {
        let duration =
            isFile && encodesAgain
            ? objects.images.decodingFile(body, objects.diskRules.content, costs)
            : decodeDurations.isEmpty ? objects.images.decoding(body, costs) : decodeDurations[body]
        return Answer(found: .hit, body: body, duration: duration)
    }

    mutating func storeOnDisk(_ body: Int, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) -> Int64 {
        let size = objects.written(body)
        guard let isKept = write(size, imageKey, at: time, expiration: expiration) else { return costs.diskLookup }
        if isKept {
            let name = objects.diskNumber(imageKey)
            heldOnDisk[name] = body
            if !failuresOnDisk.isEmpty { failuresOnDisk[name] = nil }
        }
        let encoding = encodesAgain ? objects.images.encoding(body, objects.diskRules.content, costs) : 0
        return costs.writing(size) + encoding
    }

    mutating func storeFailureOnDisk(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) -> Int64 {
        guard let isKept = write(failure.bytes, imageKey, at: time, expiration: failure.expiration) else {
            return costs.diskLookup
        }
        if isKept { failuresOnDisk[objects.diskNumber(imageKey)] = failure }
        return costs.writing(failure.bytes)
    }

    /// Writes a file of a size. Returns whether it is kept; nil if the file that exists stays as it is.
    private mutating func write(_ size: Int, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) -> Bool? {
        let key = diskKey(imageKey)
        if !objects.diskRules.overwrites, disk.contains(key, variant: imageKey.variant) { return nil }
        if disk.ignores(size: size) {
            disk.noteIgnored(key, variant: imageKey.variant)
            return nil
        }
        let isKept = disk.admit(key, size: size, variant: imageKey.variant, at: time / 1_000, expiration: expiration)
        guard isKept else { return false }
        written += Int64(size)
        if !damaged.isEmpty {
            let name = objects.diskNumber(imageKey)
            if isDamaged(name, at: time) { damaged[name] = nil }
        }
        return true
    }

    mutating func advance(to time: Int64) {
        guard time / 1_000 >= nextTimer else { return }
        memory.advance(to: time / 1_000)
        memory.drainVictims { _ in }
        disk.advance(to: time / 1_000)
        nextTimer = min(memory.nextTimer, disk.nextTimer)
    }

    mutating func clearMemory() {
        memory.clear()
        encoded.clear()
    }

    mutating func trimMemory(to cost: Int) throws {
        try memory.trim(to: cost)
        memory.drainVictims { _ in }
    }

    mutating func trimMemory(toShare share: Double) throws {
        try trimMemory(to: objects.memoryRules.share(share, of: memory.cost))
    }

    mutating func removeFromMemory(_ imageKey: ImageKey, at time: Int64) {
        memory.remove(number(imageKey))
        encoded.remove(objects.encodedNumber(imageKey))
    }

    mutating func removeFromDisk(_ imageKey: ImageKey, at time: Int64) -> Int64 {
        let key = diskKey(imageKey)
        disk.remove(key, variant: imageKey.variant, at: time / 1_000)
        return costs.diskLookup
    }

    mutating func touchOnDisk(_ imageKey: ImageKey, at time: Int64) -> Int64 {
        let key = diskKey(imageKey)
        disk.touch(key, variant: imageKey.variant, at: time / 1_000)
        return costs.diskLookup
    }

    mutating func removeExpiredFromDisk(at time: Int64) -> Int64 {
        disk.removeExpired(at: time / 1_000)
        return costs.diskLookup
    }

    mutating func relaunch(at time: Int64) {
        memory.relaunch(at: time / 1_000)
        encoded.relaunch(at: time / 1_000)
        disk.relaunch(at: time / 1_000)
        nextTimer = .min
    }

    func figures() -> TierFigures {
        var figures = TierFigures()
        figures.diskReadBytes = read
        figures.diskWrittenBytes = written
        figures.damagedFiles = damagedReads
        figures.count(memory: memory.counts, disk: disk.counts)
        if hasEncodedMemory { figures.count(encoded: encoded.counts, peakOfBoth: memoryPeak) }
        return figures
    }

    /// The key of an image on disk. Its text is left out if the index has it, so that no text is copied.
    private func diskKey(_ imageKey: ImageKey) -> DiskKey {
        DiskKey(diskHasTexts ? "" : objects.keys[imageKey.object], index: imageKey.object)
    }

    private func isDamaged(_ name: Int, at time: Int64) -> Bool { damaged[name].map { $0 <= time } ?? false }

    private static func body(_ held: Int, of imageKey: ImageKey) -> Int { held < 0 ? imageKey.object : held }

    private mutating func access(_ imageKey: ImageKey, _ time: Int64) -> Access {
        Access(
            object: number(imageKey), size: objects.cost(Int(imageKey.rendition)), time: time / 1_000,
            variant: imageKey.variant)
    }

    private func encodedAccess(_ imageKey: ImageKey, _ time: Int64) -> Access {
        Access(
            object: objects.encodedNumber(imageKey), size: objects.images.encoded[imageKey.object], time: time / 1_000,
            variant: imageKey.variant)
    }

    private mutating func number(_ imageKey: ImageKey) -> Int {
        let name = objects.memoryNumber(imageKey)
        if numbers[name] < 0 {
            numbers[name] = numbered
            numbered += 1
            log?.numberedInMemory(imageKey)
        }
        return numbers[name]
    }
}

extension TierFigures {
    package mutating func count(memory: TierCounts, disk: TierCounts) {
        memoryEvictions = memory.evictions
        memoryExpirations = memory.expirations
        memoryPeakBytes = Int64(memory.peakBytes)
        diskEvictions = disk.evictions
        diskExpirations = disk.expirations
        diskPeakBytes = Int64(disk.peakBytes)
    }

    package mutating func count(encoded: TierCounts, peakOfBoth: Int) {
        memoryEvictions += encoded.evictions
        memoryPeakBytes = Int64(peakOfBoth)
    }
}
