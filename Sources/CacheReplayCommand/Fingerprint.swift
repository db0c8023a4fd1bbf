import Crypto
import Foundation

/// Tells one file from another.
enum Fingerprint {
    /// SHA-256 in hexadecimal, of the file as it lies on the disk.
    static func sha256(_ path: String) throws -> String {
        var hash = SHA256()
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { hash.update(data: part) }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}
