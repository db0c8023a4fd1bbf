#if canImport(CryptoKit)
import CryptoKit

/// A hash function of CryptoKit.
struct DigestState {
    private enum State {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private var state: State

    init(_ algorithm: Digest.Algorithm) {
        switch algorithm {
        case .md5: state = .md5(Insecure.MD5())
        case .sha1: state = .sha1(Insecure.SHA1())
        case .sha256: state = .sha256(SHA256())
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .md5(var hash):
            hash.update(bufferPointer: bytes)
            state = .md5(hash)
        case .sha1(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha1(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: bytes)
            state = .sha256(hash)
        }
    }

    func finish() -> [UInt8] {
        switch state {
        case .md5(let hash): Array(hash.finalize())
        case .sha1(let hash): Array(hash.finalize())
        case .sha256(let hash): Array(hash.finalize())
        }
    }

    static func md5Words(of bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        var hash = Insecure.MD5()
        hash.update(bufferPointer: bytes)
        return hash.finalize().withUnsafeBytes { words in
            (
                UInt64(bigEndian: words.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
#endif
