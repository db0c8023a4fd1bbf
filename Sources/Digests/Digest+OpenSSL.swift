#if !canImport(CryptoKit)
import CCrypto

/// A digest context of libcrypto. It is a class, so that the context is freed with its last owner.
///
/// libcrypto's functions report failure only when memory runs out or when an algorithm is disabled by the system's
/// configuration. A digest that is silently wrong would be worse than the end of the process, so failure is a
/// precondition.
final class DigestState {
    /// Fetched once: OpenSSL 3 otherwise looks the algorithm up for each message.
    nonisolated(unsafe) private static let algorithms: [Digest.Algorithm: OpaquePointer] = [
        .md5: fetch("MD5"), .sha1: fetch("SHA1"), .sha256: fetch("SHA256"),
    ]

    private let context: OpaquePointer
    private let byteCount: Int

    init(_ algorithm: Digest.Algorithm) {
        byteCount = algorithm.byteCount
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("libcrypto: out of memory") }
        self.context = context
        check(EVP_DigestInit_ex2(context, Self.algorithms[algorithm], nil))
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) { check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)) }

    func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            check(EVP_DigestFinal_ex(context, buffer.baseAddress, nil))
            count = byteCount
        }
    }

    static func md5Words(of bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2) { words in
            let start = words.baseAddress.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self) }
            guard EVP_Digest(bytes.baseAddress, bytes.count, start, nil, algorithms[.md5], nil) == 1 else {
                preconditionFailure("libcrypto failed to compute an MD5")
            }
            return (UInt64(bigEndian: words[0]), UInt64(bigEndian: words[1]))
        }
    }

    private func check(_ status: Int32) {
        precondition(status == 1, "libcrypto failed to compute a digest")
    }

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let algorithm = EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto on this system does not offer \(name)")
        }
        return algorithm
    }
}
#endif
