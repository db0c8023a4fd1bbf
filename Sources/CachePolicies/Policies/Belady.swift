/// Evicts the object whose next access is farthest away. If all objects have one size, no policy that must admit can
/// miss less.
///
/// L. A. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966. The
/// simulation passes the position of each object's next access in ``Access/next``.
///
/// With `bypass`, an object is not admitted if it is never accessed again, or if its next access is later than the next
/// accesses of the objects that would have to leave: then no policy at all can miss less. (Belady's pages must be in
/// memory to be used; a cache may pass an object on.)
///
/// If sizes differ, this is a good rule and no bound: see ``BeladySize``. Without bypass, the farthest objects leave
/// until the object fits. With it, they leave only if all of them are farther than the object; otherwise none does.
/// Both are generalisations of this project.
///
/// Of objects that are never accessed again, the one accessed least recently leaves first.
struct Belady: VictimOrdered, ClairvoyantPolicy {
    /// The farthest is the lowest.
    var byNextAccess = IndexedHeap<Int>(filler: 0)
    var sizes = UncheckedArray<Int>(repeating: 0)
    /// Scratch space: the objects that leave for the one that is being admitted, the farthest first, and their keys.
    var leaving = UncheckedArray<UInt32>(repeating: 0)
    var leavingKeys = UncheckedArray<Int>(repeating: 0)
    let limits: Limits
    let bypasses: Bool
    var occupancy = Occupancy()

    init(_ limits: Limits, bypasses: Bool) {
        self.limits = limits
        self.bypasses = bypasses
    }

    func contains(_ object: Int) -> Bool { byNextAccess.contains(object) }

    mutating func reserve(_ count: Int) {
        byNextAccess.reserve(count)
        sizes.reserve(count)
        guard bypasses else { return }
        leaving.reserve(count)
        leavingKeys.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard byNextAccess.contains(access.object) else { return .miss }
        byNextAccess.update(access.object, to: key(access))
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        if bypasses {
            guard access.next != .max, makeRoomBehind(access, &sink) else { return false }
        } else {
            while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        }
        insert(access.object, key(access), access.size)
        return true
    }

    mutating func nextVictim() -> Int? { byNextAccess.lowest }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        guard byNextAccess.contains(object) else { return }
        byNextAccess.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        byNextAccess.removeAll()
        occupancy = Occupancy()
    }

    /// Evicts objects whose next access is later, if that makes enough room, and returns whether it does.
    private mutating func makeRoomBehind(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        var count = 0
        while !limits.fits(access.size, beside: occupancy) {
            guard let farthest = byNextAccess.lowest, byNextAccess.key(of: farthest) < key(access) else {
                for index in 0..<count { insert(Int(leaving[index]), leavingKeys[index], sizes[Int(leaving[index])]) }
                return false
            }
            leaving[count] = UInt32(truncatingIfNeeded: farthest)
            leavingKeys[count] = byNextAccess.key(of: farthest)
            count &+= 1
            remove(farthest)
        }
        for index in 0..<count { sink.evicted(Int(leaving[index]), .capacity) }
        return true
    }

    private mutating func insert(_ object: Int, _ key: Int, _ size: Int) {
        byNextAccess.insert(object, key)
        sizes[object] = size
        occupancy.objects &+= 1
        occupancy.bytes &+= size
    }

    private func key(_ access: Access) -> Int {
        access.next == .max ? .min &+ access.position : -access.next
    }
}

extension Limits {
    /// The policy `belady-bypass` in these limits.
    package var knowingPolicy: any CachePolicy { Belady(self, bypasses: true) }

    /// A `split` of two policies `belady-bypass`.
    package static func knowingPolicy(thumbnail: Limits, full: Limits) -> any CachePolicy {
        Split(
            thumbnail: Untimed(Belady(thumbnail, bypasses: true)), full: Untimed(Belady(full, bypasses: true)))
    }
}

extension Belady {
    static let entry = PolicyEntry(
        "belady", "Evicts the object whose next access is farthest; always admits. Knows the future.",
        parameters: [.limits]
    ) { Belady(try $0.limits(), bypasses: false) }

    static let bypassEntry = PolicyEntry(
        "belady-bypass",
        """
        Like belady, but refuses objects whose next access is later than those of all held objects: the fewest misses \
        possible at unit size. Knows the future.
        """,
        parameters: [.limits]
    ) { Belady(try $0.limits(), bypasses: true) }
}
