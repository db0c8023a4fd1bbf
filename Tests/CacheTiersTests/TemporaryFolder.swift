import CachePolicies
import CacheTiers
import Foundation

/// A folder that is gone when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Every regular file below the folder, by relative path, sorted.
    var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.count > 2 }.sorted()
    }

    func write(_ bytes: some Sequence<UInt8>, to file: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
    }

    func bytes(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)"))) }

    func date(_ file: String) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")[.modificationDate] as? Date
    }
}

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
