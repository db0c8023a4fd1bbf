import SessionModel

extension PreparedRun {
    /// Returns the notes of a result, in the order in which reports show them.
    func notes(on replayed: FinishedReplay) -> [RunNote] {
        let (result, delivered, sizes, images) = (replayed.result, replayed.delivered, prepared.sizes, prepared.images)
        let (objects, headers) = (images.objectCount, trace.objects.count)
        var notes: [RunNote] = []

        // What the input is.
        notes.add(.sessionSynthetic, if: trace.header.synthetic)
        notes.add(.sessionScripted, if: trace.header.scripted)
        if let injected = job.injected { notes.append(.eventsInjected(injected)) }
        notes.add(.cellsStay, if: prepared.cellsStay)
        notes.add(
            .sizesAssumed(objects: sizes.assumedCount, of: objects, bytes: sizes.assumed), if: sizes.assumedCount > 0)
        if let costs = job.timing.ownCosts {
            notes.append(.costs(file: job.costsFile, checksum: costs.checksum, changes: costs.changes))
        }
        if let chosen = cache.chosenNSCache, cache.memory.first(named: "nscache") != nil {
            notes.append(.nsCacheChosen(chosen))
        }
        if let kept = delivered.kept { notes.append(.bodiesKept(objects: kept, of: objects)) }

        // What the replay assumed.
        notes.add(.viewSizesIgnored(cache.memoryRules.sizes), if: ignoresViewSizes)
        if job.timing != .modelled(.instant) {
            let (drawn, assumed) = replayed.latencies
            notes.add(.latenciesDrawn(fetches: drawn), if: drawn > 0)
            notes.add(.latenciesAssumed(fetches: assumed), if: assumed > 0)
            notes.add(.queuesHidden, if: network.hosts.hidesQueues)
        }
        notes += plan?.notes ?? []
        notes.add(.prefetchOffOnMetered, if: plan == nil && cache.pipeline.prefetch != .none && !job.mayPrefetch)
        let lifetimes = replayed.assumedLifetimes
        notes.add(.lifetimesAssumed(objects: lifetimes, of: headers), if: lifetimes > 0)
        if cache.revalidates {
            let defects = prepared.columns.headerDefects(trace)
            notes.add(.headerDefects(defects, of: headers), if: !defects.isEmpty)
        }

        // What went wrong.
        let damaged = result.tiers.damagedFiles
        notes.add(.filesDamaged(reads: damaged), if: damaged > 0)
        if let lag = result.machine?.lag, lag.isExcessive { notes.append(.clockLagged(lag)) }
        if let own = result.driven {
            notes.add(.memoryUnreported, if: !own.reportsMemory)
            notes.add(.warningsUnheeded(own.unheededWarnings, of: own.warnings), if: own.unheededWarnings > 0)
            notes.add(.cacheFaults(own.faults), if: !own.faults.isEmpty)
        }

        // What was decoded.
        let (generated, modelled) = (delivered.generated, delivered.modelled)
        if delivered.kept != nil, let decoded = delivered.decoded {
            notes.append(.imagesDecoded(objects: decoded, of: objects))
        }
        notes.add(.generatedImagesDecoded(objects: generated, of: objects), if: generated > 0)
        notes.add(.decodingModelled(objects: modelled, of: objects), if: modelled > 0)
        notes.add(
            .pixelSizesAssumed(objects: images.assumedCount, of: objects),
            if: (delivered.decoded == nil || generated > 0) && images.assumedCount > 0 && cache.needsPixels)
        return notes
    }
}

extension [RunNote] {
    fileprivate mutating func add(_ note: @autoclosure () -> RunNote, if condition: Bool) {
        if condition { append(note()) }
    }
}

extension PrefetchPlan {
    /// What a reader must know of the list that the plan follows.
    fileprivate var notes: [RunNote] {
        var notes: [RunNote] = []
        notes.add(.listOrderInferred, if: isOrderInferred)
        notes.add(.listIncomplete(appearances: unlistedAppearances), if: unlistedAppearances > 0)
        return notes
    }
}
