import CacheTiers

extension ReplayRecorder {
    /// Returns the explanations of all requests, in order of appearance.
    ///
    /// - Parameters:
    ///   - requests: What became of the requests.
    ///   - tiers: The figures of the tiers, whose peaks are the sizes of the caches that know the future.
    func explanations(_ requests: ArraySlice<ReplayRequest>, _ tiers: TierFigures) throws -> [RequestExplanation] {
        let knowsMemory = try FutureKnowledge.hits(
            memoryAccesses, bytes: Int(tiers.memoryPeakBytes), requests: memoryMisses.count)
        let knowsDisk = try FutureKnowledge.hits(
            diskAccesses, bytes: Int(tiers.diskPeakBytes), requests: diskMisses.count)
        return requests.enumerated().map { index, request in
            var explanation = RequestExplanation(waits: waits(of: index))
            // A hit in the memory of encoded bytes is a hit, although the memory tier has missed.
            if request.outcome != .memoryHit || request.isWrong, let miss = memoryMisses[index] {
                explanation.memoryCause = Self.cause(miss, isAvoidable: knowsMemory[index], isMemory: true)
                explanation.evictedBy = Self.evictor(miss)
                if ![.neverStored, .refused].contains(miss.entry.absence) { explanation.leftMemory = miss.entry.time }
            }
            if request.outcome != .diskHit || request.isWrong, let miss = diskMisses[index] {
                explanation.diskCause = Self.cause(miss, isAvoidable: knowsDisk[index], isMemory: false)
                if explanation.evictedBy == nil { explanation.evictedBy = Self.evictor(miss) }
            }
            if request.isWrong {
                // The picture of another key came from the tier that the request ended in.
                if request.outcome == .memoryHit { explanation.memoryCause = .damaged }
                if request.outcome == .diskHit { explanation.diskCause = .damaged }
            }
            return explanation
        }
    }

    private static func evictor(_ miss: Miss) -> Int? {
        guard !miss.isFirst, [.evicted, .evictedAtOnce].contains(miss.entry.absence), miss.entry.accessor >= 0 else {
            return nil
        }
        return Int(miss.entry.accessor)
    }

    private static func cause(_ miss: Miss, isAvoidable: Bool, isMemory: Bool) -> MissCause {
        if miss.isFirst { return miss.isSimilar ? .similarKey : .firstRequest }
        if miss.isDamaged { return .damaged }
        if miss.fate == .inProgress { return .inFlight }
        switch miss.entry.absence {
        case .evicted: return isAvoidable ? .policy : .capacity
        case .evictedAtOnce: return .evictedAtOnce
        case .expired: return .expired
        case .refused: return .refused
        case .purged:
            switch Occasion(rawValue: miss.entry.occasion) ?? .none {
            case .memoryWarning: return .memoryWarning
            case .background: return .background
            case .relaunch: return .relaunch
            case .removal: return .removal
            case .none: return isMemory ? .removal : .damaged
            }
        case .neverStored:
            switch miss.fate {
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
