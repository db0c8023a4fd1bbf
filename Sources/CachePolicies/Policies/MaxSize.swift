/// No object above a size enters another policy: one large object would evict many small ones. An object that a tier
/// restores was admitted before, so its size is not asked for again.
///
/// An object that is held leaves if its new version is larger than that size. As for a queue that receives a version
/// larger than itself, no sink receives a report; the result of the call says it.
///
/// This could be an ``Admission``. Its rule would look up the type of the inner policy at each access, unless the code
/// is compiled for that policy.
struct MaxSize<Inner: TimedPolicy>: ForwardingWrapper {
    var inner: Inner
    let largest: Int

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup { inner.lookup(access, &sink) }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        guard enters(access) else { return false }
        return inner.admit(access, &sink)
    }

    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool {
        inner.restore(access, expiration: expiration, &sink)
    }

    /// Whether an object may enter. If not, an older version of it leaves.
    private mutating func enters(_ access: Access) -> Bool {
        guard access.size > largest else { return true }
        if inner.contains(access.object) { inner.remove(access.object) }
        return false
    }

    mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        inner.liveLookup(access, &evictions)
    }

    mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        guard enters(access) else { return false }
        return inner.liveAdmit(access, &evictions)
    }

    mutating func liveRestore(_ access: Access, expiration: Int64?, _ evictions: inout EvictionList) -> Bool {
        inner.liveRestore(access, expiration: expiration, &evictions)
    }
}

extension MaxSize: VictimOrdered where Inner: VictimOrdered {}

enum MaxSizePolicy {
    static let entry = PolicyEntry(
        "max-size", "Before another policy: refuses objects above the limit.",
        parameters: [.policy(nil), .size("limit", default: "1MB")]
    ) { arguments in
        let largest = try arguments.size("limit")
        func place(_ inner: some TimedPolicy) -> any CachePolicy { MaxSize(inner: inner, largest: largest) }
        return place(try arguments.policy(nil).timed())
    }
}
