import Basics
import CacheTiers

/// Why tiers miss.
extension ReplayRecorder {
    /// Notes a lookup in memory. A prefetch has a negative request.
    ///
    /// - Parameter isTooSmall: Whether memory has the bitmap of a smaller view. Then the image was not evicted: it is
    ///   the first one of such a key, and the smaller one is similar.
    func lookedInMemory(
        _ request: Int, _ imageKey: ImageKey, isHit: Bool, isBeingRead: Bool = false, isTooSmall: Bool = false
    ) {
        state.pointee.memoryAccesses.append(TierAccess(imageKey, request: Int32(truncatingIfNeeded: max(request, -1))))
        let group = similar[imageKey.object]
        if request >= 0 {
            courses[request].object = Int32(truncatingIfNeeded: imageKey.object)
            if !isHit {
                courses[request].memory = Miss(
                    entry: isTooSmall ? TierJournal.Entry() : lastMemoryMiss,
                    outcome: isBeingRead ? .inProgress : outcomes[imageKey.object],
                    isFirst: isTooSmall || !cells[imageKey.number].isSeen,
                    isFirstOfFile: !cells[fileNumber(imageKey)].isFileSeen, isSimilar: seenKeys[group], isMiss: true)
            }
        }
        cells[imageKey.number].isSeen = true
        cells[fileNumber(imageKey)].isFileSeen = true
        seenKeys[group] = true
    }

    /// The number of an image for its file, which all sizes of it share.
    private func fileNumber(_ imageKey: ImageKey) -> Int {
        ImageKey(object: imageKey.object, variant: imageKey.variant).number
    }

    /// Notes that a request joins a read that is queued or running.
    func joinsRead(_ request: Int, _ imageKey: ImageKey, at time: Int64) {
        let isBeingRead = cells[imageKey.number].launch == state.pointee.launch
        wait(request, for: isBeingRead ? .diskRead : .diskQueue, at: time)
    }

    /// Notes a read that starts now, for the requests that share it. Its end is later.
    func readFromDisk(_ readers: AllReaders, _ imageKey: ImageKey, at time: Int64) {
        if !readsLater { noteRead(imageKey) }
        cells[imageKey.number].launch = state.pointee.launch
        state.pointee.diskAccesses.append(
            TierAccess(imageKey, request: readers.first.map { Int32(truncatingIfNeeded: $0) } ?? TierAccess.prefetch))
        for request in readers { wait(request, for: .diskRead, at: time) }
    }

    /// Notes the end of a read, before its body is used.
    func endsRead(_ imageKey: ImageKey) {
        if readsLater { noteRead(imageKey) }
        cells[imageKey.number].launch = -1
    }

    /// Notes whether the file of a cell was found, and why not. A file that was found and is damaged is no miss of the
    /// journal.
    private func noteRead(_ imageKey: ImageKey) {
        if readsLater {
            // Reads of other files have been done since. Whether the file was damaged is in its entry.
            cells[imageKey.number].readMissed = true
            let key = objects.keys[imageKey.object]
            cells[imageKey.number].read = real?.absenceOnDisk(of: key, variant: imageKey.variant) ?? TierJournal.Entry()
            return
        }
        var (count, entry) = (disk.missCount, disk.lastMiss)
        if areReal { (count, entry) = real?.withDiskJournal { ($0.missCount, $0.lastMiss) } ?? (count, entry) }
        cells[imageKey.number].readMissed = count > state.pointee.diskMissCount
        cells[imageKey.number].read = entry
        state.pointee.diskMissCount = count
    }

    private var lastMemoryMiss: TierJournal.Entry {
        areReal ? real?.withMemoryJournal { $0.lastMiss } ?? TierJournal.Entry() : memory.lastMiss
    }

    /// Notes that a read has ended without a body.
    ///
    /// - Parameters:
    ///   - isKept: Whether the file was found, and is kept although it is damaged.
    ///   - isFailure: Whether the file holds the answer to a failed fetch, and no image.
    func missedOnDisk(_ readers: AllReaders, _ imageKey: ImageKey, isKept: Bool, isFailure: Bool) {
        let state = cells[imageKey.number]
        for request in readers {
            let memory = courses[request].memory
            var miss = Miss(
                outcome: isFailure ? .failed : outcomes[imageKey.object], isFirst: memory.isFirstOfFile,
                isSimilar: memory.isSimilar, isDamaged: !isFailure && (isKept || !state.readMissed), isMiss: true)
            if state.readMissed, !isFailure { miss.entry = state.read }
            courses[request].disk = miss
        }
    }

    /// Notes that a request has found an object past its lifetime, and does not show it before the origin has answered.
    /// A request that then gets the object is a hit of the tier, and has no cause there.
    ///
    /// - Parameter isConditional: Whether the origin can answer that the object is current.
    func validates(_ request: Int, inMemory: Bool, isConditional: Bool) {
        var miss = Miss(isValidated: isConditional, isMiss: true)
        if !isConditional { miss.entry.absence = .expired }
        if inMemory { courses[request].memory = miss } else { courses[request].disk = miss }
    }

    /// Says, at the end, that an image left memory because of an event, and not to make room.
    func attribute(_ request: Int, to trigger: Trigger) {
        guard courses[request].memory.entry.absence == .evicted else { return }
        courses[request].memory.entry.trigger = trigger.rawValue
        courses[request].memory.entry.absence = .purged
    }

    func note(_ outcome: Outcome, of object: Int) { outcomes[object] = outcome }

    /// Notes that a request has used what a prefetch brought.
    func usedPrefetch(_ number: Int) {
        while state.pointee.usedPrefetches.count <= number { state.pointee.usedPrefetches.append(false) }
        state.pointee.usedPrefetches[number] = true
    }

    /// Whether the accessor of a journal's entry is a prefetch whose image no request has used.
    func isWrongGuess(_ accessor: Int32) -> Bool {
        guard let number = AheadObjects.number(accessor) else { return false }
        let used = state.pointee.usedPrefetches
        return number >= used.count || !used[number]
    }

    /// Objects that leave memory from now on leave for a reason of the app's.
    func begin(_ trigger: Trigger) {
        set(trigger)
        guard trigger == .relaunch else { return }
        state.pointee.memoryAccesses.append(.clear)
        state.pointee.launch += 1
    }

    /// Notes that a relaunch ends the fetch of an object.
    func lost(_ object: Int) {
        if outcomes[object] == .inProgress { outcomes[object] = .cancelled }
    }

    func clearedMemory() { state.pointee.memoryAccesses.append(.clear) }

    func endOccasion() { set(.none) }

    /// The disk has no trigger but a relaunch: other work of its own goes on meanwhile on a wall clock.
    private func set(_ trigger: Trigger) {
        let onDisk = trigger == .relaunch ? trigger : .none
        guard areReal else {
            memory.trigger = trigger.rawValue
            encoded.trigger = trigger.rawValue
            disk.trigger = onDisk.rawValue
            return
        }
        _ = real?.withMemoryJournal { $0.trigger = trigger.rawValue }
        _ = real?.withDiskJournal { $0.trigger = onDisk.rawValue }
    }

    func removedFromMemory(_ imageKey: ImageKey) {
        state.pointee.memoryAccesses.append(TierAccess(imageKey, request: TierAccess.removal))
    }

    func removedFromDisk(_ imageKey: ImageKey) {
        state.pointee.diskAccesses.append(TierAccess(imageKey, request: TierAccess.removal))
    }

    /// Notes what the tiers work for.
    func looks(_ request: Int, at time: Int64) {
        let accessor = Int32(truncatingIfNeeded: request)
        guard areReal else {
            memory.accessor = accessor
            disk.accessor = accessor
            memory.time = time
            disk.time = time
            return
        }
        _ = real?.withMemoryJournal { ($0.accessor, $0.time) = (accessor, time) }
        _ = real?.withDiskJournal { ($0.accessor, $0.time) = (accessor, time) }
    }
}
