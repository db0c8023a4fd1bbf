import CachePolicies
import TestSupport

@testable import CacheTiers
@testable import MeasuredTiers

extension Payload {
    /// Bytes that depend on the number and on their position.
    static func sample(_ number: Int, count: Int) -> Payload {
        Payload(count: count) { bytes in
            for index in bytes.indices {
                bytes[index] = UInt8(truncatingIfNeeded: (index &* 31 &+ number) ^ index >> 8)
            }
        }
    }
}

func policy(_ spec: String) throws -> any CachePolicy { try PolicyContext().policy(spec) }

extension TemporaryFolder {
    /// The files of objects, without the marker and the files of the database.
    var objects: [String] { files.filter { $0 != DiskMarker.file && !$0.hasPrefix(DiskDatabase.file) } }
}

/// URLs that no layout confuses: each digit is repeated five times.
func sampleKey(_ number: Int) -> String {
    "https://p.example/" + String(1000 + number).map { String(repeating: $0, count: 5) }.joined() + ".jpg"
}
