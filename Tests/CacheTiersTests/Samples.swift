import CachePolicies
import CacheTiers

extension Payload {
    /// Bytes that depend on the number and on their place.
    static func sample(_ number: Int, count: Int) -> Payload {
        Payload(count: count) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: (index &* 31 &+ number) ^ index >> 8) }
        }
    }

    var array: [UInt8] { [UInt8](bytes) }
}

func policy(_ spec: String) throws -> any CachePolicy { try PolicyContext().policy(spec) }
