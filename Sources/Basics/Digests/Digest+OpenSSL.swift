#if !canImport(CryptoKit)
import CCrypto

/// A digest context of libcrypto. It is a class, so that the context is freed with its last owner.
///
/// No input and no setting of a user can make libcrypto fail here. Algorithms come from a library context of its own,
/// which reads no configuration file and always has the default provider. What is left is the end of memory, and a
/// libcrypto that was built without an algorithm. A digest that is silently wrong would be worse than the end of the
/// process, so both are preconditions.
final class DigestState {
    // OpenSSL 3 looks an algorithm up for each message unless it was fetched. A context and a fetched algorithm never
    // change and are never freed, so every thread may use them. Without memory for a context, this is nil: the default
    // context.
    nonisolated(unsafe) private static let library = OSSL_LIB_CTX_new()
    nonisolated(unsafe) private static let md5 = fetch("MD5")
    nonisolated(unsafe) private static let sha1 = fetch("SHA1")
    nonisolated(unsafe) private static let sha256 = fetch("SHA256")

    private static func implementation(of algorithm: Digest.Algorithm) -> OpaquePointer {
        switch algorithm {
        case .md5: md5
        case .sha1: sha1
        case .sha256: sha256
        }
    }

    private let context: OpaquePointer
    private let byteCount: Int

    init(_ algorithm: Digest.Algorithm) {
        byteCount = algorithm.byteCount
        // Unreachable by a user: fails only when memory runs out, and then Swift's own allocations end the process too.
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("libcrypto: out of memory") }
        self.context = context
        check(EVP_DigestInit_ex2(context, Self.implementation(of: algorithm), nil))
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
            // Unreachable by a user: MD5 accepts any bytes, and fails only when memory runs out, as above.
            guard EVP_Digest(bytes.baseAddress, bytes.count, start, nil, md5, nil) == 1 else {
                preconditionFailure("libcrypto failed to compute an MD5")
            }
            return (UInt64(bigEndian: words[0]), UInt64(bigEndian: words[1]))
        }
    }

    private func check(_ status: Int32) {
        // Unreachable by a user: the three algorithms accept any bytes, and fail only when memory runs out.
        precondition(status == 1, "libcrypto failed to compute a digest")
    }

    private static func fetch(_ name: String) -> OpaquePointer {
        // "-fips": also where cryptography is restricted to FIPS 140, because these digests name files and protect
        // nothing.
        //
        // Unreachable by a user: no file, option or environment variable changes this context, and the default provider
        // has the three algorithms, unless libcrypto was built without them ("no-md5"), as no distribution builds it.
        guard let algorithm = EVP_MD_fetch(library, name, "-fips") else {
            preconditionFailure("libcrypto on this system does not offer \(name)")
        }
        return algorithm
    }
}
#endif
