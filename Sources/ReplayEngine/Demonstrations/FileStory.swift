import CachePolicies
import CacheTiers
import Foundation

/// Stores and reads of one disk tier, with real files in a folder that is removed with it. A byte in each file says
/// which store it came from.
final class FileStory {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "cachereplay-\(UUID().uuidString)")
    private let tier: DiskTier
    private var stores: UInt8 = 0
    private var version: [String: UInt8] = [:]

    init(_ policy: String, format: DiskFormat = DiskFormat(), entryRule: EntryRule? = nil) throws {
        tier = try DiskTier(
            try PolicyContext().policy(policy), at: folder.path, format: format, entryRule: entryRule, epoch: Date())
    }

    func store(_ key: String, bytes: Int) throws {
        stores &+= 1
        version[key] = stores
        let mark = stores
        try tier.store(key, Payload(count: bytes) { $0.initializeMemory(as: UInt8.self, repeating: mark) })
    }

    /// `hit`, `miss`, or `old hit` where what is delivered was stored before the last store.
    func get(_ key: String) throws -> String {
        guard let read = try tier.read(key) else { return "miss" }
        return read.payload.bytes.first == version[key] ? "hit" : "old hit"
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
