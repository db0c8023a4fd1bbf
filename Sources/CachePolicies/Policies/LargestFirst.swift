/// The largest object leaves first, so that many small ones stay; of equal sizes, the least recently used.
///
/// S. Williams, M. Abrams, C. R. Standridge, G. Abdulla, E. A. Fox, Removal policies in network caches for World-Wide
/// Web documents, ACM SIGCOMM 1996: sorts by a primary and a secondary key, finds SIZE the best primary one, and
/// secondary ones of little effect. This is SIZE with ATIME, the time of the last access. (libCacheSim breaks ties
/// differently, so its counts differ if many objects have one size.)
///
/// Nothing ages: small objects that are no longer requested stay forever. ``GreedyDualSize`` avoids that.
struct LargestFirst: RankedPolicy {
    var ranked: RankedObjects

    init(_ limits: Limits) { ranked = RankedObjects(limits: limits) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ranked.access(access.object) { record in record.rank } ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        while !ranked.fits(access.size), evictNext(&sink) {}
        ranked.insert(access) { record in -Double(record.size) }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { ranked.evictLowest(&sink) != nil }

    mutating func resetRule() {}
}

extension LargestFirst {
    static let entry = PolicyEntry(
        "size", "The largest object leaves first; of equal sizes, the least recently used.", parameters: [.limits]
    ) { LargestFirst(try $0.limits()) }
}
