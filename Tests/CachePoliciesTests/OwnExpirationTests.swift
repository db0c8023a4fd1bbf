import Basics
import Testing

@testable import CachePolicies

/// An admission with an expiration of the object's own is one step, and has the effect of two: an admission, and a new
/// expiration.
@Suite("Objects with expirations of their own")
struct OwnExpirationTests {
    private static let specifications = [
        "lru(40kB)",
        "ttl(lru(40kB), lifetime: 50ms)",
        "ttl(max-size(lru(40kB), limit: 9kB), lifetime: 50ms, sweep: 20ms)",
        "ttl(lru(40kB), lifetime: 50ms, checkOnRead: false, extendOnAccess: true, sweep: 30ms)",
        "ttl(ttl(fifo(40kB), lifetime: 80ms), lifetime: 50ms, granularity: 10ms)",
        "ttl(trim(40kB, order: expiry), lifetime: 50ms, sweep: 20ms)",
        "max-size(ttl(lru(40kB), lifetime: 50ms), limit: 9kB)",
        "split(thumbnail: ttl(lru(9kB), lifetime: 30ms, sweep: 10ms), full: ttl(lru(30kB), lifetime: 50ms))",
    ]

    @Test("One step has the effect of two", arguments: specifications, 0..<8)
    func oneStep(specification: String, seed: Int) throws {
        var one = try PolicyContext().policy(specification).timed()
        var two = try PolicyContext().policy(specification).timed()
        one.reserve(30)
        two.reserve(30)
        var generator = SplitMix64(seed: UInt64(seed))
        func random(_ below: Int) -> Int { generator.next(below: below) }
        var time: Int64 = 0
        for step in 0..<2_000 {
            time += Int64(random(4_000))
            var access = Access(object: random(30), size: 500 + random(10_000), time: time)
            access.variant = UInt8(access.object % 2)
            // Some objects never expire, as those that are validated, and others long before the policy says.
            let expiration: Int64? = [nil, .max / 4, time + Int64(random(200_000))][random(3)]
            var (left, right) = (EvictionList(), EvictionList())
            one.liveAdvance(to: time, &left)
            two.liveAdvance(to: time, &right)
            switch step % 50 {
            case 49:
                one.removeExpired(at: time, &left)
                two.removeExpired(at: time, &right)
            case let step where step % 2 == 0:
                let (found, twin) = (one.liveLookup(access, &left), two.liveLookup(access, &right))
                #expect(found == twin)
            default:
                let kept = one.liveAdmit(access, expiration: expiration, &left)
                let twin = two.liveAdmit(access, &right)
                if twin, let expiration { two.setExpiration(of: access.object, to: expiration) }
                #expect(kept == twin)
            }
            #expect(left.victims.map(\.object) == right.victims.map(\.object), "step \(step)")
            #expect(left.victims.map(\.reason) == right.victims.map(\.reason))
            #expect(one.occupancy == two.occupancy)
            for object in 0..<30 { #expect(one.expiration(of: object) == two.expiration(of: object)) }
        }
    }
}
