import Digests
import Foundation

/// The identity of a file's content.
enum Fingerprint {
    /// Returns the SHA-256 of the file's bytes as they are on the disk, in hexadecimal.
    static func sha256(_ path: String) throws -> String {
        var digest = Digest(.sha256)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { part.withUnsafeBytes { digest.update($0) } }
        return digest.finish().hexadecimal
    }
}
