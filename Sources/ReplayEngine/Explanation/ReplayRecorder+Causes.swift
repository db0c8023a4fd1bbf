import CacheTiers

extension ReplayRecorder {
    /// Returns the causes of each request, in order of appearance.
    ///
    /// - Parameters:
    ///   - requests: What became of the requests.
    ///   - caches: The caches that know the future.
    func causes(
        of requests: [ReplayRequest], _ caches: (memory: KnowingCache, disk: KnowingCache)
    ) -> [RequestCauses] {
        let knowsMemory = FutureKnowledge(
            memoryAccesses, in: caches.memory,
            wanted: requests.indices.filter { courses[$0].memory.leftToMakeRoom })
        let knowsDisk = FutureKnowledge(
            diskAccesses, in: caches.disk, wanted: requests.indices.filter { courses[$0].disk.leftToMakeRoom })
        return requests.indices.map { index in
            let request = requests[index]
            let (memory, disk) = (courses[index].memory, courses[index].disk)
            var causes = RequestCauses()
            // A hit in the memory of encoded bytes is a hit, although the memory tier has missed.
            if memory.isMiss, request.outcome != .memoryHit || request.isWrong {
                causes.memory = memory.cause(
                    isAvoidable: knowsMemory.hits(index), isWrongGuess: isWrongGuess(memory.entry.accessor),
                    isMemory: true)
                causes.evictedBy = memory.evictor
                if memory.entry.absence != .neverStored, memory.entry.absence != .refused {
                    causes.leftMemory = memory.entry.time
                }
            }
            if disk.isMiss, request.outcome != .diskHit || request.isWrong {
                causes.disk = disk.cause(
                    isAvoidable: knowsDisk.hits(index), isWrongGuess: isWrongGuess(disk.entry.accessor), isMemory: false
                )
                if causes.evictedBy == nil { causes.evictedBy = disk.evictor }
            }
            if request.isWrong {
                // The picture of another key came from the tier that the request ended in.
                if request.outcome == .memoryHit { causes.memory = .damaged }
                if request.outcome == .diskHit { causes.disk = .damaged }
            }
            return causes
        }
    }
}

extension ReplayRecorder.Miss {
    /// Whether knowledge of the future decides the cause.
    fileprivate var leftToMakeRoom: Bool {
        isMiss && entry.absence == .evicted && !isFirst && !isDamaged && outcome != .inProgress
    }

    /// The request for whose image the object left; nil if it did not leave to make room.
    fileprivate var evictor: Int? {
        guard !isFirst, entry.absence == .evicted || entry.absence == .evictedAtOnce, entry.accessor >= 0 else {
            return nil
        }
        return Int(entry.accessor)
    }

    /// - Parameter isWrongGuess: Whether it left for an image that was fetched ahead of need, and that was not used.
    fileprivate func cause(isAvoidable: Bool, isWrongGuess: Bool, isMemory: Bool) -> MissCause {
        if isFirst { return isSimilar ? .similarKey : .firstRequest }
        if isValidated { return .validation }
        if isDamaged { return .damaged }
        if outcome == .inProgress { return .inFlight }
        switch entry.absence {
        case .evicted: return isWrongGuess ? .wrongPrefetch : isAvoidable ? .policy : .capacity
        case .evictedAtOnce: return .evictedAtOnce
        case .expired: return .expired
        case .refused: return .refused
        case .removed: return .removal
        case .purged:
            let trigger = ReplayRecorder.Trigger(rawValue: entry.trigger) ?? ReplayRecorder.Trigger.none
            return trigger.cause(isMemory: isMemory)
        case .neverStored:
            switch outcome {
            case .cancelled: return .cancelled
            case .deferred: return .deferred
            case .blocked: return .blocked
            case .failed: return .failed
            case .inProgress: return .inFlight
            // It arrived, and the tier was not to keep it, or it came from the disk without a promotion.
            case .arrived: return .refused
            // An earlier request ended before it was fetched.
            case .none: return .cancelled
            }
        }
    }
}

extension ReplayRecorder.Trigger {
    /// The cause of misses of objects that are lost meanwhile.
    func cause(isMemory: Bool) -> MissCause {
        switch self {
        case .memoryWarning: .memoryWarning
        case .background: .background
        case .relaunch: .relaunch
        case .removal: .removal
        case .none: isMemory ? .removal : .damaged
        }
    }
}
