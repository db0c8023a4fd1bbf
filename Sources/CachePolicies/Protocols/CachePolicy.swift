/// A rule that decides which objects stay in a cache.
///
/// A policy holds no payload, performs no I/O, reads no clock and counts nothing. Its driver (the simulation kernel,
/// the memory tier or the disk tier) numbers the objects 0, 1, 2 … and guarantees that
/// - every object number is below the count last passed to ``reserve(_:)``,
/// - times never fall, and ``TimedPolicy/advance(to:_:)`` precedes each access to a policy with timers,
/// - an object that a lookup missed is admitted only after it has been fetched. Other accesses may happen in between,
///   and the same object may be admitted twice: the later admission replaces the earlier one,
/// - only one copy of a policy is used. Copies share the storage of their ``UncheckedArray``s.
///
/// These seven requirements are all that a policy must provide. The abilities of only some policies are refinements:
/// ``TimedPolicy`` for lifetimes and timers, ``VictimOrdered`` for policies that can name their next victim,
/// ``ClairvoyantPolicy`` for policies that know future accesses, and ``PolicyWrapper`` for policies around other
/// policies. Only an ``ObjectHoldingPolicy``, a class of the platform in the form of a policy, holds payloads.
///
/// This policy keeps the first objects that fit and never evicts one:
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
public protocol CachePolicy: CompiledPolicy {
    /// The number and the bytes of the objects that the policy holds.
    var occupancy: Occupancy { get }

    /// Returns whether the policy holds the object. Unlike a lookup, this is not an access.
    func contains(_ object: Int) -> Bool

    /// Prepares the policy for the objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    /// Records an access, and returns whether the policy holds the object.
    ///
    /// A live tier may not know the size of an object that is not held. The size is then 0.
    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup

    /// Offers an object that has been fetched, and returns whether the policy holds it afterwards.
    ///
    /// The policy reports the objects that it evicts to the sink. The offered object may be one of them.
    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool

    /// Removes an object that its tier has lost, without a report to a sink. The object need not be held.
    mutating func remove(_ object: Int)

    /// Removes all objects, as a memory warning does, without a report to a sink.
    ///
    /// The policy also forgets what it has learned. Only the timers of a ``TimedPolicy`` keep running.
    mutating func clear()
}

/// One access to one object.
public struct Access: Sendable {
    /// The object's number. A key that is shown in two variants is two objects.
    public var object: Int
    /// The cost of the object, usually its encoded bytes. Never negative.
    public var size: Int
    /// Microseconds since the start of the trace.
    public var time: Int64
    /// The half of a split cache that the object belongs to: 0 for thumbnails, 1 for full images.
    public var variant: UInt8
    /// The number of accesses before this one. Only policies that know the future use it.
    public var position: Int
    /// The position of the next access to the same object, or `Int.max` if there is none or it is unknown.
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

/// The result of a lookup.
public enum Lookup: Sendable {
    case hit
    /// The object is held and past its lifetime, and the cache delivers it nevertheless.
    case staleHit
    case miss

    @inlinable public var isHit: Bool { self != .miss }
}

public enum EvictionReason: Sendable {
    /// The object left to make room.
    case capacity
    /// The object left because its lifetime was over.
    case expired
}

/// A receiver of the objects that a policy evicts, which frees their payloads and files.
public protocol EvictionSink {
    mutating func evicted(_ object: Int, _ reason: EvictionReason)
}

/// An eviction sink that keeps the evicted objects in order until a tier processes them.
public struct EvictionList: EvictionSink, Sendable {
    public var victims: [(object: Int, reason: EvictionReason)] = []

    public init() {}

    @inlinable public mutating func evicted(_ object: Int, _ reason: EvictionReason) {
        victims.append((object, reason))
    }
}

/// The number and the bytes of the objects that a policy holds.
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
