/// A policy whose objects live in a class of the platform, such as Foundation's NSCache.
///
/// Other policies decide about numbers, and a tier holds the payloads. A policy of this kind holds them itself, and the
/// class behind it decides when they leave. A tier that has payloads exchanges them through ``heldObjects``: it offers
/// one before an admission, and takes one after a hit. A driver without payloads, such as the simulation kernel, does
/// neither; a placeholder then stands for each payload.
public protocol ObjectHoldingPolicy: CachePolicy {
    /// The same object for the whole life of the policy.
    var heldObjects: HeldObjects { get }
}

/// The place where a tier and an ``ObjectHoldingPolicy`` exchange payloads. It holds none of them for longer than one
/// call, so that the class alone decides how long a payload lives.
public final class HeldObjects {
    /// The payload of the next object that is admitted.
    var offered: AnyObject?
    /// The payload of the last object that a lookup found.
    private(set) var found: AnyObject?
    /// Whether a tier takes payloads. Without one, nothing is noted.
    private(set) var isUsed = false
    /// Whether the payload of the next object that is removed is noted as found.
    public var keepsRemoved = false

    init() {}

    /// Hands over the payload of the object that is admitted next. Call ``withdraw()`` after the admission.
    public func offer(_ payload: AnyObject) {
        offered = payload
        isUsed = true
    }

    /// Takes back a payload that no admission used, and forgets one that was found.
    public func withdraw() {
        offered = nil
        found = nil
    }

    /// Returns the payload that the last lookup found, once.
    public func takeFound() -> AnyObject? {
        defer { found = nil }
        return found
    }

    func note(_ payload: AnyObject?) { if isUsed { found = payload } }
}

extension CachePolicy {
    /// The places where payloads are exchanged with this policy and the policies inside it; empty for all policies that
    /// decide about numbers only.
    public var exchangedObjects: [HeldObjects] {
        if let holder = self as? any ObjectHoldingPolicy { return [holder.heldObjects] }
        return (self as? any PolicyWrapper)?.inners.flatMap(\.exchangedObjects) ?? []
    }
}
