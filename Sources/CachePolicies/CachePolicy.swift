/// Decides what stays in a cache. Holds no payload, does no I/O, reads no clock, counts nothing.
///
/// Whoever drives a policy (the simulation kernel, the memory tier, the disk tier) numbers the objects 0, 1, 2 … and
/// guarantees that
/// - every number it passes is below the count last given to ``reserve(_:)``,
/// - ``advance(to:_:)`` is called before an access, with times that never fall,
/// - an object that was looked up and missed is admitted only once it has really been fetched. Other accesses may
///   happen in between, and the same object may be admitted twice: the later admission replaces the earlier.
/// - a policy that is in use is not copied to go on with both: the copies would share their ``Column``s.
///
/// A policy of one's own, which keeps the first objects that fit and never lets go:
/// ```swift
/// struct FirstCome: QueuePolicy {
///     var queue: BoundedQueue
///     mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
///         queue.contains(access.object) ? .hit : .miss
///     }
///     mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
///         queue.limits.fits(access.size, beside: queue.occupancy) && queue.push(access, &sink)
///     }
/// }
/// ```
public protocol CachePolicy {
    /// Whether the passing of time changes what stays; if not, nobody need call ``advance(to:_:)``.
    static var usesTime: Bool { get }

    /// Whether the policy knows what will be asked for, by ``Access/next``: then it can be simulated, and no live tier
    /// can use it.
    static var usesFuture: Bool { get }

    /// What is held now.
    var occupancy: Occupancy { get }

    /// Whether the object is held. Unlike a lookup, this is no access.
    func contains(_ object: Int) -> Bool

    /// Makes room for objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    /// Is the object there? Notes the access. Of an object that is not held, a live tier may not know the size: it is 0
    /// then.
    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup

    /// The object has been fetched: shall it stay, and who leaves for it? Victims go to the sink; the object itself may
    /// be among them. Returns whether the object is held in the end.
    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool

    /// Takes back an object that was held when its tier was shut, and is to expire at `expiration` as promised then.
    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool

    /// When the object expires, in microseconds; nil where it never does.
    func expiration(of object: Int) -> Int64?

    /// The object, which is held, is to expire then, and not when the policy would have it: its tier knows better. For
    /// policies with lifetimes; others hear of it in vain.
    mutating func setExpiration(of object: Int, to expiration: Int64)

    /// A policy around this one has given the object, which is held, a date on which it expires, in place of any
    /// earlier one.
    mutating func willExpire(_ object: Int, at expiration: Int64)

    /// Lets time pass, and with it any timer that the policy has.
    mutating func advance(to time: Int64, _ sink: inout some EvictionSink)

    /// The app enters the background: removes what has expired by `time`, whether or not a timer is due, and does
    /// whatever else it does then.
    mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink)

    /// Who would leave next if room were needed; nil where the policy cannot tell. What admissions such as `tinylfu`
    /// compare with.
    mutating func nextVictim() -> Int?

    /// Lets the next victims leave, as if room were needed, until what is held costs no more than `bytes`; nobody,
    /// where the policy names no victims.
    mutating func trim(to bytes: Int, _ sink: inout some EvictionSink)

    /// The object will be looked up soon: fetches what the lookup reads, and changes nothing. Only the kernel knows
    /// that early.
    func prefetch(_ object: Int)

    /// Forgets an object that its tier has lost. Reported to no sink.
    mutating func remove(_ object: Int)

    /// Forgets everything; what follows is as if the policy were new. Reported to no sink.
    mutating func removeAll()

    /// Runs requests through the policy: the loop is compiled for the concrete type, and entered once per run.
    mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts)

    // A live tier holds `any CachePolicy`; calls with a sink of known type skip the generic dispatch.
    mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup
    mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool
}

extension CachePolicy {
    @inlinable public static var usesTime: Bool { false }

    @inlinable public static var usesFuture: Bool { false }

    @inlinable public mutating func nextVictim() -> Int? { nil }

    @inlinable public mutating func trim(to bytes: Int, _ sink: inout some EvictionSink) {
        while occupancy.bytes > bytes, let victim = nextVictim() {
            remove(victim)
            sink.evicted(victim, .capacity)
        }
    }

    @inlinable public func prefetch(_ object: Int) {}

    @inlinable public func expiration(of object: Int) -> Int64? { nil }

    @inlinable public mutating func restore(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool { admit(access, &sink) }

    @inlinable public mutating func setExpiration(of object: Int, to expiration: Int64) {}

    @inlinable public mutating func willExpire(_ object: Int, at expiration: Int64) {}

    @inlinable public mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {}

    @inlinable public mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {}

    @inlinable public mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        lookup(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        admit(access, &evictions)
    }
}

/// One access to one object.
public struct Access: Sendable {
    /// The object's number. A key that is shown in two variants is two objects.
    public var object: Int
    /// What the object costs, usually its encoded bytes. Never negative.
    public var size: Int
    /// Microseconds since the start of the trace.
    public var time: Int64
    /// Which half of a split cache the object belongs to: 0 thumbnail, 1 full.
    public var variant: UInt8
    /// The number of accesses before this one. For policies that use the future; others count for themselves.
    public var position: Int
    /// The position of the same object's next access; `Int.max` where there is none, or nobody knows.
    public var next: Int

    @inlinable public init(
        object: Int, size: Int, time: Int64 = 0, variant: UInt8 = 1, position: Int = 0, next: Int = .max
    ) {
        self.object = object
        self.size = size
        self.time = time
        self.variant = variant
        self.position = position
        self.next = next
    }
}

/// What a lookup found.
public enum Lookup: Sendable {
    case hit
    /// There, past its lifetime, and delivered all the same.
    case staleHit
    case miss

    @inlinable public var isHit: Bool { self != .miss }
}

public enum EvictionReason: Sendable {
    case capacity
    case expired
}

/// Learns who leaves, so that a tier can free payloads and files.
public protocol EvictionSink {
    mutating func evicted(_ object: Int, _ reason: EvictionReason)
}

/// Keeps the victims in order, for a tier to work off.
public struct EvictionList: EvictionSink, Sendable {
    public var victims: [(object: Int, reason: EvictionReason)] = []

    public init() {}

    @inlinable public mutating func evicted(_ object: Int, _ reason: EvictionReason) {
        victims.append((object, reason))
    }
}

/// How much a policy holds.
public struct Occupancy: Sendable, Equatable, BitwiseCopyable {
    public var objects = 0
    public var bytes = 0

    @inlinable public init() {}

    @inlinable public init(objects: Int, bytes: Int) {
        self.objects = objects
        self.bytes = bytes
    }

    @inlinable public static func + (one: Occupancy, other: Occupancy) -> Occupancy {
        Occupancy(objects: one.objects &+ other.objects, bytes: one.bytes &+ other.bytes)
    }
}
