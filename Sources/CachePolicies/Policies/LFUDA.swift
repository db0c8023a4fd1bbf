/// Least frequently used with dynamic aging: frequencies are counted from the age of the cache, which is the rank of
/// the last victim. An object that is no longer popular is therefore overtaken by objects that are.
///
/// M. Arlitt, L. Cherkasova, J. Dilley, R. Friedrich, T. Jin, Evaluating content management techniques for Web proxy
/// caches, ACM SIGMETRICS Performance Evaluation Review 27(4), 2000: K = C * F + L, with C = 1, F the frequency since
/// admission, and L the age. Of equal ranks the least recently used object leaves first; the paper leaves that open.
///
/// `compat: libcachesim` ranks as libCacheSim does: L is the lowest rank that an eviction leaves behind, and a hit adds
/// L to an object's rank, which is nothing at first and soon a lot. libCacheSim crashes if there was no hit before the
/// first eviction; this does not.
struct LFUDA: RankedPolicy {
    var ranked: RankedObjects
    var age = 0.0
    let compat: Compatibility

    init(_ limits: Limits, compat: Compatibility = .paper) {
        ranked = RankedObjects(limits: limits)
        self.compat = compat
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let held = ranked.access(access.object) { record in
            compat == .paper ? Double(record.frequency) + age : record.rank + age
        }
        return held ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        while !ranked.fits(access.size), evictNext(&sink) {}
        ranked.insert(access) { record in Double(record.frequency) + age }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let rank = ranked.evictLowest(&sink) else { return false }
        age = compat == .paper ? rank : ranked.lowestRank() ?? rank
        return true
    }

    mutating func resetRule() { age = 0 }
}

extension LFUDA {
    static let entry = PolicyEntry(
        "lfuda", "Least frequently used, counted from an age that rises with every victim.",
        parameters: [.limits, .compat]
    ) { LFUDA(try $0.limits(), compat: try $0.compat()) }
}
